package compare

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/perfctl/result"
)

// A sampled window changes no value, verdict or number of runs, whatever was
// read in it; a profile that failed is said.
func TestSampledWindowsAreNoCosts(t *testing.T) {
	runs := func() []result.Run { return join(series("a", 100, 101, 102), series("b", 200, 201, 202)) }
	sampled := func(state result.State, reason string) func(*result.Run) {
		return func(r *result.Run) {
			w := window(500, 7, cpu(9e9), perf("instructions", 9e9, result.UserKernel), perf("profile_samples", 4990, result.UserKernel),
				result.Got("rows_read", 77, "count", result.SourceServer, ""))
			w.Latency = &result.Latency{Count: 500, MeanUS: 1e6, MaxUS: 2e6}
			w.Quality = []result.Quality{{Name: result.CheckOthers, Value: 1, Limit: 0.1, Text: "other programs ran"}}
			r.Passes = append(r.Passes, result.Pass{Kind: result.PassProfile, State: state, Reason: reason, Windows: []result.Window{w}})
		}
	}
	want := Build(runs(), Options{})
	if d := cmp.Diff(want, Build(with(runs(), sampled(result.OK, "")), Options{})); d != "" {
		t.Errorf("without and with sampled windows:\n%s", d)
	}
	got := Build(with(runs(), sampled(result.Failed, "perf hung")), Options{})
	if d := cmp.Diff(want.Rows, got.Rows); d != "" {
		t.Errorf("without profiles and with ones that failed:\n%s", d)
	}
	said := ""
	for _, w := range got.Warnings {
		said += w.Text + "\n"
	}
	if !strings.Contains(said, "the profile pass is failed: perf hung") {
		t.Errorf("the failure is not said: %q", said)
	}
}
