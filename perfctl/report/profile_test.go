package report

import (
	"fmt"
	"strings"
	"testing"

	"opcost/profiles/diff"
)

// What is shown adds up, at any limit; noise keeps a row of its own, and no row
// stands for one row alone.
func TestLimited(t *testing.T) {
	half := 50.0
	var rows []diff.Row
	for i := range 6 {
		rows = append(rows, diff.Row{Function: fmt.Sprint("f", i), Change: diff.Change{New: float64(100 - i), Delta: float64(100 - i)}, State: diff.OnlyNew})
	}
	noise := diff.Row{Function: "[7 within noise]", State: diff.Noise, Folded: 7, Change: diff.Change{Base: 900, New: 910, Delta: 10, Uncertainty: &half}}
	for _, c := range []struct {
		limit int
		noise bool
		want  string
	}{
		{0, false, "f0 f1 f2 f3 f4 f5"},
		{0, true, "f0 f1 f2 f3 f4 f5 [7 within noise]"},
		{2, true, "f0 f1 [4 more] [7 within noise]"},
		{2, false, "f0 f1 [4 more]"},
		{5, true, "f0 f1 f2 f3 f4 f5 [7 within noise]"},
		{6, false, "f0 f1 f2 f3 f4 f5"},
		{1, false, "f0 [5 more]"},
	} {
		in, want := append([]diff.Row(nil), rows...), 585.0
		if c.noise {
			in, want = append(in, noise), want+10
		}
		names, sum := []string{}, 0.0
		for _, r := range limited(in, c.limit) {
			names, sum = append(names, r.Function), sum+r.Delta
		}
		if got := strings.Join(names, " "); got != c.want || sum != want {
			t.Errorf("limit %d: %s, of %v; want %s, of %v", c.limit, got, sum, c.want, want)
		}
	}
	if limited(nil, 3) != nil {
		t.Error("rows of nothing")
	}
}

func TestRowState(t *testing.T) {
	half := 5.0
	for _, c := range []struct {
		state diff.State
		delta float64
		half  *float64
		want  string
	}{
		{diff.Both, 6, &half, ""}, {diff.Both, 4, &half, "noise"}, {diff.Both, 4, nil, ""}, {diff.OnlyBase, -4, &half, "noise"}, {diff.OnlyBase, -6, &half, "gone"},
		{diff.OnlyNew, 6, nil, "new"}, {diff.Unresolved, 4, &half, "no name"}, {diff.Noise, 6, &half, "noise"},
	} {
		if got := rowState(diff.Row{State: c.state, Change: diff.Change{Delta: c.delta, Uncertainty: c.half}}); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
