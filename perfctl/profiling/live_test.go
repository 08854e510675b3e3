package profiling

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"opcost/collectors"
	"opcost/collectors/probe"
	"opcost/collectors/record"
	"opcost/profiles"
)

// spinning is a program whose functions' names can be looked for.
const spinning = `
volatile long x;
__attribute__((noinline)) static void named_work(void) { for (long i = 0; i < 1000000; i++) x += i; }
int main(void) { for (;;) named_work(); }
`

// needs skips a live test on a machine without a program, unless the set-up has
// installed everything.
func needs(t *testing.T, names ...string) {
	t.Helper()
	for _, n := range names {
		if _, err := exec.LookPath(n); err != nil {
			if os.Getenv("OPCOST_TEST_ALL") != "" && n == "perf" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
}

// TestLiveRoot: names of a program that sees other files than we do are found,
// in a mount namespace of its own (a container) and after a chroot alone.
func TestLiveRoot(t *testing.T) {
	needs(t, "perf", "gcc", "unshare", "pivot_root")
	if os.Getuid() != 0 {
		t.Skip("only root may change a program's root")
	}
	caps := probe.Ask(t.Context())
	if !caps.Perf.Control.OK {
		t.Skip(caps.Perf.Control.Reason)
	}
	root := t.TempDir()
	source := write(t, filepath.Join(t.TempDir(), "s.c"), spinning)
	if b, err := exec.Command("gcc", "-O1", "-fno-omit-frame-pointer", "-static", "-o", filepath.Join(root, "spinning"), source).CombinedOutput(); err != nil {
		t.Skipf("no static program can be built here: %v %s", err, b)
	}
	chroot := exec.Command("/spinning")
	chroot.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	chroot.Dir = "/"
	const pivot = `mount -t tmpfs none "$1" && cp "$2" "$1/spinning" && mkdir "$1/old" && cd "$1" && pivot_root . old && cd / && exec /spinning`
	container := exec.Command("unshare", "--mount", "sh", "-ec", pivot, "sh", t.TempDir(), filepath.Join(root, "spinning"))
	for _, c := range []struct {
		name string
		cmd  *exec.Cmd
	}{{"chroot", chroot}, {"container", container}} {
		t.Run(c.name, func(t *testing.T) {
			data := sampledData(t, caps, c.cmd)
			out := filepath.Join(t.TempDir(), "p.pb.gz")
			warnings, err := Sampled(t.Context(), Input{Data: []string{data}, Out: out, Perf: caps.Perf.Path, PID: c.cmd.Process.Pid})
			if err != nil || len(warnings) > 0 {
				t.Fatal(err, warnings)
			}
			if s := shareOf(readBack(t, out), "named_work"); s < 0.8 {
				t.Errorf("named_work has %.0f%%", 100*s)
			}
			// perf finds its way into another namespace too, where it may; whoever
			// reads the program's file does not.
			want := ""
			if c.cmd == container {
				want = fmt.Sprintf("/proc/%d/root", c.cmd.Process.Pid)
			}
			if got := rootOf(c.cmd.Process.Pid); got != want {
				t.Errorf("its root is %q, want %q", got, want)
			}
			name, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", c.cmd.Process.Pid))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := table(want, name); err != nil {
				t.Error(err)
			}
		})
	}
}

// sampledData starts a program and samples it for half a second.
func sampledData(t *testing.T, caps probe.Caps, cmd *exec.Cmd) (data string) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for range 1000 { // until a shell has become the program
		if comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", cmd.Process.Pid)); string(comm) == "spinning\n" {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	target := collectors.Target{PID: cmd.Process.Pid, Evidence: t.TempDir(), Tag: "profile"}
	a, err := record.New(record.Options{Event: record.ClockEvent}).Arm(t.Context(), target, caps)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	if err := a.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	readings, err := a.Close()
	if r := record.Samples(readings); err != nil || r.Value == nil || *r.Value == 0 {
		t.Fatal(readings, err)
	}
	return filepath.Join(target.Evidence, record.DataFile("profile"))
}

// shareOf is a function's own share of the weight.
func shareOf(p *profiles.Profile, function string) float64 {
	total, _ := p.Total()
	var own int64
	for _, s := range p.Stacks {
		if len(s.Frames) > 0 && p.Frames[s.Frames[0]].Function == function {
			own += s.Weight
		}
	}
	return float64(own) / float64(total)
}
