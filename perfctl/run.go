package perfctl

import (
	"context"
	"errors"
	"fmt"
	"os"

	"opcost/collectors/probe"
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
}

// Run measures a plan: it loads each version's data once, then goes through
// the schedule of server starts and writes each run the moment it ends. A start
// that fails costs its own runs only; the error joins all that failed.
func Run(ctx context.Context, p *plan.Plan, o RunOptions) error {
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
	r.clock = newClock(p, ways, starts, o.Notify)

	// The folder is ours alone, so that it can be removed without asking.
	if r.work, err = os.MkdirTemp(o.Work, "opcost-data-"); err != nil {
		return fmt.Errorf("a folder for the servers' data: %w", err)
	}
	defer os.RemoveAll(r.work)
	if err := r.prepare(ctx, starts); err != nil {
		return err
	}
	defer r.remove()

	var failed []error
	for _, s := range starts {
		r.clock.begin(s)
		err := r.start(ctx, s)
		r.clock.end(s)
		if ctx.Err() != nil {
			return errors.Join(append(failed, fmt.Errorf("stopped: %w", context.Cause(ctx)))...)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", s.ID(p), err)
			failed = append(failed, err)
			r.clock.say(Progress{Warning: err.Error()})
		}
	}
	return errors.Join(failed...)
}

// runner is a plan under way.
type runner struct {
	plan  *plan.Plan
	opts  RunOptions
	ways  ways
	work  string
	sites []*site // by the plan's versions; nil where nothing is left to measure
	clock *clock
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
