package profiling

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"opcost/profiles"
	"opcost/profiles/pprof"
)

// dump is what callgrind writes of one thread (its manual, "Callgrind Format
// Specification"): main costs 30 itself and calls work twice, for 70.
const dump = `# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 7
thread: 2
part: 1
positions: line
events: Ir

fl=(1) a.c
fn=(1) main
1 30
cfn=(2) work
calls=2 5
2 70

fn=(2)
5 70

totals: 100
`

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func readBack(t *testing.T, path string) *profiles.Profile {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	set, err := pprof.Read(f)
	if err != nil || len(set.Profiles) != 1 {
		t.Fatal(set, err)
	}
	return set.Profiles[0]
}

func TestCounted(t *testing.T) {
	dir := t.TempDir()
	in := Input{Out: filepath.Join(dir, "p.pb.gz"), About: profiles.About{Version: "v", Operations: 50, Per: "statement"}}
	for _, name := range []string{"w0-2", "w0-3"} {
		in.Data = append(in.Data, write(t, filepath.Join(dir, name), dump))
	}
	if warnings, err := Counted(in); err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	p := readBack(t, in.Out)
	if weight, _ := p.Total(); weight != 200 || p.Event.Unit != profiles.Instructions || len(p.Arcs) != 1 || p.Arcs[0].Calls != 4 {
		t.Errorf("%d, %+v, %+v", weight, p.Event, p.Arcs)
	}
	if a := p.About; a.Version != "v" || a.Operations != 50 || a.CallGraph != "counted" {
		t.Errorf("%+v", a)
	}
	before, _ := os.ReadFile(in.Out)
	if _, err := Counted(in); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a file that exists: %v", err)
	}
	if after, _ := os.ReadFile(in.Out); string(after) != string(before) {
		t.Error("it was overwritten")
	}
}

// What cannot be read leaves no profile, and an error with the file's name.
func TestNothingToConvert(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "p.pb.gz")
	damaged := write(t, filepath.Join(dir, "damaged"), "hello\n")
	for name, f := range map[string]func() ([]string, error){
		"no dump":           func() ([]string, error) { return Counted(Input{Out: out}) },
		"a damaged dump":    func() ([]string, error) { return Counted(Input{Out: out, Data: []string{damaged}}) },
		"no data of perf's": func() ([]string, error) { return Sampled(t.Context(), Input{Out: out, Data: []string{damaged + "x"}}) },
		"damaged data":      func() ([]string, error) { return Sampled(t.Context(), Input{Out: out, Data: []string{damaged}}) },
	} {
		if _, err := f(); err == nil || (name != "no dump" && !strings.Contains(err.Error(), damaged)) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: there is a profile", name)
		}
	}
}

func TestLargeDataAreRemoved(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "perf.data"), strings.Repeat("x", 3<<20))
	if note, err := trim(path, 3<<20); note != "" || err != nil {
		t.Error(note, err)
	}
	if note, err := trim(path, 1<<20); !strings.Contains(note, "(3 MB) were removed") || !strings.Contains(note, "up to 1 MB") || err != nil {
		t.Error(note, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("they are still there")
	}
}

func TestRootOfOurselves(t *testing.T) {
	for _, pid := range []int{os.Getpid(), 0, 1 << 22} {
		if got := rootOf(pid); got != "" {
			t.Errorf("%d: %q", pid, got)
		}
	}
}
