package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"opcost/perfctl/compare"
)

// The summary is one line that scripts and people look for; what is worse comes
// first below it.
func TestSummary(t *testing.T) {
	r := byHand("a")
	verdicts := slices.Repeat([]compare.Verdict{compare.Same}, 28)
	verdicts = append(verdicts, compare.Slower, compare.Unsure, compare.Slower, compare.Slower)
	ratios := map[int]float64{28: 1.02, 29: 1.01, 30: 1.5, 31: 1.1}
	for i, v := range verdicts {
		row := r.Rows[0]
		row.Version, row.Workload, row.Primary = "b", fmt.Sprint("w", i), "instructions_per_query"
		ratio := 1.0
		if x, ok := ratios[i]; ok {
			ratio = x
		}
		method := "t, variance pooled over 64 cells, 192 df"
		if i < 2 {
			method = "t, " + compare.FloorMethod + " (0.2%, 5 df)"
		}
		row.VsBase = map[string]compare.R{row.Primary: {Ratio: ratio, Low: &ratio, High: &ratio, Verdict: v, Threshold: 0.006, Method: method}}
		r.Rows = append(r.Rows, row)
	}
	r.Versions = []string{"a", "b"}
	lines := strings.Split(laidOut(t, Table, r, Layout{Width: 200}), "\n")
	at := slices.Index(lines, "3 slower, 28 same, 1 unsure of 32")
	if at < 0 {
		t.Fatalf("no summary in:\n%s", strings.Join(lines, "\n"))
	}
	if want := "against a, by instructions/query ±0.6%; 2 of them with this machine's noise floor"; lines[at+1] != want {
		t.Errorf("%q, want %q", lines[at+1], want)
	}
	for i, want := range []string{"  slower  w30,", "  slower  w31,", "  slower  w28,", "  unsure  w29,"} {
		if !strings.HasPrefix(lines[at+2+i], want) {
			t.Errorf("line %d is %q, want %q", i, lines[at+2+i], want)
		}
	}
	if md := laidOut(t, Markdown, r, Layout{}); !strings.Contains(md, "\n**3 slower, 28 same, 1 unsure of 32**\n") {
		t.Error("no summary in Markdown")
	}
}
