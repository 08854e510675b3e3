package perfctl

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"opcost/perfctl/plan"
	"opcost/perfctl/result"
	"opcost/perfctl/server"
	"opcost/perfctl/window"
	"opcost/perfctl/workload"
)

// Past is a write test that a version's data have been through since they were
// loaded. All versions' data have equal pasts where they are compared: the same
// tests, with the same numbers of operations and the same keys.
type Past struct {
	Cell   Cell
	Repeat int
	Pass   result.PassKind
}

func (a Past) same(b Past) bool {
	return a.Cell.Test.ID == b.Cell.Test.ID && a.Cell.Clients == b.Cell.Clients && a.Repeat == b.Repeat && a.Pass == b.Pass
}

// begins tells whether all begins with what was done.
func begins(all, done []Past) bool {
	return len(done) <= len(all) && slices.EqualFunc(all[:len(done)], done, Past.same)
}

// replays: data are never put back; see [plan.Restore].
func replays(p *plan.Plan) bool { return p.Restore.Kind == server.RestoreReplay }

// inOrder: the tests' order in the plan matters, since reads may come before or
// behind the writes.
func inOrder(p *plan.Plan, tests []workload.Test) bool {
	return replays(p) || slices.ContainsFunc(tests, func(t workload.Test) bool { return t.Pre })
}

// pasts gives each start its past. Where data are put back before each write
// test, only reads that stand behind write tests have one: those of the same
// repeat. Where nothing is put back, all that was written since the load counts.
func pasts(p *plan.Plan, starts []Start) {
	done := make([][]Past, len(p.Versions))
	for i := range starts {
		s := &starts[i]
		if i > 0 && !replays(p) && (s.Repeat != starts[i-1].Repeat || s.Pass != starts[i-1].Pass) {
			done = make([][]Past, len(p.Versions))
		}
		write := s.Cells[0].Test.Write // it is alone then
		if d := done[s.Version]; replays(p) || !write {
			s.Past = d[:len(d):len(d)]
		}
		if write {
			done[s.Version] = append(done[s.Version], Past{s.Cells[0], s.Repeat, s.Pass})
		}
	}
}

// missingPast is what has to be done to the data before a start: whether they
// must be as loaded first, and the write tests then. dirty: nobody knows what
// the data are.
func missingPast(p *plan.Plan, s Start, done []Past, dirty bool) (loaded bool, todo []Past) {
	if s.Restore || dirty || !begins(s.Past, done) {
		return true, s.Past
	}
	return false, s.Past[len(done):]
}

// agingPhase names the keys of writes that are done for the reads behind them.
const agingPhase = "aging"

// phases are what is done of a past test: with replay what its measuring did,
// else one number of operations.
func (y way) phases(p *plan.Plan, t workload.Test) []window.Phase {
	if !replays(p) {
		return []window.Phase{{Name: agingPhase, Operations: agingOps(p)}}
	}
	all := []window.Phase{{Name: warmupPhase, Operations: y.warmup(p, t).Operations}}
	if y.kind == result.PassCallgrind {
		return append(all, window.Phase{Name: callgrindPhase, Operations: instructionOps(p, t)})
	}
	for i := range max(1, len(y.sets)) {
		all = append(all, window.Phase{Name: countPhase(i), Operations: lengthOf(p, t).Operations})
	}
	if y.sampling != nil {
		all = append(all, window.Phase{Name: profileTag, Operations: p.Operations})
	}
	return all
}

// agingOps is the operations of each write test that ages a table for the reads
// behind it: as many as are measured where the plan says so, else a tenth of the
// table, which is seconds of a write test.
func agingOps(p *plan.Plan) int64 {
	return max(1, firstOf(p.WriteOperations, p.Operations, int64(p.Tables)*p.Rows/10))
}

func firstOf(ns ...int64) int64 {
	for _, n := range ns {
		if n > 0 {
			return n
		}
	}
	return 0
}

// ready gives a start's server the data that it is to begin from.
func (r *runner) ready(ctx context.Context, l *live, s Start) error {
	site := l.site
	loaded, todo := missingPast(r.plan, s, site.past, site.dirty)
	site.dirty = site.dirty || loaded // until it is done: it may fail halfway
	switch {
	case loaded && replays(r.plan):
		r.clock.doing("%s: load the data anew", s.ID(r.plan))
		if err := r.fillSite(ctx, site); err != nil {
			return err
		}
	case loaded:
		r.clock.doing("%s: restore the data", s.ID(r.plan))
		restored, err := site.Restore(ctx)
		if err != nil {
			return err
		}
		if restored.SettleNote != "" {
			l.notes = append(l.notes, restored.SettleNote)
		}
	}
	if loaded {
		site.dirty, site.past = false, nil
	}
	if len(todo) == 0 {
		return nil
	}
	return r.replay(ctx, site, s, todo)
}

// replay does write tests without measuring them.
func (r *runner) replay(ctx context.Context, site *site, s Start, todo []Past) (err error) {
	r.clock.doing("%s: start a server for %s without measuring", s.ID(r.plan), count(len(todo), "write test"))
	site.dirty = true
	inst, err := site.Start(ctx, server.StartOptions{TCP: r.plan.Transport == plan.TCP})
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, inst.Stop(context.WithoutCancel(ctx)))
		if err == nil {
			site.dirty = false
		}
	}()
	ctx, unwatch := inst.Watched(ctx)
	defer unwatch()
	for _, past := range todo {
		r.clock.doing("%s: %s as in repeat %d, without measuring", s.ID(r.plan), past.Cell.Test.ID, past.Repeat)
		if err := r.redo(ctx, site, inst, past); err != nil {
			return fmt.Errorf("do %s again, as in repeat %d: %w", past.Cell.Test.ID, past.Repeat, hungOr(ctx, err))
		}
		site.past = append(site.past, past)
	}
	return nil
}

func (r *runner) redo(ctx context.Context, site *site, inst *server.Instance, past Past) (err error) {
	load, err := workload.StartBuiltin(ctx, workload.BuiltinConfig{
		Access: r.access(site.version, inst), Test: past.Cell.Test, Data: r.data(),
		Clients: past.Cell.Clients, Seed: r.plan.Seed, Repeat: past.Repeat, CPUs: r.plan.ClientCPUs,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, load.Stop()) }()
	for _, ph := range r.ways.of(past.Pass).phases(r.plan, past.Cell.Test) {
		if err := drive(ctx, load, ph.Name, window.Length{Operations: ph.Operations}); err != nil {
			return err
		}
	}
	return nil
}

// did notes a start's write test that was done as the plan says.
func (l *live) did(p *plan.Plan, s Start, c Cell) {
	if c.Test.Write && replays(p) {
		l.site.dirty = false
		l.site.past = append(l.site.past, Past{c, s.Repeat, s.Pass})
	}
}
