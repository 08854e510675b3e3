package threads

import (
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"opcost/collectors/internal/testserver"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// software counts, in place of instructions and cycles, what this kernel counts
// on any machine, and what a second source says too: CPU time and switches.
var software = [2]event{
	{unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK},
	{unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_CONTEXT_SWITCHES},
}

func counted(o Options) collector {
	o.Perf = true
	c := New(o).(collector)
	c.events = software
	return c
}

func able() (c probe.Caps) {
	c.Perf.PMU.OK = true
	return c
}

const busy = "select benchmark(20000000, 1+1) as b, 'my secret' as s"

func TestLiveServer(t *testing.T) {
	s := testserver.Start(t, "--performance-schema=ON")
	target := s.Target(t)
	conn, idle := s.Control(t), s.Control(t)
	conn.Exec(t, "create database d", "use d")
	idle.Exec(t, "select 1")
	tid := testserver.ThreadOf(t, conn)
	var id uint64
	rows, err := conn.Query(t.Context(), "select connection_id()")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(rows[0][0], &id); err != nil {
		t.Fatal(err)
	}

	t.Run("busy thread", func(t *testing.T) {
		before := schedstat(t, s.PID, tid)
		rs, rows := measure(t, counted(Options{}), target, able(), func() {
			conn.Exec(t, busy)
			for range 300 { // each makes the thread wait for the next
				conn.Exec(t, "select 1")
			}
		})
		by := schedstat(t, s.PID, tid) - before
		r := rows[0]
		t.Logf("%+v; schedstat %.0f us", r, by)
		if r.TID != tid || r.Connection != id || r.User != "root" || r.DB != "d" || r.Command != "Sleep" || r.State != result.OK {
			t.Errorf("first is %+v, want thread %d of connection %d", r, tid, id)
		}
		if math.Abs(r.CPUUS/by-1) > 0.02 || by < 20_000 {
			t.Errorf("%.0f us of CPU, schedstat by another reader says %.0f", r.CPUUS, by)
		}
		if r.Instructions == nil || r.Cycles == nil {
			t.Fatalf("%+v: not counted", r)
		}
		// perf's clock goes on while the hypervisor has the CPU, and while threads
		// are switched: on a crowded machine it is ahead.
		t.Logf("task-clock is %+.2f%% off the scheduler's", 100*(*r.Instructions/1e3/r.CPUUS-1))
		if math.Abs(*r.Instructions/1e3/r.CPUUS-1) > 0.25 || r.RunningFraction != 1 {
			t.Errorf("task-clock by perf_event_open is %.0f us, want %.0f", *r.Instructions/1e3, r.CPUUS)
		}
		if got, want := *r.Cycles, r.Voluntary+r.Involuntary; math.Abs(got-want) > 2 || want < 200 {
			t.Errorf("%g switches by perf_event_open, %g by status", got, want)
		}
		is(t, rs, "threads_joined", result.OK, 3)
		is(t, rs, "threads_counted", result.OK, float64(len(rows)))
		own, names := 0, 0
		for _, r := range rows {
			if r.Own {
				own++
			}
			if strings.HasPrefix(r.Name, "thread/innodb/") {
				names++
			}
		}
		if own != 1 || names == 0 {
			t.Errorf("%d own threads and %d with InnoDB's names in %+v", own, names, rows)
		}
	})

	t.Run("statement", func(t *testing.T) {
		for _, literals := range []bool{false, true} {
			var wg sync.WaitGroup
			_, rows := measure(t, New(Options{Literals: literals}), target, probe.Caps{}, func() {
				before := schedstat(t, s.PID, tid)
				wg.Go(func() { _, _ = conn.Query(t.Context(), "select sleep(0.4), benchmark(60000000, 1+1), 'my secret'") })
				for schedstat(t, s.PID, tid) < before+20 {
					time.Sleep(time.Millisecond)
				}
				time.Sleep(20 * time.Millisecond)
			})
			wg.Wait()
			r := row(t, rows, tid)
			if r.Command != "Query" || !strings.Contains(r.Statement, "benchmark") || strings.Contains(r.Statement, "secret") != literals {
				t.Errorf("literals %v: %+v", literals, r)
			}
		}
	})

	t.Run("chosen", func(t *testing.T) {
		// The busy one is among the two that may be counted.
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = conn.Query(t.Context(), "select benchmark(300000000, 1+1)") })
		rs, rows := measure(t, counted(Options{Max: 2}), target, able(), func() {
			idle.Exec(t, busy)
		})
		wg.Wait()
		is(t, rs, "threads_counted", result.Partial, *rs["threads_counted"].Value, "2 of", "limit given")
		if r := row(t, rows, tid); r.Instructions == nil || *r.Instructions == 0 {
			t.Errorf("%+v: the busiest thread was not counted", r)
		}
		if r := row(t, rows, testserver.ThreadOf(t, idle)); r.Instructions != nil || !strings.Contains(r.Reason, "busiest") {
			t.Errorf("%+v: want no count, and why", r)
		}
	})

	t.Run("few descriptors", func(t *testing.T) {
		var l unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
			t.Fatal(err)
		}
		used, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		low := l
		low.Cur = uint64(len(used) + spare + 7) // three threads, and one too few for a fourth
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &low); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.Setrlimit(unix.RLIMIT_NOFILE, &l) }()
		// A longer choice than its begin: the load runs already.
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = conn.Query(t.Context(), "select benchmark(200000000, 1+1)") })
		c := counted(Options{})
		a, err := c.Arm(t.Context(), target, able())
		wg.Wait()
		if err != nil {
			t.Fatal(err)
		}
		p := a.(*armed).perf
		if len(p.groups) != 3 || !strings.Contains(p.dropped, "ulimit -n") {
			t.Errorf("%d threads are counted (%s), want 3", len(p.groups), p.dropped)
		}
		if _, there := p.groups[tid]; !there {
			t.Error("the busiest is not among them")
		}
		if _, err := a.Close(); err != nil {
			t.Error(err)
		}
		if now, _ := os.ReadDir("/proc/self/fd"); len(now) > len(used) {
			t.Errorf("%d descriptors are open after Close, %d before Arm", len(now), len(used))
		}
	})

	t.Run("thread ends", func(t *testing.T) {
		other := s.Control(t)
		tid := testserver.ThreadOf(t, other)
		conn.Exec(t, "set global thread_cache_size = 0")
		_, rows := measure(t, counted(Options{}), target, able(), func() {
			other.Exec(t, busy)
			_ = other.DB.Close()
			for exists(s.PID, tid) {
				time.Sleep(time.Millisecond)
			}
		})
		if r := row(t, rows, tid); r.State != result.Failed || r.Instructions == nil || *r.Instructions < 10e6 || r.Connection == 0 {
			t.Errorf("%+v: want that it ended, with what perf counted of it", r)
		}
	})

	t.Run("no hardware counters", func(t *testing.T) {
		caps := probe.Caps{}
		caps.Perf.PMU.Reason, caps.Perf.PMU.Remedy = "the hypervisor hides them", "measure elsewhere"
		rs, rows := measure(t, New(Options{Perf: true}), target, caps, func() {})
		is(t, rs, "threads_counted", result.Unsupported, 0, "hypervisor", "elsewhere")
		if rows[0].Instructions != nil {
			t.Errorf("%+v", rows[0])
		}
		// What the machine really says, asked against its own word.
		c := New(Options{Perf: true}).(collector)
		rs, _ = measure(t, c, target, able(), func() { conn.Exec(t, busy) })
		if r := rs["threads_counted"]; r.State == result.Unsupported {
			t.Logf("no hardware counters here: %s", r.Reason)
			if !strings.Contains(r.Reason, "perf_event_open") {
				t.Errorf("%+v", r)
			}
		}
	})

	t.Run("no PROCESS", func(t *testing.T) {
		conn.Exec(t, "create user nobody@localhost")
		target := target
		target.SQL = s.ControlAs(t, "nobody")
		rs, rows := measure(t, New(Options{}), target, probe.Caps{}, func() { conn.Exec(t, busy) })
		is(t, rs, "threads_joined", result.Partial, 1, "GRANT PROCESS")
		if rows[0].TID != tid || rows[0].Connection != 0 {
			t.Errorf("%+v, want the busy thread without its connection", rows[0])
		}
	})
}

// TestLiveMySQL is for the names and ids that MariaDB says otherwise.
func TestLiveMySQL(t *testing.T) {
	s := testserver.StartMySQL(t)
	target := s.Target(t)
	conn := s.Control(t)
	rs, rows := measure(t, counted(Options{}), target, able(), func() { conn.Exec(t, busy) })
	r := rows[0]
	if r.Connection == 0 || r.User != "root" || r.Name != "thread/sql/one_connection" || r.Own {
		t.Errorf("%+v, want the busy connection", r)
	}
	if *rs["threads_joined"].Value < 2 {
		t.Errorf("%+v", rs)
	}
}

func schedstat(t *testing.T, pid, tid int) (cpuUS float64) {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/schedstat", pid, tid))
	if err != nil {
		t.Fatal(err)
	}
	var ns float64
	if _, err := fmt.Sscan(string(b), &ns); err != nil {
		t.Fatal(err)
	}
	return ns / 1e3
}

func exists(pid, tid int) bool {
	ts, err := procfs.AllThreads(pid)
	if err != nil {
		return false
	}
	for _, p := range ts {
		if p.PID == tid {
			return true
		}
	}
	return false
}
