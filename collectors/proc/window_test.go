package proc

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"opcost/collectors"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

func TestWindow(t *testing.T) {
	f := newFake(t)
	f.thread(100, 10, 1, 1_000_000, 500_000)
	f.thread(101, 20, 2, 2_000_000, 600_000)
	f.thread(102, 0, 0, 0, 0) // has not run yet
	got := f.window([]int{101}, func() {
		f.clockNS += 70_000_123
		f.stat("R", 103, 54, 25, 3, 777)
		f.put("100/io", "rchar: 20480\nwchar: 4096\nsyscr: 9\nsyscw: 3\nread_bytes: 4096\nwrite_bytes: 2048\ncancelled_write_bytes: 1024\n")
		f.put("cg/db/cpu.stat", "nr_throttled 4\nthrottled_usec 149381\n")
		f.thread(100, 11, 1, 11_000_000, 500_000)
		f.thread(101, 120, 7, 52_000_000, 1_600_000)
		f.thread(103, 4, 1, 10_000_000, 30_000) // began in the window
		f.thread(102, 0, 0, 0, 0)
	})
	want(t, got, map[string]float64{
		"cpu_us": 70_000.123, "cpu_user_us": 30_000, "cpu_system_us": 40_000, "page_faults": 22, "page_faults_major": 2,
		"read_kb": 2, "write_kb": 1, "write_cancelled_kb": 1, "read_chars_kb": 10, "write_chars_kb": 0, "read_calls": 4, "write_calls": 1,
		"cgroup_throttled_us": 10_000, "cgroup_throttled_periods": 1,
		"context_switches": 111, "context_switches_voluntary": 105, "context_switches_involuntary": 6,
		"context_switches_connection": 105, "context_switches_background": 6,
		"run_queue_us": 1030, "run_queue_connection_us": 1000,
		"schedstat_cpu_us": 70_000, "cpu_connection_us": 50_000, "cpu_background_us": 20_000.123,
		"threads_begin": 3, "threads_end": 4, "threads_started": 1, "threads_ended": 0,
	})
	if u := got["cpu_user_us"].Uncertainty; u != 10_000 {
		t.Errorf("cpu_user_us has uncertainty %g, want the tick of 10 ms", u)
	}
	if !got["threads_begin"].Gauge || got["cpu_us"].Gauge {
		t.Error("thread counts are gauges, CPU is none")
	}
	if got["cpu_user_us"].Scope != result.User || got["cpu_system_us"].Scope != result.Kernel || got["cpu_us"].Scope != result.UserKernel {
		t.Error("scopes are wrong")
	}
}

func TestThreadsComeAndGo(t *testing.T) {
	start := func(t *testing.T) *fake {
		f := newFake(t)
		f.thread(100, 10, 0, 5_000_000, 0)
		f.thread(101, 10, 0, 5_000_000, 0)
		return f
	}
	t.Run("one ended", func(t *testing.T) {
		f := start(t)
		got := f.window([]int{100}, func() {
			f.clockNS += 9_000_000
			f.end(101)
			f.thread(100, 15, 0, 6_000_000, 0)
		})
		want(t, got, map[string]float64{"cpu_us": 9000, "~context_switches": 5, "~run_queue_us": 0, "~schedstat_cpu_us": 1000,
			"threads_ended": 1, "cpu_connection_us": 1000, "cpu_background_us": 8000, "context_switches_connection": 5, "~context_switches_background": 0})
	})
	t.Run("a connection's thread ended", func(t *testing.T) {
		f := start(t)
		got := f.window([]int{101}, func() { f.clockNS += 9_000_000; f.end(101) })
		want(t, got, map[string]float64{"~cpu_connection_us": 0, "~cpu_background_us": 9000, "~context_switches_connection": 0, "~run_queue_connection_us": 0})
	})
	t.Run("the same number again", func(t *testing.T) {
		f := start(t)
		got := f.window(nil, func() { f.thread(101, 3, 0, 1_000_000, 0) })
		want(t, got, map[string]float64{"~context_switches": 3, "threads_ended": 1, "threads_started": 1})
	})
	t.Run("one vanished while being read", func(t *testing.T) {
		f := start(t)
		got := f.window(nil, func() {
			if err := os.MkdirAll(filepath.Join(f.root, "100/task/105"), 0o755); err != nil {
				t.Fatal(err)
			}
		})
		want(t, got, map[string]float64{"context_switches": 0, "threads_end": 2})
	})
	t.Run("began and ended between the edges", func(t *testing.T) {
		f := start(t)
		got := f.window(nil, func() { f.clockNS += 10_000_000_000 })
		want(t, got, map[string]float64{"cpu_us": 10_000_000, "~context_switches": 0})
	})
	t.Run("clocks read a little apart", func(t *testing.T) {
		f := start(t)
		got := f.window([]int{101}, func() { f.clockNS += 1_000_000; f.thread(101, 10, 0, 6_002_000, 0) })
		want(t, got, map[string]float64{"cpu_background_us": 0})
		if u := got["cpu_background_us"].Uncertainty; math.Abs(u-2) > 1e-9 {
			t.Errorf("uncertainty %g, want the 2 us between the clocks", u)
		}
	})
	t.Run("clocks disagree", func(t *testing.T) {
		f := start(t)
		got := f.window([]int{101}, func() { f.clockNS += 1_000_000; f.thread(101, 10, 0, 9_005_000_000, 0) })
		want(t, got, map[string]float64{"~cpu_background_us": 0})
	})
	t.Run("not known which serve connections", func(t *testing.T) {
		f := start(t)
		got := f.window(nil, func() {})
		want(t, got, map[string]float64{"!cpu_connection_us": 0, "!cpu_background_us": 0, "!context_switches_connection": 0,
			"!context_switches_background": 0, "!run_queue_connection_us": 0, "context_switches": 0})
		if r := got["cpu_connection_us"]; r.State != result.Unsupported || !strings.Contains(r.Reason, "no login") {
			t.Errorf("%+v, want unsupported with the target's reason", r)
		}
	})
}

func TestProcessComesAndGoes(t *testing.T) {
	for _, c := range []struct {
		name, word string
		change     func(*fake)
		wants      map[string]float64
	}{
		{"gone", "is gone", func(f *fake) { f.gone = true; _ = os.RemoveAll(filepath.Join(f.root, "100")) },
			map[string]float64{"!cpu_us": 0, "!page_faults": 0, "!context_switches": 0, "!threads_end": 0}},
		{"zombie", "has ended", func(f *fake) {
			f.put("100/stat", "100 (mariadbd) Z 1 100 100 0 -1 4194304 9 0 2 0 101 50 0 0 20 0 1 0 777 0 0 18446744073709551615 1 1 0 0 0 0 0 0 1 0 0 0 17 1 0 0 22 0 0\n")
			f.end(101)
			f.clockNS += 8000
		}, map[string]float64{"~cpu_us": 8, "~cpu_user_us": 10_000, "~page_faults": 5, "!context_switches": 0, "!run_queue_us": 0}},
		{"another by this number", "no longer the server", func(f *fake) { f.stat("S", 1, 1, 1, 1, 999) },
			map[string]float64{"!cpu_us": 0, "!read_kb": 0, "!context_switches": 0, "!cpu_user_us": 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t)
			f.thread(100, 1, 1, 1, 1)
			f.thread(101, 1, 1, 1, 1)
			got := f.window(nil, func() { c.change(f) })
			want(t, got, c.wants)
			if r := got["cpu_us"].Reason; !strings.Contains(r, c.word) {
				t.Errorf("reason %q, want %q in it", r, c.word)
			}
			// The same at Arm: an error and no collector.
			_, err := f.collector().Arm(t.Context(), collectors.Target{PID: pid, StartTicks: 777}, probe.Caps{})
			if err == nil || !strings.Contains(err.Error(), c.word) {
				t.Errorf("Arm says %v, want %q", err, c.word)
			}
		})
	}
	t.Run("leader ended, threads live", func(t *testing.T) {
		f := newFake(t)
		f.thread(101, 1, 1, 1, 1)
		got := f.window(nil, func() { f.stat("Z", 100, 50, 5, 1, 777); f.thread(101, 3, 1, 2, 1) })
		want(t, got, map[string]float64{"context_switches": 2})
	})
	t.Run("counter went back", func(t *testing.T) {
		f := newFake(t)
		f.thread(100, 1, 1, 1, 1)
		got := f.window(nil, func() { f.stat("S", 100, 50, 2, 1, 777) })
		want(t, got, map[string]float64{"!page_faults": 0, "cpu_us": 0})
	})
}

// TestIdleThreads: of a thread that was not on a CPU, status is not read again;
// a window with 500 idle connections is as narrow as one without.
func TestIdleThreads(t *testing.T) {
	f := newFake(t)
	f.thread(100, 1, 1, 1, 1)
	f.thread(101, 5, 5, 5, 5)
	f.thread(102, 7, 7, 7, 7)
	got := f.window(nil, func() {
		f.thread(102, 9, 7, 8, 7)
		f.put("100/task/101/status", "not to be read")
	})
	want(t, got, map[string]float64{"context_switches": 2, "context_switches_voluntary": 2})
}

// TestAge: the threads' files are read further out than the clock, and by how
// much is known; of the clock nothing is said.
func TestAge(t *testing.T) {
	f := newFake(t)
	for tid := 100; tid < 150; tid++ {
		f.thread(tid, 1, 1, 1, 1)
	}
	a, err := f.collector().Arm(t.Context(), collectors.Target{PID: pid, StartTicks: 777, Evidence: t.TempDir()}, probe.Caps{})
	if err != nil {
		t.Fatal(err)
	}
	aged := a.(collectors.WithAges)
	if begin, end := aged.Age("context_switches"); begin != 0 || end != 0 {
		t.Errorf("before the window: %v, %v", begin, end)
	}
	edges := [2]time.Duration{}
	for i, read := range []func(context.Context) error{a.Begin, a.End} {
		began := time.Now()
		if err := read(t.Context()); err != nil {
			t.Fatal(err)
		}
		edges[i] = time.Since(began)
	}
	for _, name := range []string{"context_switches", "context_switches_background", "run_queue_us", "cpu_connection_us"} {
		if begin, end := aged.Age(name); begin <= 0 || end <= 0 || begin > edges[0] || end > edges[1] {
			t.Errorf("%s: %v and %v, of edges of %v", name, begin, end, edges)
		}
	}
	if begin, end := aged.Age("cpu_us"); begin != 0 || end != 0 {
		t.Errorf("cpu_us: %v and %v", begin, end)
	}
}

func TestOnePartLacking(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*fake)
		lacks  []string
		state  result.State
		word   string
	}{
		{"schedstat all zeros", func(f *fake) { f.put("100/task/100/schedstat", "0 0 0\n") },
			[]string{"run_queue_us", "schedstat_cpu_us"}, result.Unsupported, "all zeros"},
		{"no schedstat", func(f *fake) { _ = os.Remove(filepath.Join(f.root, "100/task/100/schedstat")) },
			[]string{"run_queue_us", "schedstat_cpu_us"}, result.Unsupported, "is missing"},
		{"schedstat of two numbers", func(f *fake) { f.put("100/task/100/schedstat", "12 13\n") },
			[]string{"run_queue_us"}, result.Failed, "not three numbers"},
		{"status without switches", func(f *fake) { f.thread(100, 1, 1, 2, 1); f.put("100/task/100/status", "Name:\tx\n") },
			[]string{"context_switches", "context_switches_voluntary", "threads_end"}, result.Failed, "voluntary_ctxt_switches"},
		{"no io", func(f *fake) { _ = os.Remove(filepath.Join(f.root, "100/io")) },
			[]string{"read_kb", "write_calls"}, result.Failed, "/proc"},
		{"hidden", func(f *fake) { _ = os.RemoveAll(filepath.Join(f.root, "100")) },
			[]string{"cpu_user_us", "read_kb", "context_switches", "run_queue_us"}, result.Failed, "cannot read the server in /proc"},
		{"cpu.stat nonsense", func(f *fake) { f.put("cg/db/cpu.stat", "nr_throttled many\n") },
			[]string{"cgroup_throttled_us"}, result.Failed, "nr_throttled many"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t)
			f.thread(100, 1, 1, 1, 1)
			got := f.window(nil, func() { f.clockNS += 5000; c.change(f) })
			want(t, got, map[string]float64{"cpu_us": 5}) // the rest stays
			for _, name := range c.lacks {
				if r := got[name]; r.State != c.state || !strings.Contains(r.Reason, c.word) {
					t.Errorf("%s: %+v, want %s because of %q", name, r, c.state, c.word)
				}
			}
		})
	}
}

// TestNoBackground: where connections did all the work, the rest is 0, not the
// rounding error of two times in microseconds.
func TestNoBackground(t *testing.T) {
	for _, ns := range []uint64{70_000_123, 1_757_713_188, 333, 999_999_999} {
		f := newFake(t)
		f.thread(100, 0, 0, 0, 0)
		f.thread(101, 0, 0, 7_777_777, 0)
		got := f.window([]int{101}, func() {
			f.clockNS += int64(ns)
			f.thread(101, 0, 0, 7_777_777+ns, 0)
		})
		if v := got["cpu_background_us"].Value; v == nil || *v != 0 {
			t.Errorf("%d ns, all of them the connection's: background %v", ns, *v)
		}
	}
}
