// Package cost tells what each function of a profile cost: itself, with all it
// called, how often it was called, by whom and whom it called. It also makes
// stacks out of counted calls, for views that need stacks.
//
// It takes profiles of any source. It reads no files, does not divide by
// operations and does not sort for a view.
package cost

import (
	"math"
	"slices"

	"opcost/profiles"
)

// Table is the cost of a profile by functions, or by what else frames were
// grouped by. Costs are in the unit of the profile's event.
type Table[K comparable] struct {
	// Rows in the order of the profile's frames. Their Self and NoStack add up to
	// Weight.
	Rows            []Row[K]
	Weight, Samples int64 // of the whole profile
	NoStack         int64 // the weight of samples without any frame
	// Counted is true where calls were counted; else all Calls are 0, which then
	// means not known.
	Counted bool
}

// Row is one function, or group.
type Row[K comparable] struct {
	Key K
	// Self was spent in its own code; Total while it was under way, so with what
	// it called. A stack, and a recursive function, count once. Total is never
	// above the profile's.
	Self, Total               int64
	SelfSamples, TotalSamples int64 // 0 for counted events
	Calls                     int64 // of it, those by itself included
	// Bound marks a Total that is at most this: the function is in a cycle of
	// calls, and what was counted does not tell how often it was within itself.
	// It is then the cost of the whole cycle, or of all the function's calls, if
	// that is less.
	Bound            bool
	Callers, Callees []Edge // heaviest first
}

// Edge is the calls between a row and another one, or itself.
type Edge struct {
	Row    int   // into Table.Rows
	Calls  int64 // as in Row
	Weight int64 // spent in the callee, and what it called, on behalf of the caller
}

// Of is the cost of each function. A function's recursive calls are in its row:
// Frame.Recursion is 0 in all keys.
func Of(p *profiles.Profile) *Table[profiles.Frame] {
	return By(p, func(f profiles.Frame) profiles.Frame {
		f.Recursion = 0
		return f
	})
}

// By is the cost of each group of frames that have the same key: of a name, an
// object, a subsystem. The key must not depend on Frame.Recursion.
func By[K comparable](p *profiles.Profile, key func(profiles.Frame) K) *Table[K] {
	t := &Table[K]{Counted: p.Arcs != nil}
	rows := make([]int32, len(p.Frames)) // of each frame
	index := map[K]int32{}
	for i, f := range p.Frames {
		k := key(f)
		r, ok := index[k]
		if !ok {
			r = int32(len(t.Rows))
			index[k] = r
			t.Rows = append(t.Rows, Row[K]{Key: k})
		}
		rows[i] = r
	}
	sums := &sums{costs: make([]costs, len(t.Rows)), edges: map[[2]int32]*edge{}}
	t.NoStack = sums.stacks(p, rows)
	if t.Counted {
		sums.arcs(p, rows)
	}
	t.Weight, t.Samples = p.Total()
	for i := range t.Rows {
		c := sums.costs[i]
		r := &t.Rows[i]
		r.Self, r.Total, r.SelfSamples, r.TotalSamples, r.Calls, r.Bound = c.self, c.total, c.selfSamples, c.totalSamples, c.calls, c.bound
	}
	for k, e := range sums.edges {
		caller, callee := int(k[0]), int(k[1])
		t.Rows[caller].Callees = append(t.Rows[caller].Callees, Edge{Row: callee, Calls: e.calls, Weight: e.weight})
		t.Rows[callee].Callers = append(t.Rows[callee].Callers, Edge{Row: caller, Calls: e.calls, Weight: e.weight})
	}
	for i := range t.Rows {
		slices.SortFunc(t.Rows[i].Callers, heaviest)
		slices.SortFunc(t.Rows[i].Callees, heaviest)
	}
	return t
}

func heaviest(a, b Edge) int {
	switch {
	case a.Weight != b.Weight:
		return sign(a.Weight < b.Weight)
	case a.Calls != b.Calls:
		return sign(a.Calls < b.Calls)
	}
	return a.Row - b.Row
}

func sign(after bool) int {
	if after {
		return 1
	}
	return -1
}

// plus stops at the largest number, as costs of nested calls may add up to more
// than the whole.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
