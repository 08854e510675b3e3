package guest

import (
	"fmt"
	"math"
	"testing"

	"opcost/collectors/perfstat"
	"opcost/perfctl/result"
)

const queries = 10_000

// TestWindows: what a query costs is the same in every window of one server,
// also where the PMU has fewer counters than were asked for.
func TestWindows(t *testing.T) {
	b := start(t)
	if !b.caps.Perf.PMU.OK {
		t.Fatalf("the self-test of the PMU fails: %s", b.caps.Perf.PMU.Reason)
	}
	t.Logf("%d counters at once", b.caps.Perf.Counters)
	set := perfstat.Sets(b.caps)[0]
	var sum float64
	low, high := math.Inf(1), 0.0
	const windows = 3
	for i := range windows {
		rs := b.window(t, fmt.Sprintf("w%d", i), set, queries)
		r := rs["instructions_user"]
		if r.State != result.OK || r.Value == nil {
			t.Fatalf("instructions_user: %+v", r)
		}
		v := *r.Value / queries
		t.Logf("window %d: %.1f user instructions/query", i, v)
		low, high, sum = min(low, v), max(high, v), sum+v
	}
	t.Logf("the windows differ by %.4f%%", 100*(high/low-1))
	if high/low > 1.001 {
		t.Errorf("%.1f to %.1f user instructions/query: more than 0.1%% apart", low, high)
	}
	t.Run("shared", func(t *testing.T) { shared(t, b, sum/windows) })
	t.Run("group too large", func(t *testing.T) { tooLarge(t, b) })
}

// many are more events than the emulated PMU's six counters and its cycle
// counter; the stalled ones exist there and stay 0.
var many = []string{
	"instructions:u", "instructions:k", "cycles:u", "cycles:k", "instructions", "cycles",
	"stalled-cycles-frontend:u", "stalled-cycles-frontend:k", "stalled-cycles-backend:u", "stalled-cycles-backend:k",
}

// shared: events that take turns are scaled up, say so, and say how much of the
// time they were counted.
func shared(t *testing.T, b bench, want float64) {
	set := perfstat.EventSet{Name: "many"}
	for _, e := range many {
		set.Groups = append(set.Groups, []string{e})
	}
	rs := b.window(t, "shared", set, queries)
	scaled := 0
	for _, e := range []string{"instructions_user", "instructions_kernel", "cycles_user", "cycles_kernel"} {
		r := rs[e]
		if r.Value == nil {
			t.Errorf("%s: %+v", e, r)
			continue
		}
		t.Logf("%s: %.1f a query, state %s, %.0f%% of the time", e, *r.Value/queries, r.State, 100*r.RunningFraction)
		if r.State == result.Scaled {
			scaled++
			if r.RunningFraction <= 0 || r.RunningFraction >= 1 || r.Reason == "" {
				t.Errorf("%s is scaled without saying from what: %+v", e, r)
			}
		}
	}
	if scaled == 0 {
		t.Error("no event is scaled, though ten share seven counters")
	}
	if r := rs["instructions_user"]; r.Value != nil {
		// An extrapolation, so only its size is sure.
		if v := *r.Value / queries; v < 0.9*want || v > 1.1*want {
			t.Errorf("instructions_user scaled to %.1f a query, counted %.1f", v, want)
		}
	}
}

// tooLarge: a group that can never be on the PMU as a whole gives no value,
// and a reason.
func tooLarge(t *testing.T, b bench) {
	rs := b.window(t, "too-large", perfstat.EventSet{Name: "too-large", Groups: [][]string{many, {"task-clock"}}}, queries/10)
	r := rs["instructions_user"]
	t.Logf("%+v", r)
	if r.Value != nil || r.Reason == "" {
		t.Errorf("instructions_user of a group of %d: %+v, want no value and a reason", len(many), r)
	}
}
