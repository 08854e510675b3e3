package flame

import (
	"fmt"
	"io"

	"opcost/profiles"
	"opcost/profiles/subsystem"
)

// DefaultLimit is the largest size of a page in bytes where [Input] names none.
const DefaultLimit = 2_000_000

// Input is what a page shows.
type Input struct {
	Title string
	// Base is side A. It must have weight.
	Base Side
	// New is side B, compared with Base. Without a Profile the page shows Base
	// alone.
	New Side
	// Name is the name that frames are merged by: frames of equal names under the
	// same caller are one box, so names that are normalised let two builds meet.
	// It may also be the object or the subsystem of a frame. nil: the function, and
	// for a frame without a name its object with the function's start where that
	// is known.
	Name func(profiles.Frame) string
	// Subsystems gives boxes their places in the server. nil: boxes are coloured
	// by user code, kernel and code without a name.
	Subsystems *subsystem.Table
	Threads    bool     // the thread's name is the first level
	Notes      []string // shown above the graph: warnings, quality, approximations
	Limit      int      // of the page, in bytes; 0: DefaultLimit
}

// Side is one of the compared profiles. Its About.Operations are what its
// weights are divided by.
type Side struct {
	Label   string // what the reader knows it by, as a version's name; "": its About.Version
	Profile *profiles.Profile
}

// Pruned says what a page leaves out. All totals of the page, and those of each
// subsystem, stay exact: what was folded keeps its weight in boxes that say how
// many functions they stand for.
type Pruned struct {
	Boxes  int // of the whole graph
	Folded int // boxes of it that were folded into others; 0: nothing was left out
	// BelowPercent: boxes were folded if they were below this percentage of the
	// graph's width (in a differential graph the wider of the two) on both sides.
	BelowPercent float64
	// HiddenPercent is how much of the total, of Base and of New, is the own cost
	// of boxes that were folded.
	HiddenPercent [2]float64
	Functions     int // distinct names that are left on no box
	Shortened     int // names that are shown cut to nameLimit bytes
	Bytes         int // size of the page
}

// Write writes the page. Nothing is written if it gives an error, except where
// w itself failed.
//
// If one side has no operations, both are shown in the event's unit over their
// whole windows instead of per query, and the page says so. Two sides of
// different events, or per different things, are an error.
func Write(w io.Writer, in Input) (Pruned, error) {
	if in.Limit == 0 {
		in.Limit = DefaultLimit
	}
	if err := check(in); err != nil {
		return Pruned{}, err
	}
	t, err := build(in)
	if err != nil {
		return Pruned{}, err
	}
	page, pruned, err := fit(in, t)
	if err != nil {
		return Pruned{}, err
	}
	if _, err := w.Write(page); err != nil {
		return Pruned{}, fmt.Errorf("write the flame graph: %w", err)
	}
	return pruned, nil
}
