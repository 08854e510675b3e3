package perfdata

import (
	"context"
	"debug/elf"
	"encoding/hex"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"opcost/collectors/child"
	"opcost/profiles"
	"opcost/profiles/perfscript"
)

func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("OPCOST_TEST_ALL") == "1" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// program spends 60, 30 and 10% of its time in three functions. A round takes
// microseconds, far less than a sample's period, so that the two cannot fall
// into step. Each step of the work waits for the multiplication before it, so
// that its time depends on nothing else: a loop through memory took 6% more in
// one function than in another on some runs.
const program = `
volatile unsigned long s;
#define WORK(n) { unsigned long x = s; for (long i = n; i; i--) x = x * 6364136223846793005UL + 1; s = x; }
__attribute__((noinline,noclone)) void sixty(long n) WORK(n * 6)
__attribute__((noinline,noclone)) void thirty(long n) WORK(n * 3)
__attribute__((noinline,noclone)) void ten(long n) WORK(n)
int main(void) { for (int i = 0; i < 200000; i++) { sixty(900); thirty(900); ten(900); } return 0; }
`

// loop is a shell's work of some 50 ms.
const loop = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"

// build compiles the program into dir.
func build(t testing.TB, dir string) string {
	t.Helper()
	needs(t, "perf", "gcc")
	src := filepath.Join(dir, "k.c")
	if err := os.WriteFile(src, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dir, "known")
	if out, err := exec.Command("gcc", "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-o", exe, src).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	return exe
}

// record samples a command. -N: nothing goes into the user's build-id cache.
func record(t testing.TB, dir string, argv ...string) string {
	t.Helper()
	data := filepath.Join(dir, "perf.data")
	cmd := exec.Command("perf", append([]string{"record", "-N", "-q", "-e", "cpu-clock", "-F", "9999", "-g", "-o", data, "--"}, argv...)...)
	cmd.Env = append(os.Environ(), "HOME="+dir, "LC_ALL=C")
	if out, err := cmd.CombinedOutput(); err != nil {
		missing(t, "perf record: "+err.Error()+": "+string(out))
	}
	return data
}

// shares are the functions' own shares of the time in user space, by a function
// that names a frame. The rest is interrupts, which hit any program.
func shares(p *profiles.Profile, name func(profiles.Frame) string) map[string]float64 {
	total := 0.0
	self := map[string]float64{}
	for _, s := range p.Stacks {
		if len(s.Frames) > 0 && p.Frames[s.Frames[0]].Space == profiles.User {
			self[name(p.Frames[s.Frames[0]])] += 100 * float64(s.Weight)
			total += float64(s.Weight)
		}
	}
	for f := range self {
		self[f] /= total
	}
	return self
}

func known(t *testing.T, what string, got map[string]float64) {
	t.Helper()
	for f, want := range map[string]float64{"sixty": 60, "thirty": 30, "ten": 10} {
		if math.Abs(got[f]-want) > 2 {
			t.Errorf("%s: %s has %.1f%% of the time in user space, want %.0f within 2 points", what, f, got[f], want)
		}
	}
	t.Logf("%s: sixty %.1f%%, thirty %.1f%%, ten %.1f%%", what, got["sixty"], got["thirty"], got["ten"])
}

// TestKnownAnswer records a program whose costs are known, reads it with its
// names, without them (by the places in its file), and from under another root.
func TestKnownAnswer(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	exe := build(t, dir)
	data := record(t, dir, exe)
	set, err := Read(context.Background(), data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Profiles) != 1 {
		t.Fatalf("%d profiles", len(set.Profiles))
	}
	p := set.Profiles[0]
	// The kernel may allow fewer samples a second than were asked for.
	if p.Event.Name != "cpu-clock" || p.Event.Unit != profiles.Nanoseconds || p.About.Hz <= 0 || p.About.Hz > 9999 || p.About.CallGraph != "fp" {
		t.Errorf("%+v %+v", p.Event, p.About)
	}
	byName := func(f profiles.Frame) string { return f.Function }
	known(t, "with names", shares(p, byName))
	file, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	note, err := file.Section(".note.gnu.build-id").Data()
	if err != nil {
		t.Fatal(err)
	}
	id := hex.EncodeToString(note[16:])
	seen := false
	for _, f := range p.Frames {
		if f.Object == exe {
			if seen = true; f.BuildID != id {
				t.Errorf("build id %q of %+v, want %s", f.BuildID, f, id)
			}
		}
	}
	if !seen {
		t.Errorf("no frame of %s", exe)
	}
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}

	// The same recording, the program having no names.
	root := filepath.Join(dir, "root")
	if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(exe, filepath.Join(root, exe)); err != nil {
		t.Fatal(err)
	}
	set, err = Read(context.Background(), data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	known(t, "by place in the file", shares(set.Profiles[0], func(f profiles.Frame) string {
		if f.Named() || f.Object != exe || !f.InFile {
			return ""
		}
		return symbolAt(file, symbols, f.Address)
	}))

	// And under another root, where it has names.
	set, err = Read(context.Background(), data, Options{SymFS: root})
	if err != nil {
		t.Fatal(err)
	}
	known(t, "under another root", shares(set.Profiles[0], byName))
	for _, f := range set.Profiles[0].Frames {
		if f.Space == profiles.Kernel && f.Named() {
			return
		}
	}
	t.Errorf("under another root no kernel function has a name: %q", set.Warnings)
}

// TestVariants reads the texts that this perf prints of one recording, by what
// it is asked to print.
func TestVariants(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	needs(t, "perf")
	data := record(t, dir, "sh", "-c", loop)
	whole, err := Read(context.Background(), data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	weight, samples := whole.Profiles[0].Total()
	if samples < 20 {
		t.Errorf("only %d samples", samples)
	}
	for _, c := range []struct {
		options string
		periods bool
	}{
		{"", true}, {"--header", true}, {"--ns", true}, {"-F +symoff", true}, {"-F +pid", true}, {"-F +cpu", true}, {"-F -time", true}, {"-F -tid", true},
		{"-F -dso", true}, {"-F -period", false}, {"-F comm,event,period,ip,sym", true}, {"-F comm,event,ip", false}, {"-F event,ip,sym,dso", false},
		{"-F pid,time,event,period,ip,sym,dso", true}, {"-F comm,pid,tid,event,ip,sym,dso", false}, {"-G", true}, {"--show-task-events --show-mmap-events", true},
	} {
		argv := append([]string{"perf", "script", "--no-inline", "-i", data}, strings.Fields(c.options)...)
		out, said, err := child.Output(context.Background(), argv...)
		if err != nil {
			if strings.Contains(said, "do not have CPU attribute") {
				continue // recorded without
			}
			t.Errorf("perf script %s: %v: %s", c.options, err, said)
			continue
		}
		set, err := perfscript.Parse(strings.NewReader(out), perfscript.Options{})
		if err != nil {
			t.Errorf("perf script %s: %v", c.options, err)
			continue
		}
		w, n := set.Profiles[0].Total()
		wantWeight := weight
		if !c.periods {
			wantWeight = samples
		}
		if n != samples || w != wantWeight || len(set.Profiles) != 1 || len(set.Warnings) > 0 {
			t.Errorf("perf script %s: %d samples weigh %d, want %d and %d; %d profiles, warnings %q", c.options, n, w, samples, wantWeight, len(set.Profiles), set.Warnings)
		}
	}
}

// symbolAt is the function at a place in the file, by its table of symbols.
func symbolAt(file *elf.File, symbols []elf.Symbol, offset uint64) string {
	for _, prog := range file.Progs {
		if prog.Type == elf.PT_LOAD && offset >= prog.Off && offset < prog.Off+prog.Filesz {
			addr := offset - prog.Off + prog.Vaddr
			for _, s := range symbols {
				if elf.ST_TYPE(s.Info) == elf.STT_FUNC && addr >= s.Value && addr < s.Value+s.Size {
					return s.Name
				}
			}
		}
	}
	return ""
}

// TestCutOff reads what is left of a recording whose disk ran full.
func TestCutOff(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	needs(t, "perf")
	data := record(t, dir, "sh", "-c", loop)
	whole, err := Read(context.Background(), data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, all := whole.Profiles[0].Total()
	st, err := os.Stat(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []float64{0.999, 0.5, 0.01} {
		size := int64(part * float64(st.Size()))
		if err := os.Truncate(data, size); err != nil {
			t.Fatal(err)
		}
		set, err := Read(context.Background(), data, Options{})
		if err != nil {
			t.Logf("cut at %.1f%%: %v", 100*part, err)
			if !strings.Contains(err.Error(), data) {
				t.Errorf("the error does not name the file: %v", err)
			}
			continue
		}
		_, n := set.Profiles[0].Total()
		t.Logf("cut at %.1f%%: %d of %d samples, %q", 100*part, n, all, set.Warnings)
		if n < all && len(set.Warnings) == 0 {
			t.Errorf("cut at %.1f%%: %d of %d samples, and no warning", 100*part, n, all)
		}
	}
}
