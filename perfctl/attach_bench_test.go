package perfctl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"opcost/collectors"
	"opcost/collectors/child"
	"opcost/collectors/perfstat"
	"opcost/collectors/probe"
	"opcost/collectors/proc"
	"opcost/perfctl/result"
	"opcost/perfctl/server"
	"opcost/perfctl/window"
	"opcost/perfctl/workload"
	"opcost/testbed/figures"
)

// TestBenchAttach is what attaching costs the server: what counters add to a
// context switch, in a pinned ping-pong with and without them, times the
// switches of a query. A round trip of the ping-pong has two
// switches and four system calls, so what counters add to these is within what
// they add to a switch.
func TestBenchAttach(t *testing.T) {
	needsBench(t)
	ctx := context.Background()
	caps := probe.Ask(ctx)
	s := liveLoad(t)
	w := s.attach(t, caps, 4*time.Second)
	n := float64(w.Ops.N())
	switches, _ := value(w, "context_switches")
	cpu, _ := value(w, "cpu_us")
	t.Logf("the load: %.0f queries/s, %.2f us of CPU and %.2f context switches a query", n/time.Duration(w.DurationNS).Seconds(), cpu/n, switches/n)

	pong := pingPong(t)
	_, used := attached(AttachOptions{Target: s.target(t), Caps: caps})
	for _, c := range []struct {
		what string
		sets []perfstat.EventSet
		used bool
	}{
		{"perf's counters of an attach (" + orNone(used) + ")", hardwareOnly(perfstat.Sets(caps)), true},
		{"perf's software events, which an attach leaves out", []perfstat.EventSet{{Name: "software", Groups: [][]string{{"task-clock"}, {"context-switches"}, {"cpu-migrations"}, {"page-faults"}}}}, false},
		{"system calls, by --syscalls alone", syscallSets(caps), false},
	} {
		added, low, high := 0.0, 0.0, 0.0
		if len(c.sets) > 0 {
			var err error
			if added, low, high, err = pong.added(t, caps, c.sets[0]); err != nil {
				t.Logf("%s: cannot be measured now: %v", c.what, err)
				if c.used {
					t.Fail()
				}
				continue
			}
		}
		share := added / 1000 * switches / cpu
		t.Logf("%s: %.0f ns a switch (%.0f to %.0f), %.2f%% of CPU/query", c.what, added, low, high, 100*share)
		f := figures.Figure{Name: "attach: added to CPU/query by " + c.what, Seen: fmt.Sprintf("%.2f%% (%.0f ns a switch, %.0f to %.0f)", 100*share, added, low, high)}
		if len(c.sets) == 0 {
			f.Absent = "this machine has no such event"
		}
		if c.used {
			f.Limit, f.Met = "1%", share <= 0.01
		}
		figures.Say(t, f)
		if c.used && share > 0.01 {
			t.Errorf("attaching costs %.2f%% of CPU/query, over 1%%", 100*share)
		}
	}
}

// TestBenchAttachLoad compares CPU/query of a live load with and without an
// attach, read by hand, in the order A B B A; the thread that serves the attach
// is told apart.
func TestBenchAttachLoad(t *testing.T) {
	needsBench(t)
	s := liveLoad(t)
	caps := probe.Ask(context.Background())
	var own time.Duration
	var ratios []float64
	for range 8 {
		var with, without float64
		for _, attach := range []bool{true, false, false, true} {
			cost, ours := s.byHand(t, func() {
				if attach {
					s.attach(t, caps, pairLength)
				} else {
					time.Sleep(pairLength)
				}
			})
			if attach {
				own += ours
				with += cost
			} else {
				without += cost
			}
		}
		ratios = append(ratios, math.Log(with/without))
	}
	mean, half := paired(ratios)
	figures.Say(t, figures.Figure{Name: fmt.Sprintf("attach: CPU/query of a live load with windows of %v over without", pairLength),
		Seen: fmt.Sprintf("%+.2f%% (%+.2f%% to %+.2f%%, 95%%, %d pairs)", 100*(math.Exp(mean)-1), 100*(math.Exp(mean-half)-1), 100*(math.Exp(mean+half)-1), len(ratios))})
	figures.Say(t, figures.Figure{Name: "attach: server's CPU for its statements, arming too", Seen: fmt.Sprint((own / time.Duration(2*len(ratios))).Round(10 * time.Microsecond))})
}

func needsBench(t *testing.T) {
	t.Helper()
	if os.Getenv("OPCOST_BENCH") == "" {
		t.Skip("it takes a minute: `make bench`, or OPCOST_BENCH=1, runs it")
	}
	for _, need := range []string{"sysbench", "perf"} {
		if _, err := exec.LookPath(need); err != nil {
			t.Fatal(err)
		}
	}
}

// pairLength is a short window: all that arming sends weighs more in it than in
// one of 10 s.
const pairLength = 2500 * time.Millisecond

func orNone(set string) string {
	if set == "" {
		return "none on this machine: procfs has the same but for the hardware's"
	}
	return set
}

func syscallSets(caps probe.Caps) []perfstat.EventSet {
	s, err := perfstat.SyscallSet(caps)
	if err != nil {
		return nil
	}
	return []perfstat.EventSet{s}
}

// paired is the mean of differences with half its 95% interval (Student's t for
// 7 degrees of freedom; there are 8).
func paired(d []float64) (mean, half float64) {
	for _, x := range d {
		mean += x / float64(len(d))
	}
	square := 0.0
	for _, x := range d {
		square += (x - mean) * (x - mean)
	}
	return mean, 2.365 * math.Sqrt(square/float64(len(d)-1)/float64(len(d)))
}

// pong is two threads of one process that wake each other on one CPU.
type pong struct{ pid int }

func pingPong(t *testing.T) pong {
	t.Helper()
	p, err := child.Start(child.Spec{Argv: []string{"perf", "bench", "sched", "pipe", "-T", "-l", "100000000"}, CPUs: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop(syscall.SIGKILL, time.Second) })
	time.Sleep(300 * time.Millisecond)
	return pong{p.PID()}
}

// perSwitch is the CPU time of a switch, in nanoseconds, over a while. That of
// others on the same CPU is not in it.
func (p pong) perSwitch(t *testing.T, more ...collectors.Collector) (float64, error) {
	t.Helper()
	pass := Pass{Length: window.Length{Duration: 300 * time.Millisecond}, Collectors: append(more, proc.New()), Caps: probe.Caps{}}
	for _, c := range more {
		if c, ok := c.(counting); ok {
			pass.Caps = c.caps
		}
	}
	w, err := Measure(context.Background(), collectors.Target{PID: p.pid, PIDFD: -1, ConnTIDsReason: "none", Evidence: t.TempDir(), Tag: "w"}, pass, Seconds{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	cpu, ok := value(w, "cpu_us")
	n, ok2 := value(w, "context_switches")
	if !ok || !ok2 || n < 1000 {
		t.Fatalf("the ping-pong: %v us, %v switches", cpu, n)
	}
	for _, r := range w.Readings {
		if strings.HasPrefix(r.Name, "collector_") {
			return 0, errors.New(r.Reason)
		}
	}
	return cpu * 1000 / n, nil
}

// counting is perf with what the machine can, which it must be told.
type counting struct {
	collectors.Collector
	caps probe.Caps
}

// added is by how much a switch is dearer with the counters, in nanoseconds:
// the median, the least and the most of 5 pairs.
func (p pong) added(t *testing.T, caps probe.Caps, set perfstat.EventSet) (median, low, high float64, failed error) {
	t.Helper()
	with := counting{perfstat.New(set), caps}
	var d []float64
	for i := range 5 {
		var both [2]float64 // without, with
		for j := range both {
			k := (i + j) % 2
			var more []collectors.Collector
			if k == 1 {
				more = append(more, with)
			}
			if both[k], failed = p.perSwitch(t, more...); failed != nil {
				return 0, 0, 0, failed
			}
		}
		d = append(d, both[1]-both[0])
	}
	slices.Sort(d)
	return d[2], d[0], d[4], nil
}

// loaded is a server under sysbench.
type loaded struct{ inst *server.Instance }

func liveLoad(t *testing.T) loaded {
	t.Helper()
	ctx := context.Background()
	path, err := exec.LookPath("mariadbd")
	if err != nil {
		path = "/usr/sbin/mariadbd"
	}
	site, err := server.Open(ctx, server.Spec{Name: "live", Mysqld: path, Options: []string{"performance-schema=ON"}}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := site.Initialise(ctx); err != nil {
		t.Fatal(err)
	}
	inst, err := site.Start(ctx, server.StartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = inst.Stop(ctx) })
	access := workload.Access{Network: "unix", Addr: inst.Socket(), User: inst.User(), Database: "sbtest", Charset: "latin1", Protocol: workload.Prepared}
	if err := workload.Load(ctx, access, workload.Data{Tables: 1, Rows: 1000, Seed: 1}, nil); err != nil {
		t.Fatal(err)
	}
	load, err := child.Start(child.Spec{Argv: strings.Fields("sysbench oltp_point_select --tables=1 --table-size=1000 --threads=1 --time=600 " +
		"--mysql-user=root --mysql-db=sbtest --mysql-socket=" + inst.Socket() + " run")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = load.Stop(syscall.SIGKILL, time.Second) })
	time.Sleep(time.Second)
	return loaded{inst}
}

func (l loaded) target(t *testing.T) collectors.Target {
	return collectors.Target{PID: l.inst.PID(), StartTicks: l.inst.StartTicks(), PIDFD: -1, SQL: l.inst.Control(), Evidence: t.TempDir(), Tag: "w0", ConnTIDsReason: "not asked"}
}

func (l loaded) attach(t *testing.T, caps probe.Caps, length time.Duration) result.Window {
	t.Helper()
	o := AttachOptions{Target: l.target(t), Caps: caps, Length: length, Detail: true}
	o.Ops, _ = OpsBy("statement", o.Target.SQL)
	w, err := Attach(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// byHand is the CPU of the server's threads a statement of the load's, in
// microseconds, while something happens, and the CPU of the thread that serves
// our connection.
func (l loaded) byHand(t *testing.T, something func()) (cost float64, ours time.Duration) {
	t.Helper()
	rows, err := l.inst.Control().Query(context.Background(), "SELECT TID FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID()")
	if err != nil {
		t.Fatal(err)
	}
	own := rows[0][0]
	read := func() (cpu, n, mine float64) {
		rows, err := l.inst.Control().Query(context.Background(), "SHOW GLOBAL STATUS LIKE 'Questions'")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(rows[0][1], &n); err != nil {
			t.Fatal(err)
		}
		tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", l.inst.PID()))
		for _, e := range tasks {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/schedstat", l.inst.PID(), e.Name()))
			var ns float64
			if err == nil {
				_, err = fmt.Sscan(string(text), &ns)
			}
			if err != nil {
				t.Fatal(err)
			}
			if e.Name() == own {
				mine = ns
			} else {
				cpu += ns / 1e3
			}
		}
		return cpu, n - float64(l.inst.Control().Statements()), mine
	}
	cpu, n, mine := read()
	something()
	cpu2, n2, mine2 := read()
	if n2-n < 1000 {
		t.Fatalf("%v statements: no load", n2-n)
	}
	return (cpu2 - cpu) / (n2 - n), time.Duration(mine2 - mine)
}
