package result

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestCheck(t *testing.T) {
	if err := check(aRun("a", 2)); err != nil {
		t.Fatal(err)
	}
	nan, inf, one := math.NaN(), math.Inf(1), 1.0
	for _, c := range []struct {
		want   string
		change func(r *Run, w *Window, x *Reading) // x has a value
	}{
		{"schema is 2", func(r *Run, _ *Window, _ *Reading) { r.Schema = 2 }},
		{"its id", func(r *Run, _ *Window, _ *Reading) { r.ID = "../a" }},
		{"no version", func(r *Run, _ *Window, _ *Reading) { r.Version = "" }},
		{"no workload", func(r *Run, _ *Window, _ *Reading) { r.Workload = "" }},
		{"0 clients", func(r *Run, _ *Window, _ *Reading) { r.Clients = 0 }},
		{"repeat is -1", func(r *Run, _ *Window, _ *Reading) { r.Repeat = -1 }},
		{"no time", func(r *Run, _ *Window, _ *Reading) { r.Started = time.Time{} }},
		{"no kind", func(r *Run, _ *Window, _ *Reading) { r.Passes[0].Kind = "" }},
		{`state "" is not known`, func(r *Run, _ *Window, _ *Reading) { r.Passes[0].State = "" }},
		{`pass count: state "failed" without a reason`, func(r *Run, _ *Window, _ *Reading) { r.Passes[0].State = Failed }},
		{`state "fine" is not known`, func(_ *Run, w *Window, _ *Reading) { w.State = "fine" }},
		{`window "w0": state "partial" without a reason`, func(_ *Run, w *Window, _ *Reading) { w.State = Partial }},
		{"duration is 0", func(_ *Run, w *Window, _ *Reading) { w.DurationNS = 0 }},
		{"duration is -1", func(_ *Run, w *Window, _ *Reading) { w.DurationNS, w.State, w.Reason = -1, Failed, "r" }},
		{"edges took", func(_ *Run, w *Window, _ *Reading) { w.EdgeNS[1] = -1 }},
		{"operations from 5 to 4", func(_ *Run, w *Window, _ *Reading) { w.Ops.End = 4 }},
		{"operations from -1", func(_ *Run, w *Window, _ *Reading) { w.OtherOps[0].Begin = -1 }},
		{"-1 failed operations", func(_ *Run, w *Window, _ *Reading) { w.Ops.Errors = -1 }},
		{"operations' uncertainty is NaN", func(_ *Run, w *Window, _ *Reading) { w.Ops.Uncertainty = nan }},
		{"latency", func(_ *Run, w *Window, _ *Reading) { w.Latency.P99US = inf }},
		{`quality "steal"`, func(_ *Run, w *Window, _ *Reading) { w.Quality[0].Value = nan }},
		{"outside the run's folder", func(_ *Run, w *Window, _ *Reading) { w.Evidence = []string{"../../x"} }},
		{"outside the run's folder", func(_ *Run, w *Window, _ *Reading) { w.Evidence = []string{"/etc/passwd"} }},
		{"no name", func(_ *Run, _ *Window, x *Reading) { x.Name = "" }},
		{`source "guess" is not known`, func(_ *Run, _ *Window, x *Reading) { x.Source = "guess" }},
		{`scope "all" is not known`, func(_ *Run, _ *Window, x *Reading) { x.Scope = "all" }},
		{`state "ok" without a value`, func(_ *Run, _ *Window, x *Reading) { x.Value = nil }},
		{`state "not_counted" with the value`, func(_ *Run, _ *Window, x *Reading) { x.State, x.Reason, x.Value = NotCounted, "r", &one }},
		{`state "unsupported" without a reason`, func(_ *Run, _ *Window, x *Reading) { x.State, x.Value = Unsupported, nil }},
		{"its value is NaN", func(_ *Run, _ *Window, x *Reading) { x.Value = &nan }},
		{"its value is +Inf", func(_ *Run, _ *Window, x *Reading) { x.Value = &inf }},
		{"running fraction is 1.5", func(_ *Run, _ *Window, x *Reading) { x.RunningFraction = 1.5 }},
		{"running fraction is NaN", func(_ *Run, _ *Window, x *Reading) { x.RunningFraction = nan }},
		{"uncertainty is -1", func(_ *Run, _ *Window, x *Reading) { x.Uncertainty = -1 }},
	} {
		r := aRun("a", 1)
		w := &r.Passes[0].Windows[0]
		c.change(&r, w, &w.Readings[0])
		if err := check(r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}

	// A window that failed may be empty.
	r := aRun("a", 1)
	r.Passes[0].Windows[0] = Window{ID: "w0", State: Failed, Reason: "the server died"}
	if err := check(r); err != nil {
		t.Error(err)
	}
}
