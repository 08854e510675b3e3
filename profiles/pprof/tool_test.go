package pprof

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/collectors/child"
	"opcost/profiles"
	"opcost/profiles/cost"
)

// top runs "go tool pprof -top" and gives flat and cumulative values by
// function.
func top(t *testing.T, path string, options ...string) map[string][2]int64 {
	t.Helper()
	if testing.Short() {
		t.Skip("runs another program, left out by -short")
	}
	if _, err := exec.LookPath("go"); err != nil {
		if os.Getenv("OPCOST_TEST_ALL") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	argv := append([]string{"go", "tool", "pprof", "-top", "-nodecount=0", "-nodefraction=0", "-edgefraction=0", "-symbolize=none"}, options...)
	stdout, stderr, err := child.Output(t.Context(), append(argv, path)...)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	rows := map[string][2]int64{}
	line := regexp.MustCompile(`(?m)^ *(\d+)(?:ns)? +[\d.]+% +[\d.]+% +(\d+)(?:ns)? +[\d.]+%  (.+)$`)
	for _, m := range line.FindAllStringSubmatch(stdout, -1) {
		flat, _ := strconv.ParseInt(m[1], 10, 64)
		cum, _ := strconv.ParseInt(m[2], 10, 64)
		rows[m[3]] = [2]int64{flat, cum}
	}
	if len(rows) == 0 {
		t.Fatalf("no row in\n%s", stdout)
	}
	return rows
}

func writeFile(t *testing.T, set *profiles.Set) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "profile.pb.gz")
	if err := os.WriteFile(path, write(t, set), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Two events, a recursion, an unnamed frame, one that was inlined and one of
// the kernel: pprof's own tool tells what cost.Of tells, for each event.
func TestToolAgrees(t *testing.T) {
	set := &profiles.Set{}
	for i, e := range []profiles.Event{{Name: "cycles:u", Unit: profiles.Cycles}, {Name: "cpu-clock", Unit: profiles.Nanoseconds}} {
		b := profiles.NewBuilder(e)
		main := b.Frame(profiles.Frame{Function: "main", Object: "/usr/sbin/mariadbd", BuildID: "abcd", Space: profiles.User})
		f := b.Frame(profiles.Frame{Function: "JOIN::exec(int)", Object: "/usr/sbin/mariadbd", BuildID: "abcd", Space: profiles.User})
		hot := b.Frame(profiles.Frame{Start: 0x6b1230, Object: "/usr/sbin/mariadbd", BuildID: "abcd", Space: profiles.User})
		in := b.Frame(profiles.Frame{Function: "inlined_one", Object: "/usr/sbin/mariadbd", Inlined: true, Space: profiles.User})
		k := b.Frame(profiles.Frame{Function: "copy_to_iter", Object: "[kernel.kallsyms]", Space: profiles.Kernel})
		for j, frames := range [][]int32{{main}, {f, main}, {hot, f, f, main}, {in, f, main}, {k, in, f, main}, {}} {
			if err := b.Add("mysqld: a", frames, int64(10*(j+1)+i), int64(j+1)); err != nil {
				t.Fatal(err)
			}
		}
		set.Profiles = append(set.Profiles, b.Profile())
	}
	path := writeFile(t, set)
	for i, p := range set.Profiles {
		want := map[string][2]int64{}
		for _, r := range cost.Of(p).Rows {
			name := r.Key.Function
			if name == "" {
				name = "mariadbd fn 0x6b1230"
			}
			want[name] = [2]int64{r.Self, r.Total}
		}
		if diff := cmp.Diff(want, top(t, path, "-sample_index="+p.Event.Name)); diff != "" {
			t.Errorf("%s: -ours +pprof's\n%s", p.Event.Name, diff)
		}
		if i == 0 { // and without being told, the first event
			if diff := cmp.Diff(want, top(t, path)); diff != "" {
				t.Errorf("default: -ours +pprof's\n%s", diff)
			}
		}
	}
	samples := top(t, path, "-sample_index=cycles:u_samples")
	if samples["main"] != [2]int64{1, 15} {
		t.Errorf("samples %v", samples)
	}
}

// Counted calls: arcs add nothing to the functions' costs, and are there to be
// asked for.
func TestToolArcs(t *testing.T) {
	b := profiles.NewBuilder(profiles.Event{Name: "Ir", Unit: profiles.Instructions, Counted: true})
	f, g := b.Frame(profiles.Frame{Function: "f"}), b.Frame(profiles.Frame{Function: "g"})
	for _, err := range []error{b.Add("", []int32{f}, 10, 0), b.Add("", []int32{g}, 30, 0), b.Call("", f, g, 3, 30)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	path := writeFile(t, &profiles.Set{Profiles: []*profiles.Profile{b.Profile()}})
	for index, want := range map[string]map[string][2]int64{
		"Ir":           {"f": {10, 10}, "g": {30, 30}},
		"Ir_calls":     {"f": {0, 3}, "g": {3, 3}},
		"Ir_inclusive": {"f": {0, 30}, "g": {30, 30}},
	} {
		if diff := cmp.Diff(want, top(t, path, "-sample_index="+index)); diff != "" {
			t.Errorf("%s: -want +pprof's\n%s", index, diff)
		}
	}
}

// The comments are where anyone can read them.
func TestToolComments(t *testing.T) {
	b := profiles.NewBuilder(profiles.Event{Name: "Ir", Unit: profiles.Instructions, Counted: true})
	if err := b.Add("", nil, 1, 0); err != nil {
		t.Fatal(err)
	}
	p := b.Profile()
	p.About = profiles.About{Version: "bl", Operations: 4000.5}
	if testing.Short() {
		t.Skip("runs another program, left out by -short")
	}
	stdout, stderr, err := child.Output(t.Context(), "go", "tool", "pprof", "-comments", writeFile(t, &profiles.Set{Profiles: []*profiles.Profile{p}}))
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	for _, want := range []string{"opcost.format=1", "opcost.version=bl", "opcost.operations=4000.5", "opcost.event.0.counted=true"} {
		if !strings.Contains(stdout, want+"\n") {
			t.Errorf("%s is not in\n%s", want, stdout)
		}
	}
}
