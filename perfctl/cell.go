package perfctl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"opcost/collectors"
	"opcost/collectors/mysqlstatus"
	"opcost/perfctl/quality"
	"opcost/perfctl/result"
	"opcost/perfctl/window"
	"opcost/perfctl/workload"
)

// cell measures one workload at one number of clients, and writes its run.
func (r *runner) cell(ctx context.Context, l *live, s Start, c Cell) (err error) {
	run := r.record(l, s, c)
	dir, err := r.evidence(run.ID)
	if err != nil {
		return err
	}
	defer r.opts.Folder.Release(run.ID)
	name := fmt.Sprintf("%s: %s, %s", s.ID(r.plan), c.Test.ID, count(c.Clients, "client"))

	r.clock.doing("%s: scan what the workload reads", name)
	if err := workload.Warm(ctx, r.access(l.site.version, l.Instance), r.data(), []workload.Test{c.Test}); err != nil {
		return err
	}
	r.describe(ctx, l, c, &run)
	if !r.plan.Driver.Own() {
		return r.driven(ctx, l, s, c, &run, dir, name)
	}
	load, err := r.connect(ctx, l, s, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, load.Stop()) }()

	r.clock.doing("%s: warm up", name)
	if err := drive(ctx, load, warmupPhase, l.way.warmup(r.plan, c.Test)); err != nil {
		return err
	}

	target := l.target(ctx, load, dir)
	passes := l.way.passes(r.plan, c.Test, r.opts.Caps, l.wrap)
	done := result.Pass{Kind: s.Pass, State: result.OK}
	var failed error
	for i, p := range passes {
		r.clock.doing("%s: window %d of %d (%v)", name, i+1, len(passes), p.Length)
		target.Tag = fmt.Sprintf("w%d-%s", i, p.Phase)
		w, err := Measure(ctx, target, p, load, load)
		if err != nil {
			failed = err
			break
		}
		if load.Err() != nil {
			if how, gone := l.EndedWithin(lastBreath); gone {
				partial(&w, "the server has ended: "+how)
			}
		}
		w.Readings = append(w.Readings, l.way.lacking...)
		w.Latency = load.Latency()
		finish(&run, &w, p, c, dir)
		done.Windows = append(done.Windows, w)
		if w.State != result.OK {
			failed = errors.New(w.Reason)
			break
		}
	}
	if len(done.Windows) == 0 {
		return failed // nothing was measured, so there is nothing to keep
	}
	if failed != nil { // what the windows before gave stands
		done.State, done.Reason = result.Partial, failed.Error()
	}
	run.Passes = []result.Pass{done}
	if failed == nil {
		failed = r.profile(ctx, name, l, load, target, &run)
	}
	if failed == nil && c.Test.Write {
		r.clock.doing("%s: what the writes left for later", name)
		failed = l.deferred(ctx, &run, target, load)
	}
	return errors.Join(failed, r.opts.Folder.Write(run))
}

// record is a run before its windows.
func (r *runner) record(l *live, s Start, c Cell) result.Run {
	v, p := l.site.version, r.plan
	driver := driverOf(p.Driver)
	run := result.Run{
		Schema: result.Schema, ID: s.RunID(p, c), Host: hostname(), Started: time.Now(), PlanHash: p.Hash, Seed: p.Seed,
		Repeat: s.Repeat, Start: l.id, Version: v.Name, Place: s.Version, Base: p.Base, Workload: c.Test.ID, Group: string(c.Test.Group), Clients: c.Clients,
		Driver: driver.Name, Protocol: driver.Protocol(c.Test, string(v.Session.Protocol)), Transport: string(p.Transport),
		Charset: v.Session.Charset, TLS: v.Session.TLS, Tables: p.Tables, Rows: p.Rows, Machine: r.opts.Caps.Machine(), Server: l.about,
	}
	if !driver.Own() {
		run.Charset = workload.DriversOwn // its client library chooses it
	}
	for _, n := range append(l.site.notes[:len(l.site.notes):len(l.site.notes)], l.notes...) {
		run.Warnings = append(run.Warnings, result.Warning{Code: "server", Text: n})
	}
	return run
}

// target is the server's process with the threads that serve the load.
func (l *live) target(ctx context.Context, load *workload.Builtin, dir string) collectors.Target {
	t := collectors.Target{
		PID: l.PID(), StartTicks: l.StartTicks(), PIDFD: -1, Exe: l.site.Identity.Path, SQL: l.Control(), Evidence: dir,
	}
	tids, err := l.ThreadsOf(ctx, load.ConnectionIDs())
	if err != nil {
		t.ConnTIDsReason = err.Error()
	} else {
		t.ConnTIDs = tids
	}
	return t
}

// drive lets the load run for a length, unmeasured.
func drive(ctx context.Context, gate window.Gate, phase string, l window.Length) error {
	if l.Duration == 0 && l.Operations == 0 {
		return nil
	}
	var w result.Window
	wait(ctx, &w, Pass{Phase: phase, Length: l}, gate, nil)
	// A server that has stopped answering must not hold us.
	closing, cancel := closingTime(ctx)
	defer cancel()
	if err := quiesce(closing, gate); err != nil {
		return err
	}
	if w.State == result.Partial {
		return errors.New(w.Reason)
	}
	return ctx.Err()
}

// finish adds to a window what only the whole of it can tell: the server's own
// count of the operations, and the checks of its quality.
func finish(run *result.Run, w *result.Window, p Pass, c Cell, dir string) {
	w.Evidence = evidenceOf(dir, w.ID)
	if n, ok := mysqlstatus.Statements(w.Readings); ok {
		w.OtherOps = append(w.OtherOps, result.OpCount{Source: result.SourceServer, Per: workload.PerStatement, End: n})
	}
	w.Readings = append(w.Readings, hitsAndMisses(*w, c.Test)...)
	w.Quality = quality.Check(*w, p.Kind, c.Clients)
	for _, q := range w.Quality {
		if !q.OK {
			run.Warnings = append(run.Warnings, result.Warning{Code: q.Name, Text: fmt.Sprintf("window %s: %s", w.ID, q.Text)})
		}
	}
}

// evidenceOf lists what the window's collectors left in the folder.
func evidenceOf(dir, tag string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, tag+"*"))
	for i, f := range files {
		files[i] = filepath.Base(f)
	}
	return files
}

func hostname() string {
	h, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return h
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
