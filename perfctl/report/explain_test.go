package report

import (
	"testing"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// TestFootnoteSaysItOnce: a reason in a tool's own words does not repeat the state.
func TestFootnoteSaysItOnce(t *testing.T) {
	e := &explanations{letters: map[string]int{}}
	e.absent(compare.M{State: result.Unsupported, Reason: "not supported: no PMU"})
	e.absent(compare.M{State: result.Unsupported, Reason: "no PMU"})
	if len(e.footnotes) != 1 || e.footnotes[0] != "not supported: no PMU" {
		t.Errorf("%q", e.footnotes)
	}
}
