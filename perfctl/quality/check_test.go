package quality

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"opcost/perfctl/result"
)

func window(values map[string]float64) result.Window {
	w := result.Window{DurationNS: 10e9, Ops: result.OpCount{Per: "statement", Begin: 1000, End: 11_000}}
	for name, v := range values {
		w.Readings = append(w.Readings, result.Got(name, v, "", result.SourceProc, ""))
	}
	return w
}

// TestCheck: each rule at its limit and beyond it; the values were reckoned by hand.
func TestCheck(t *testing.T) {
	ops := func(change func(*result.Window)) result.Window {
		w := window(nil)
		change(&w)
		return w
	}
	host := func(steal float64) map[string]float64 {
		return map[string]float64{"host_cpu_user_us": 10e6, "host_cpu_system_us": 4e6, "host_cpu_irq_us": 1e6, "host_cpu_idle_us": 4e6,
			"host_cpu_iowait_us": 1e6 - steal, "host_cpu_steal_us": steal}
	}
	used := func(server, client float64) result.Window { // of 20 s, 15 were used
		v := host(0)
		v["cpu_us"], v["client_cpu_us"] = server, client
		return window(v)
	}
	for _, c := range []struct {
		rule string
		w    result.Window
		want float64
		ok   bool
	}{
		{"errors", window(nil), 0, true},
		{"errors", ops(func(w *result.Window) { w.Ops.Errors = 3 }), 3, false},
		{"misses", ops(func(w *result.Window) { w.Ops.Misses = 100 }), 0.01, true},
		{"misses", ops(func(w *result.Window) { w.Ops.Misses = 2500 }), 0.25, false},
		{"stalled", ops(func(w *result.Window) { w.Latency = &result.Latency{Count: 10_000, MeanUS: 1000, MaxUS: 1e6} }), 0.1, true},
		{"stalled", ops(func(w *result.Window) { w.Latency = &result.Latency{Count: 10_000, MeanUS: 1000, MaxUS: 3e6} }), 0.3, false},
		{"stopped", window(map[string]float64{"client_stopped_us": 5e4}), 0.005, true},
		{"stopped", window(map[string]float64{"client_stopped_us": 2.5e6}), 0.25, false},
		{"ops_differ", ops(func(w *result.Window) { w.OtherOps = []result.OpCount{{Per: "statement", End: 10_000}} }), 0, true},
		{"ops_differ", ops(func(w *result.Window) { w.OtherOps = []result.OpCount{{Per: "statement", End: 10_007}} }), 7, false},
		{"ops_differ", ops(func(w *result.Window) {
			w.Ops.Errors = 7
			w.OtherOps = []result.OpCount{{Per: "statement", End: 10_007}}
		}), 0, true},
		{"ops_differ", ops(func(w *result.Window) {
			w.Ops.Uncertainty = 4
			w.OtherOps = []result.OpCount{{Per: "statement", End: 10_007}}
		}), 3, false},
		{"pool_reads_per_1000_queries", window(map[string]float64{"innodb_buffer_pool_reads": 10}), 1, true},
		{"pool_reads_per_1000_queries", window(map[string]float64{"innodb_buffer_pool_reads": 25}), 2.5, false},
		{"unsteady", ops(func(w *result.Window) { w.Thirds = []int64{1000, 1100, 900} }), 0.1, true},
		{"unsteady", ops(func(w *result.Window) { w.Thirds = []int64{1400, 1000, 600} }), 0.4, false},
		{"history_growth", window(map[string]float64{"innodb_history_list_length_begin": 500, "innodb_history_list_length_end": 5500}), 0.5, false},
		{"history_growth", window(map[string]float64{"innodb_history_list_length_begin": 500, "innodb_history_list_length_end": 100}), 0, true},
		{"dirty_growth", window(map[string]float64{"innodb_buffer_pool_pages_dirty_begin": 100, "innodb_buffer_pool_pages_dirty_end": 900,
			"innodb_buffer_pool_pages_total_end": 8000}), 0.1, false},
		{"checkpoint_age_growth", window(map[string]float64{"innodb_checkpoint_age_begin": 0, "innodb_checkpoint_age_end": 20e6,
			"innodb_checkpoint_max_age_end": 80e6}), 0.25, false},
		{"steal", window(host(0.2e6)), 0.01, true},
		{"steal", window(host(1e6)), 0.05, false},
		{"others", used(10e6, 3e6), 0.1, true},
		{"others", used(5e6, 3e6), 0.35, false},
		{"others", used(14e6, 3e6), 0, true}, // ticks of the machine's count, not less than nothing
		{"run_queue", window(map[string]float64{"run_queue_us": 1e5, "cpu_us": 4e6}), 0.025, true},
		{"run_queue", window(map[string]float64{"run_queue_us": 2e6, "cpu_us": 4e6}), 0.5, false},
		{"throttled", window(map[string]float64{"cgroup_throttled_us": 1e6}), 0.1, false},
		{"frequency_change", window(map[string]float64{"host_cpu_mhz_begin": 3000, "host_cpu_mhz_end": 2400}), 0.2, false},
		{"threads_ended", window(map[string]float64{"threads_ended": 2}), 2, false},
		{"task_clock_differs", window(map[string]float64{"task_clock_us": 5.05e6, "cpu_us": 5e6}), 0.01, true},
		{"task_clock_differs", window(map[string]float64{"task_clock_us": 4e6, "cpu_us": 5e6}), 0.2, false},
		{"schedstat_differs", window(map[string]float64{"schedstat_cpu_us": 4.9e6, "cpu_us": 5e6, "threads_ended": 0}), 0.02, false},
		{"client_bound", window(map[string]float64{"client_cpu_us": 19.8e6}), 0.99, false}, // two clients
		{"client_idle", ops(func(w *result.Window) { // two clients, 10 s
			w.Gated, w.Latency = true, &result.Latency{Count: 10_000, MeanUS: 1800}
		}), 0.1, true},
		{"client_idle", ops(func(w *result.Window) {
			w.Gated, w.Latency = true, &result.Latency{Count: 10_000, MeanUS: 1400}
		}), 0.3, false},
		{"multiplexed", ops(func(w *result.Window) {
			r := result.Got("instructions_user", 1, "count", result.SourcePerf, result.User)
			r.RunningFraction = 0.85
			w.Readings = []result.Reading{r}
		}), 0.15, false},
	} {
		var got *result.Quality
		for _, q := range Check(c.w, result.PassCount, 2) {
			if q.Name == c.rule {
				got = &q
			}
		}
		switch {
		case got == nil:
			t.Errorf("%s: no check", c.rule)
		case math.Abs(got.Value-c.want) > 1e-9 || got.OK != c.ok || (got.Text == "") != c.ok || strings.Contains(got.Text, "%!"):
			t.Errorf("%s: %+v, want %v, ok %v", c.rule, *got, c.want, c.ok)
		}
	}
}

func TestChecksThatCannotBeMadeAreAbsent(t *testing.T) {
	for _, q := range Check(window(nil), result.PassCount, 1) {
		if q.Name != "errors" && q.Name != "misses" {
			t.Errorf("%s without its readings: %+v", q.Name, q)
		}
	}
	busy := window(map[string]float64{"run_queue_us": 2e6, "cpu_us": 4e6, "client_cpu_us": 1e9, "threads_ended": 3})
	for _, q := range Check(busy, result.PassCallgrind, 1) {
		if q.Name != "errors" && q.Name != "misses" {
			t.Errorf("%s under valgrind, where times mean nothing", q.Name)
		}
	}
	short := window(map[string]float64{"host_cpu_user_us": 0.3e6, "cpu_us": 0.1e6, "client_cpu_us": 0})
	short.DurationNS = 0.2e9
	for _, q := range Check(short, result.PassCount, 1) {
		if q.Name == "others" {
			t.Errorf("a few hundredths of a second tell nothing: %+v", q)
		}
	}
	ended := window(map[string]float64{"schedstat_cpu_us": 1e6, "cpu_us": 5e6, "threads_ended": 1})
	for _, q := range Check(ended, result.PassCount, 1) {
		if q.Name == "schedstat_differs" {
			t.Error("threads ended and took their times along, so the sum proves nothing")
		}
	}
}

// TestDocumented: docs/quality.md lists every rule with its limit.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "quality.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rules {
		limit := fmt.Sprintf("%g", r.Limit)
		if r.percent {
			limit = fmt.Sprintf("%g%%", 100*r.Limit)
		}
		if row := fmt.Sprintf("| `%s` | %s | %s |", r.Name, r.Meaning, limit); !strings.Contains(string(text), row) {
			t.Errorf("docs/quality.md lacks the row\n%s", row)
		}
	}
}
