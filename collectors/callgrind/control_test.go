package callgrind

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"opcost/collectors"
	"opcost/collectors/child"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// sleeper is a program under callgrind that does nothing, started through a
// launcher, and its target.
func sleeper(t *testing.T, launcher ...string) (Wrapper, collectors.Target) {
	t.Helper()
	live(t, "valgrind", "vgdb", "env", "sleep")
	dir := t.TempDir()
	w := Wrapper{Dir: filepath.Join(dir, "a [b] c")} // no name is too odd
	if err := os.Mkdir(w.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if launcher != nil { // another user writes there
		for _, d := range []string{w.Dir, dir, filepath.Dir(dir)} {
			if err := os.Chmod(d, 0o777); err != nil {
				t.Fatal(err)
			}
		}
	}
	p, err := child.Start(child.Spec{Argv: append(launcher, w.Wrap([]string{"env", "sleep", "600"})...)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop(syscall.SIGKILL, time.Minute) })
	target := collectors.Target{PID: p.PID(), PIDFD: -1, Evidence: t.TempDir(), Tag: "w"}
	for { // until valgrind runs sleep
		select {
		case <-p.Done():
			t.Fatalf("valgrind ended: %v", p.Err())
		case <-time.After(20 * time.Millisecond):
		}
		cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID()))
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID()))
		if strings.HasSuffix(string(cmdline), "/sleep\x00600\x00") && strings.Contains(string(stat), ") S ") {
			return w, target
		}
	}
}

// TestWindow is a whole window on a program of one thread.
func TestWindow(t *testing.T) {
	t.Parallel()
	w, target := sleeper(t)
	ctx := t.Context()
	tests := []struct {
		name   string
		set    func(*collectors.Target)
		known  bool // whether the connections' part can be told
		whyNot string
	}{
		{name: "the thread serves a connection", set: func(t *collectors.Target) { t.ConnTIDs = []int{t.PID} }, known: true},
		{name: "no thread serves one", set: func(t *collectors.Target) { t.ConnTIDs = []int{} }, known: true},
		{name: "another name space", set: func(t *collectors.Target) { t.NSTIDs, t.ConnTIDs = map[int]int{t.PID: 7}, []int{7} }, known: true},
		{name: "unknown with a reason", set: func(t *collectors.Target) { t.ConnTIDsReason = "no privilege" }, whyNot: "no privilege"},
		{name: "unknown without one", set: func(*collectors.Target) {}, whyNot: "not known"},
		{name: "a thread that is none of the server's", set: func(t *collectors.Target) { t.ConnTIDs = []int{t.PID, 1} }, whyNot: "began or ended within the window: 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			target := target
			tt.set(&target)
			armed, err := New(w).Arm(ctx, target, probe.Caps{})
			if err != nil {
				t.Fatal(err)
			}
			if err := armed.Begin(ctx); err != nil {
				t.Fatal(err)
			}
			if err := armed.End(ctx); err != nil {
				t.Fatal(err)
			}
			readings, err := armed.Close()
			if err != nil {
				t.Fatal(err)
			}
			if readings[0].Name != total || readings[0].State != result.OK {
				t.Errorf("%+v", readings[0])
			}
			for _, r := range readings[1:] {
				switch {
				case tt.known && r.State != result.OK:
					t.Errorf("%+v", r)
				case !tt.known && (r.State != result.NotCounted || r.Value != nil || !strings.Contains(r.Reason, tt.whyNot)):
					t.Errorf("%+v does not say %q", r, tt.whyNot)
				}
			}
		})
	}
	files, _ := os.ReadDir(w.Dir)
	for _, f := range files {
		if strings.HasPrefix(f.Name(), dumpName) && strings.Contains(f.Name(), "-") {
			t.Errorf("left behind: %s", f.Name())
		}
	}
}

// A window that is given up leaves the server without instrumentation, and
// readings that say that there is none.
func TestCloseEarly(t *testing.T) {
	t.Parallel()
	w, target := sleeper(t)
	ctx := t.Context()
	for _, begun := range []bool{false, true} {
		c, err := New(w).Arm(ctx, target, probe.Caps{})
		if err != nil {
			t.Fatal(err)
		}
		if begun {
			if err := c.Begin(ctx); err != nil {
				t.Fatal(err)
			}
		} else if err := c.End(ctx); err == nil {
			t.Error("End without Begin gives no error")
		}
		readings, err := c.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range readings {
			if r.State != result.NotCounted || r.Value != nil || r.Reason == "" {
				t.Errorf("%+v", r)
			}
		}
		reply, err := c.(*armed).control.send(ctx, "instrumentation")
		if on, err2 := instrumented(reply); on || err != nil || err2 != nil {
			t.Errorf("instrumentation %v, %v, %v", on, err, err2)
		}
	}
}

func TestCloseBadDump(t *testing.T) {
	t.Parallel()
	w, target := sleeper(t)
	tests := []struct {
		name, want string
		spoil      func(path string) error
	}{
		{"cut short", "cut short", func(path string) error {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			before, _, _ := strings.Cut(string(b), "totals:")
			return os.WriteFile(path, []byte(before), 0o600)
		}},
		{"gone", "wrote no dump", os.Remove},
		{"nonsense", "line 1", func(path string) error { return os.WriteFile(path, []byte("fn=x\n"), 0o600) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := New(w).Arm(t.Context(), target, probe.Caps{})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(a.Begin(t.Context()), a.End(t.Context())); err != nil {
				t.Fatal(err)
			}
			dumps, err := readDumps(w.Dir, target.PID, hint(target.Tag))
			if err != nil || len(dumps) != 1 {
				t.Fatalf("%v, %v", dumps, err)
			}
			if err := tt.spoil(dumps[0].path); err != nil {
				t.Fatal(err)
			}
			defer os.Remove(dumps[0].path)
			readings, err := a.Close()
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v does not say %q", err, tt.want)
			}
			for _, r := range readings {
				if r.State != result.Failed || r.Value != nil || !strings.Contains(r.Reason, tt.want) {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

// refused checks that arming is refused with a reason and a remedy.
func refused(t *testing.T, c collectors.Collector, target collectors.Target, want string) {
	t.Helper()
	_, err := c.Arm(t.Context(), target, probe.Caps{})
	var un *collectors.Unsupported
	if !errors.As(err, &un) || un.Reason == "" || un.Remedy == "" || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v: no *Unsupported with %q", err, want)
	}
}

func TestArmWithoutValgrind(t *testing.T) {
	refused(t, New(Wrapper{Valgrind: filepath.Join(t.TempDir(), "valgrind")}), collectors.Target{PID: os.Getpid()}, "apt-get install valgrind")
}

func TestArmOnAnotherProcess(t *testing.T) {
	live(t, "valgrind", "vgdb")
	refused(t, New(Wrapper{Dir: t.TempDir()}), collectors.Target{PID: os.Getpid()}, "not started under valgrind")
}

// A server that valgrind started as root and that then became another user
// would be hung by vgdb: it must be refused before.
func TestArmOnAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can start a process as another user")
	}
	live(t, "setpriv")
	w, target := sleeper(t, "setpriv", "--reuid=65534", "--clear-groups")
	refused(t, New(w), target, "--user=root")
}

// Without the right to stop the process, vgdb cannot make an idle one listen:
// the error must say what takes that right.
func TestArmWithoutPtrace(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root has the capability that is taken away here")
	}
	live(t, "setpriv")
	w, target := sleeper(t)
	vgdb, err := exec.LookPath("vgdb")
	if err != nil {
		t.Fatal(err)
	}
	w.Valgrind = fakeVgdb(t, `exec setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace `+vgdb+` "$@"`)
	refused(t, collector{w: w, timeout: 2 * time.Second}, target, "yama")
}

// fakeVgdb puts a script beside a valgrind of the same folder.
func fakeVgdb(t *testing.T, script string) (valgrind string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"vgdb", "valgrind"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "valgrind")
}

func TestArmWithBadVgdb(t *testing.T) {
	t.Parallel()
	w, target := sleeper(t)
	tests := []struct{ name, script, want string }{
		{"hangs", "sleep 600", "did not answer"},
		{"fails", "echo vgdb error: no FIFO found matching pid 9 >&2; exit 1", "no FIFO found"},
		{"another tool", "echo \"command 'instrumentation' not recognised\"", "not recognised"},
		{"says nothing", "exit 0", "is its tool callgrind?"},
		{"does not obey", "echo instrumentation: on", "did not switch instrumentation off"},
		{"no threads", "echo instrumentation: off", "list of threads is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := w
			w.Valgrind = fakeVgdb(t, tt.script)
			timeout := replyWithin
			if tt.name == "hangs" {
				timeout = 100 * time.Millisecond
			}
			refused(t, collector{w: w, timeout: timeout}, target, tt.want)
		})
	}
}
