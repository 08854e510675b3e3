package explain

import (
	"math"
	"slices"

	"opcost/profiles/diff"
)

// diffuseShare of the movement is what few, or many, functions make.
const diffuseShare = 0.8

// CodeOf takes from a profiles' difference what it says of the change.
func CodeOf(t *diff.Table) *Code {
	c := &Code{Event: t.Event, Unit: t.Unit, Per: t.Per, Total: codeRow(diff.Row{Change: t.Total}), Rows: []CodeRow{}, Subsystems: []CodeRow{}, Warnings: append([]string{}, t.Quality.Warnings...)}
	c.Total.State = ""
	var towards []float64 // what moved in the direction of the whole
	for _, r := range t.Rows {
		row := codeRow(r)
		c.Calls = c.Calls || row.Calls != nil
		c.Rows = append(c.Rows, row)
		if r.State != diff.Noise && r.Delta*t.Total.Delta > 0 {
			towards = append(towards, math.Abs(r.Delta))
		}
	}
	for _, r := range t.Subsystems {
		c.Subsystems = append(c.Subsystems, codeRow(r))
	}
	c.Moved = len(towards)
	c.Diffuse = fewest(towards, diffuseShare)
	return c
}

// fewest is how many of the largest make so much of the sum.
func fewest(vs []float64, share float64) int {
	slices.SortFunc(vs, func(a, b float64) int { return -sign(a - b) })
	sum := 0.0
	for _, v := range vs {
		sum += v
	}
	got := 0.0
	for i, v := range vs {
		// What is left but for rounding is reached.
		if got += v; got >= share*sum*(1-1e-12) {
			return i + 1
		}
	}
	return len(vs)
}

func codeRow(r diff.Row) CodeRow {
	row := CodeRow{Function: r.Function, Object: r.Object, Subsystem: r.Subsystem, Base: r.Base, New: r.New, Delta: r.Delta, Share: r.Share, State: string(r.State)}
	if r.Calls != nil {
		row.Calls = callsOf(r)
	}
	return row
}

// callsOf splits a function's change: how much is because it was called more
// often, and how much because a call costs more of its own code. A function
// that one side does not call is all calls.
func callsOf(r diff.Row) *Calls {
	c := &Calls{Base: r.Calls.Base, New: r.Calls.New}
	if c.Base <= 0 || c.New <= 0 || r.Base <= 0 || r.New <= 0 {
		c.More = r.Delta
		return c
	}
	parts := split(r.Base, r.New, []float64{c.New / c.Base, (r.New / c.New) / (r.Base / c.Base)})
	c.More, c.Costlier = parts[0], parts[1]
	return c
}
