package perfstat

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"opcost/collectors"
	"opcost/collectors/internal/testserver"
	"opcost/collectors/probe"
)

// here is this machine, with a perf that counts.
func here(t testing.TB) probe.Caps {
	t.Helper()
	if _, err := exec.LookPath("perf"); err != nil {
		testserver.Lacks(t, "no perf on PATH: apt-get install linux-perf")
	}
	c := probe.Ask(t.Context())
	if !c.Perf.OK || !c.Perf.Control.OK {
		testserver.Lacks(t, "perf does not work here: %+v %+v", c.Perf.Ability, c.Perf.Control)
	}
	return c
}

func arm(t testing.TB, set EventSet, pid int, caps probe.Caps) *armed {
	t.Helper()
	a, err := New(set).Arm(t.Context(), collectors.Target{PID: pid, Evidence: t.TempDir(), Tag: "live"}, caps)
	if err != nil {
		t.Fatal(err)
	}
	return a.(*armed)
}

// within: perf's task-clock and the process clock differ by up to a few percent
// on a machine whose CPUs are stolen; far more on neither side.
func within(t testing.TB, what string, got, low, high, tolerance float64) {
	t.Helper()
	if got < low*(1-tolerance) || got > high*(1+tolerance) {
		t.Errorf("%s: %.0f, want %.0f to %.0f", what, got, low, high)
	}
}

func us(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// Threads that are made and that end inside the window are counted, and
// nothing of before or after is.
func TestLiveCountsThreadsMadeLater(t *testing.T) {
	caps := here(t)
	pid, say := role(t, "spinner")
	say("1 50")
	a := arm(t, softSet, pid, caps)
	say("1 50") // attached, not counting
	before := processClock(t, pid)
	if err := a.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	begun := processClock(t, pid)
	say("4 150")
	ending := processClock(t, pid)
	if err := a.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := processClock(t, pid)
	say("1 50")
	rs, err := a.Close()
	if err != nil {
		t.Fatal(err)
	}
	if after-before < 600*time.Millisecond {
		t.Fatalf("the spinner used %v only", after-before)
	}
	got := value(t, rs, "task_clock_us")
	t.Logf("task-clock %.0f us, process clock %.0f to %.0f us", got, us(ending-begun), us(after-before))
	within(t, "task-clock, us", got, us(ending-begun), us(after-before), 0.05)
	if n := value(t, rs, "perf_context_switches"); n < 4 {
		t.Errorf("%v context switches while 4 threads came and went", n)
	}
}

// Over 50 windows on one perf, what is counted is what was between the
// acknowledgements: a byte of drift or a late command would show in the sum.
func TestLiveEdgesStayExact(t *testing.T) {
	caps := here(t)
	cmd := exec.Command("sh", "-c", "while :; do :; done")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	pid := cmd.Process.Pid
	a := arm(t, softSet, pid, caps)
	var inner, outer, gaps time.Duration
	var edges []time.Duration
	last := processClock(t, pid)
	for range 50 {
		before := processClock(t, pid)
		gaps += before - last
		start := time.Now()
		if err := a.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		edges = append(edges, time.Since(start))
		begun := processClock(t, pid)
		time.Sleep(10 * time.Millisecond)
		ending := processClock(t, pid)
		if err := a.End(t.Context()); err != nil {
			t.Fatal(err)
		}
		last = processClock(t, pid)
		inner += ending - begun
		outer += last - before
		time.Sleep(5 * time.Millisecond)
	}
	rs, err := a.Close()
	if err != nil {
		t.Fatal(err)
	}
	got := value(t, rs, "task_clock_us")
	t.Logf("task-clock %.0f us, process clock %.0f to %.0f us, and %.0f us between the windows; edge %v", got, us(inner), us(outer), us(gaps), median(edges))
	within(t, "task-clock, us", got, us(inner), us(outer), 0.05)
}

// A process that did nothing in the window used no CPU: that is a 0, and known.
func TestLiveIdleProcess(t *testing.T) {
	caps := here(t)
	pid, say := role(t, "spinner")
	say("1 1")
	time.Sleep(50 * time.Millisecond) // the runtime's own threads go to sleep
	a := arm(t, softSet, pid, caps)
	if err := errors.Join(a.Begin(t.Context()), a.End(t.Context())); err != nil {
		t.Fatal(err)
	}
	rs, err := a.Close()
	if err != nil {
		t.Fatal(err)
	}
	if v := value(t, rs, "task_clock_us"); v > 10_000 {
		t.Errorf("an idle process used %v us", v)
	}
}

func TestLiveSyscalls(t *testing.T) {
	caps := here(t)
	set, err := SyscallSet(caps)
	if err != nil {
		t.Skip(err)
	}
	// 300 calls of stat(2), and little else.
	dir := t.TempDir()
	cmd := exec.Command("sh", "-c", `read go; i=0; while [ $i -lt 300 ]; do [ -e `+dir+` ]; i=$((i+1)); done; echo done; read end`)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	a := arm(t, set, cmd.Process.Pid, caps)
	if err := a.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err1 = in.Write([]byte("go\n"))
	_, err2 = out.Read(make([]byte, 5))
	if err := errors.Join(err1, err2, a.End(t.Context())); err != nil {
		t.Fatal(err)
	}
	rs, err := a.Close()
	if err != nil {
		t.Fatal(err)
	}
	if n := value(t, rs, "syscalls"); n < 300 || n > 330 {
		t.Errorf("%v system calls, want 300 and a few", n)
	}
}

func TestLiveNoSuchProcess(t *testing.T) {
	caps := here(t)
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	_, err := New(softSet).Arm(t.Context(), collectors.Target{PID: cmd.Process.Pid}, caps)
	if err == nil || !strings.Contains(err.Error(), "is gone") {
		t.Errorf("got %v", err)
	}
}

// The server ends in the window: what was counted until then is partial. perf
// ends by itself once the process was waited for, and not before.
func TestLiveProcessEndsInTheWindow(t *testing.T) {
	caps := here(t)
	for _, waitedFor := range []bool{false, true} {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		a := arm(t, softSet, cmd.Process.Pid, caps)
		if err := a.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if waitedFor {
			_ = cmd.Wait() // killed, as was wanted
			select {
			case <-a.perf.Done():
			case <-time.After(time.Minute):
				t.Fatal("perf goes on without its process")
			}
		} else {
			time.Sleep(50 * time.Millisecond)
		}
		if err := a.End(t.Context()); err == nil {
			t.Errorf("waited for %v: End knows of nothing", waitedFor)
		}
		rs, err := a.Close()
		if err != nil {
			t.Fatal(err)
		}
		if r := rs[0]; r.State != "partial" || r.Value == nil || *r.Value < 1000 || !strings.Contains(r.Reason, "has ended") {
			t.Errorf("waited for %v: %s %s", waitedFor, brief(r), r.Reason)
		}
		if !waitedFor {
			_ = cmd.Wait()
		}
	}
}

// Instructions of a loop that is three times as long: three times as many. Where
// the machine has a PMU.
func TestLiveHardwareCounters(t *testing.T) {
	caps := here(t)
	if !caps.Perf.PMU.OK {
		t.Skipf("no PMU: %s", caps.Perf.PMU.Reason)
	}
	t.Logf("%d counters", caps.Perf.Counters)
	pid, say := role(t, "spinner")
	var user [2]float64
	for _, set := range Sets(caps) {
		for i, turns := range []string{"0 5000000", "0 15000000"} {
			a := arm(t, set, pid, caps)
			if err := a.Begin(t.Context()); err != nil {
				t.Fatal(err)
			}
			say(turns)
			if err := a.End(t.Context()); err != nil {
				t.Fatal(err)
			}
			rs, err := a.Close()
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, %s:\n%s", set.Name, turns, briefs(rs))
			for _, r := range rs {
				if r.State == "scaled" || r.State == "not_counted" {
					t.Errorf("the set does not fit: %s %s", brief(r), r.Reason)
				}
				if r.Name == "instructions_user" {
					user[i] = value(t, rs, "instructions_user")
				}
			}
			if set.Name == "core" {
				within(t, "sum of user and kernel", value(t, rs, "instructions"), value(t, rs, "instructions_user"), 1.5*value(t, rs, "instructions_user"), 0)
			}
		}
		if user[0] > 0 {
			within(t, "instructions of three times the loop", user[1]/user[0], 3, 3, 0.05)
		}
	}
}

func TestLiveUnknownEventAndUnsupportedGroup(t *testing.T) {
	caps := here(t)
	_, err := New(EventSet{"odd", [][]string{{"no-such-event"}}}).Arm(t.Context(), collectors.Target{PID: os.Getpid()}, caps)
	var u *collectors.Unsupported
	if !errors.As(err, &u) || !strings.Contains(u.Reason, "does not know an event") {
		t.Errorf("unknown event: %v", err)
	}
	if caps.Perf.PMU.OK {
		t.Skip("this machine has a PMU: nothing is unsupported")
	}
	_, err = New(coreSet).Arm(t.Context(), collectors.Target{PID: os.Getpid()}, caps)
	if !errors.As(err, &u) || !strings.Contains(u.Reason, "not supported") {
		t.Errorf("a group without a PMU: %v", err)
	}
	// Alone, each says so, and the rest counts.
	set := EventSet{"mixed", [][]string{{"instructions:u"}, {"task-clock"}}}
	a := arm(t, set, os.Getpid(), caps)
	if err := errors.Join(a.Begin(t.Context()), a.End(t.Context())); err != nil {
		t.Fatal(err)
	}
	rs, err := a.Close()
	if err != nil || rs[0].State != "unsupported" || rs[0].Remedy == "" || rs[1].State != "ok" {
		t.Errorf("%v\n%s", err, briefs(rs))
	}
}

// kill -9 on the process that measures leaves no perf behind.
func TestLivePerfDiesWithUs(t *testing.T) {
	here(t)
	t.Setenv("TMPDIR", t.TempDir()) // who is killed clears nothing up
	target, _ := role(t, "spinner")
	parent, say := role(t, "measurer", strconv.Itoa(target))
	perf, err := strconv.Atoi(say(""))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile("/proc/" + strconv.Itoa(perf) + "/comm"); err != nil || !strings.HasPrefix(string(b), "perf") {
		t.Fatalf("perf is not there: %q %v", b, err)
	}
	if err := syscall.Kill(parent, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(perf) + "/stat")
		if err != nil || strings.Contains(string(b), ") Z ") {
			return
		}
	}
	t.Error("perf outlived its parent")
}
