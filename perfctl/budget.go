package perfctl

import (
	"time"

	"opcost/perfctl/plan"
	"opcost/perfctl/result"
)

// screenStarts is the starts of every cell that a plan with a budget makes in
// any case: with one, no noise would be known.
const screenStarts = 2

// Undecided names a cell of a version on which a further start may change what
// is known, and the pass that tells.
type Undecided struct {
	Version  string
	Workload string
	Clients  int
	Pass     result.PassKind
}

// queue gives a plan's server starts one after another: all of them or, with a
// budget, a first screen of every cell, and then those that are undecided, as
// long as they fit.
type queue struct {
	plan *plan.Plan
	left []Start // in order; some may be dropped
	// undecided is asked once a repeat; nil: everything is.
	undecided func() ([]Undecided, error)
	cost      func(Start) time.Duration
	elapsed   func() time.Duration

	repeat int // that undecided was asked for
	want   map[Undecided]bool
}

// next takes the next start; false when there is none.
func (q *queue) next() (Start, bool, error) {
	for len(q.left) > 0 {
		s := q.left[0]
		q.left = q.left[1:]
		if q.plan.Budget == 0 || s.Repeat < screenStarts {
			return s, true, nil
		}
		if err := q.ask(s.Repeat); err != nil {
			return Start{}, false, err
		}
		if s.Cells = q.wanted(s); len(s.Cells) == 0 {
			continue
		}
		if q.elapsed()+q.cost(s) > q.plan.Budget {
			q.left = nil
			break
		}
		return s, true, nil
	}
	return Start{}, false, nil
}

func (q *queue) ask(repeat int) error {
	if q.undecided == nil || repeat == q.repeat {
		return nil
	}
	all, err := q.undecided()
	if err != nil {
		return err
	}
	q.repeat, q.want = repeat, map[Undecided]bool{}
	for _, u := range all {
		q.want[u] = true
	}
	return nil
}

// wanted are the start's cells that are undecided.
func (q *queue) wanted(s Start) []Cell {
	if q.undecided == nil {
		return s.Cells
	}
	var cells []Cell
	for _, c := range s.Cells {
		if q.want[Undecided{q.plan.Versions[s.Version].Name, c.Test.ID, c.Clients, s.Pass}] {
			cells = append(cells, c)
		}
	}
	return cells
}
