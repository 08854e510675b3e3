package perfctl

import (
	"context"
	"errors"
	"fmt"

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
	// AtOnce, if set, is given what ends the run's servers and removes its
	// folders without waiting for Run to return: for a process that must end now.
	AtOnce func(end func() error)
}

// Run measures a plan: it loads each version's data once, then goes through
// the schedule of server starts and writes each run the moment it ends. A start
// that fails costs its own runs only; the error joins all that failed.
// What it makes in the folder Work is in a journal there; what a run that was
// killed has left is cleared by [leftover.Clear], before the next.
func Run(ctx context.Context, p *plan.Plan, o RunOptions) (err error) {
	tests, err := workload.Resolve(p.Workloads)
	if err != nil {
		return err
	}
	ways, err := choose(p.Counters, o.Caps)
	if err != nil {
		return err
	}
	r := &runner{plan: p, opts: o, ways: ways}
	starts := missing(Schedule(p, tests, ways.kinds()), p, o.Have)
	pace, err := measurePace(o.Work)
	if err != nil {
		return fmt.Errorf("the folder for the servers' data: %w", err)
	}
	r.clock = newClock(costs{plan: p, ways: ways, pace: pace}, o.Notify)
	q := queue{plan: p, left: starts, undecided: o.Undecided, cost: r.clock.cost, elapsed: r.clock.elapsed}
	s, more, err := q.next()
	if err != nil || !more {
		return err
	}
	r.clock.left = append([]Start{s}, q.left...)
	if r.journal, err = leftover.Open(o.Work); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.journal.Close()) }()
	if o.AtOnce != nil {
		o.AtOnce(r.journal.Close)
	}
	r.work = r.journal.Data()
	if err := r.prepare(ctx, r.clock.left); err != nil {
		if ctx.Err() != nil {
			return stopped(ctx)
		}
		return err
	}

	var failed []error
	for ; more; s, more, err = q.next() {
		r.clock.begin(append([]Start{s}, q.left...))
		err := r.start(ctx, s)
		r.clock.end(s)
		if ctx.Err() != nil {
			return errors.Join(append(failed, stopped(ctx))...)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", s.ID(p), err)
			failed = append(failed, err)
			r.clock.say(Progress{Warning: err.Error()})
		}
	}
	return errors.Join(append(failed, err)...)
}

// stopped is the error of a run that was told to stop.
func stopped(ctx context.Context) error { return fmt.Errorf("stopped: %w", context.Cause(ctx)) }

// runner is a plan under way.
type runner struct {
	plan    *plan.Plan
	opts    RunOptions
	ways    ways
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
