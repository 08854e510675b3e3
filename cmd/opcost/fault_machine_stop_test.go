package main

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"opcost/perfctl/result"
)

// stopFor stops a process and has it go on after so long.
func (f *faulty) stopFor(pid int, length time.Duration) {
	f.t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		f.t.Fatal(err)
	}
	eventually(f.t, "it is stopped", func() bool {
		p, err := procfs.NewProc(pid)
		if err != nil {
			f.t.Fatal(err)
		}
		stat, err := p.Stat()
		return err == nil && stat.State == "T"
	})
	time.Sleep(length)
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		f.t.Fatal(err)
	}
}

// oneWindow is the only window of the one run, and its checks by name.
func (f *faulty) oneWindow() (w result.Window, checks map[string]result.Quality) {
	f.t.Helper()
	r, ok := f.runs()[1]
	if !ok || len(r.Passes) != 1 || len(r.Passes[0].Windows) != 1 {
		f.t.Fatalf("not one window: %+v", r.Passes)
	}
	w, checks = r.Passes[0].Windows[0], map[string]result.Quality{}
	for _, q := range w.Quality {
		checks[q.Name] = q
	}
	return w, checks
}

// trueTime: the window's length is that of a clock beside it, to what a busy
// machine takes for the edges, and its rate is what was done in that time.
func (f *faulty) trueTime(w result.Window, least, most time.Duration) {
	f.t.Helper()
	if d := time.Duration(w.DurationNS); d < least || d > most {
		f.t.Errorf("the window lasted %v, not %v to %v", d, least, most)
	}
	qps := f.row(1)["qps"]
	if want := float64(w.Ops.N()) / (float64(w.DurationNS) / 1e9); qps.Value == nil || *qps.Value < want*0.999 || *qps.Value > want*1.001 {
		f.t.Errorf("qps %+v, want %g", qps, want)
	}
}

const stoppable = oneVersion + "duration: 6s\nrepeats: 1\ncounters: none\n"

// TestFaultStoppedOpcost: opcost is stopped for a part of a window, and its load
// with it. The window's time is true, and marked.
func TestFaultStoppedOpcost(t *testing.T) {
	f := fault(t, stoppable)
	c := f.start()
	c.until("window 1 of")
	time.Sleep(time.Second)
	began := time.Now()
	f.stopFor(c.cmd.Process.Pid, 3*time.Second)
	stopped := time.Since(began)
	o := f.ends(c, exitDone)
	w, checks := f.oneWindow()
	f.trueTime(w, 6*time.Second, 6*time.Second+patience)
	q, there := checks["stopped"]
	// It is seen from one beat to the next, a quarter of a second apart.
	if got := time.Duration(q.Value * float64(w.DurationNS)); !there || q.OK || got < stopped-time.Second || got > stopped+5*time.Second {
		t.Errorf("stopped for %v, and the check is %+v (%v)", stopped, q, got)
	}
	said(t, "the table", o.stdout+o.stderr, "opcost stood still for")
	f.whole(f.row(1), "qps", "cpu_us_per_query")
}

// TestFaultStoppedPerf: perf is stopped in a window and goes on in it. The kernel
// counts meanwhile, so nothing is missing.
func TestFaultStoppedPerf(t *testing.T) {
	f := fault(t, strings.Replace(stoppable, "none", "auto", 1), "perf")
	noValgrind(f)
	c := f.start()
	c.until("window 1 of")
	time.Sleep(time.Second)
	f.stopFor(f.process(c, "perf", "stat").pid, 2*time.Second)
	f.ends(c, exitDone)
	w, _ := f.oneWindow()
	value := map[string]float64{}
	for _, r := range w.Readings {
		if r.Value != nil && r.State == result.OK {
			value[r.Name] = *r.Value
		}
	}
	// Two clocks of the same CPU time: perf's, and the process clock that was
	// read around it. docs/quality.md says how far they may be apart.
	if perf, clock := value["task_clock_us"], value["cpu_us"]; perf < clock*0.7 || perf > clock*1.3 || clock == 0 {
		t.Errorf("perf counted %g us of CPU, the process clock %g", perf, clock)
	}
	f.trueTime(w, 6*time.Second, 6*time.Second+patience)
}

// TestFaultStoppedServer: the server stands still for a third of a window. The
// response times and a check say so.
func TestFaultStoppedServer(t *testing.T) {
	f := fault(t, stoppable)
	c := f.start()
	c.until("window 1 of")
	time.Sleep(time.Second)
	f.stopFor(f.process(c, "mariadbd", "--datadir").pid, 2500*time.Millisecond)
	o := f.ends(c, exitDone)
	w, checks := f.oneWindow()
	f.trueTime(w, 6*time.Second, 6*time.Second+patience)
	if w.Latency == nil || w.Latency.MaxUS < 2.4e6 {
		t.Errorf("the longest response: %+v", w.Latency)
	}
	if q := checks["stalled"]; q.OK || q.Value < 0.2 {
		t.Errorf("stalled: %+v", q)
	}
	if q, there := checks["stopped"]; there && !q.OK {
		t.Errorf("opcost was not stopped: %+v", q)
	}
	said(t, "the table", o.stdout+o.stderr, "one statement took")
}

// TestFaultStoppedAttach: opcost is stopped in a window over a load that goes on.
// Counts and time are of the same, longer window.
func TestFaultStoppedAttach(t *testing.T) {
	long(t)
	lacking(t, "mariadbd", "sysbench")
	s := attachable(t)
	s.load(t, 1, 2*time.Minute)
	f := &faulty{t: t, dir: t.TempDir()}
	saved := f.dir + "/baseline.json"
	c := start(t, f.dir, s.attach("--duration", "3s", "--format", "json", "--baseline", saved)...)
	c.until("measuring")
	rate := func() func() float64 { // of the server's statements, by a clock of the test's
		n, began := s.questions(t), time.Now()
		return func() float64 { return (s.questions(t) - n) / time.Since(began).Seconds() }
	}()
	time.Sleep(2 * time.Second) // in the window, or before it
	f.stopFor(c.cmd.Process.Pid, 4*time.Second)
	o := c.wait()
	want := rate()
	r := parseLive(t, o)
	got := r.Operations / r.Seconds
	if r.Seconds < 3 || got < want*0.5 || got > want*2 {
		t.Errorf("%g operations in %g s, and the server did %g a second", r.Operations, r.Seconds, want)
	}
	// CPU/query and QPS together give the CPUs used, which one client cannot have
	// more than two of: its thread's, and some of the background's.
	if cpus := r.metric(t, "cpu_us_per_query") * got / 1e6; cpus <= 0.01 || cpus > 2 {
		t.Errorf("%g CPUs were used by one client's statements", cpus)
	}
	if _, err := os.Stat(saved); err != nil {
		t.Error(err)
	}
}
