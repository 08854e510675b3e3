package perfctl

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"opcost/collectors/probe"
	"opcost/perfctl/leftover"
	"opcost/perfctl/plan"
	"opcost/perfctl/result"
	"opcost/perfctl/workload"
)

// RunOptions are what a run needs beside its plan.
type RunOptions struct {
	Folder *result.Folder
	Work   string // data directories go here; removed at the end
	Caps   probe.Caps
	Have   map[string]bool // ids of runs that are on disk already: not measured again
	Notify func(Progress)
	// Undecided says, for a plan with a budget, on which cells a further start is
	// worth its time; it is asked once a repeat, after the first screen. nil: on
	// all. What is measured is judged elsewhere: the flow computes nothing.
	Undecided func() ([]Undecided, error)
	// Only, if set, picks the starts to make of the plan's; the rest are left for
	// another time.
	Only func(version string, repeat int, pass result.PassKind) bool
	// AtOnce, if set, is given what ends the run's servers and removes its
	// folders without waiting for Run to return: for a process that must end now.
	AtOnce func(end func() error)
}

// Run measures a plan: it loads each version's data once, then goes through
// the schedule of server starts and writes each run the moment it ends. A start
// that fails costs its own runs only; the error joins all that failed. A full
// disk, or results that cannot be written, end it at once, see [CannotGoOn].
// What it makes in the folder Work is in a journal there; what a run that was
// killed has left is cleared by [leftover.Clear], before the next.
func Run(ctx context.Context, p *plan.Plan, o RunOptions) (err error) {
	r, err := newRunner(p, o)
	if err != nil {
		return err
	}
	if r.driver, err = identify(ctx, p, r.tests); err != nil {
		return err
	}
	first, more, err := r.queue.next()
	if err != nil || !more {
		return err // all of it is on disk
	}
	if err := r.openWork(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.journal.Close()) }()
	ctx, done := r.whileRoom(ctx)
	defer done()
	r.clock.left = r.ahead(first)
	if err := r.prepare(ctx, r.clock.left); err != nil {
		return stoppedOr(ctx, r.because(err))
	}

	var failed []error
	for s := first; more; s, more, err = r.queue.next() {
		r.clock.begin(r.ahead(s))
		err := r.start(ctx, s)
		r.clock.end(s)
		if ctx.Err() != nil {
			return errors.Join(append(failed, stoppedOr(ctx, nil))...)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", s.ID(p), r.because(err))
			failed = append(failed, err)
			if CannotGoOn(err) {
				return errors.Join(failed...)
			}
			r.clock.say(Progress{Warning: err.Error()})
		}
	}
	return errors.Join(append(failed, err)...)
}

// newRunner decides what is to be measured, and how, and starts nothing.
func newRunner(p *plan.Plan, o RunOptions) (*runner, error) {
	tests, err := workload.Resolve(p.Workloads)
	if err != nil {
		return nil, err
	}
	ways, err := waysOf(p, o.Caps)
	if err != nil {
		return nil, err
	}
	pace, err := measurePace(o.Work)
	if err != nil {
		return nil, fmt.Errorf("the folder for the servers' data: %w", err)
	}
	clock := newClock(costs{plan: p, ways: ways, pace: pace}, o.Notify)
	left := missing(Schedule(p, tests, ways.kinds()), p, o.Have)
	if o.Only != nil {
		left = slices.DeleteFunc(left, func(s Start) bool { return !o.Only(p.Versions[s.Version].Name, s.Repeat, s.Pass) })
	}
	return &runner{
		tests: tests,
		plan:  p, opts: o, ways: ways, clock: clock,
		queue: queue{plan: p, left: left, undecided: o.Undecided, cost: clock.cost, elapsed: clock.elapsed},
	}, nil
}

// openWork makes the folder of all data, with its journal.
func (r *runner) openWork() (err error) {
	if r.journal, err = leftover.Open(r.opts.Work); err != nil {
		return err
	}
	if r.opts.AtOnce != nil {
		r.opts.AtOnce(r.journal.Close)
	}
	r.work = r.journal.Data()
	return nil
}

// ahead are the starts from s on.
func (r *runner) ahead(s Start) []Start { return append([]Start{s}, r.queue.left...) }

// stoppedOr is the error of a run that was told to stop; err where it was not.
func stoppedOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("stopped: %w", context.Cause(ctx))
	}
	return err
}

// runner is a plan under way.
type runner struct {
	plan    *plan.Plan
	tests   []workload.Test
	driver  workload.Identity
	opts    RunOptions
	ways    ways
	queue   queue
	journal *leftover.Journal
	work    string  // the folder of all data; removed with the journal
	sites   []*site // by the plan's versions; nil where nothing is left to measure
	clock   *clock
}

// missing drops the cells that are on disk already, and starts without cells.
func missing(all []Start, p *plan.Plan, have map[string]bool) []Start {
	var left []Start
	for _, s := range all {
		var cells []Cell
		for _, c := range s.Cells {
			if !have[s.RunID(p, c)] {
				cells = append(cells, c)
			}
		}
		if s.Cells = cells; len(cells) > 0 {
			left = append(left, s)
		}
	}
	return left
}
