package perfctl

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"opcost/collectors"
	"opcost/collectors/mysqlstatus"
	"opcost/perfctl/result"
	"opcost/perfctl/window"
	"opcost/perfctl/workload"
)

// driven is a cell whose statements another program sends. It does not stop at
// a window's edges, and the server counts its operations. There are two ways:
//
//   - a time: the program runs throughout, and the windows are made while it
//     does, as those of a live server are, with the uncertainty of their edges;
//   - a number of operations: a window is one whole run of the program, so the
//     server is at rest at both edges. The program's connecting is in it.
type driven struct {
	r     *runner
	l     *live
	c     Cell
	load  *workload.External
	ops   *StatusOps // of the windows
	total *StatusOps // of all that the load does
	dir   string
	name  string
	run   *result.Run
}

// driven measures a cell with the plan's driver, and writes its run.
func (r *runner) driven(ctx context.Context, l *live, s Start, c Cell, run *result.Run, dir, name string) (err error) {
	load, err := workload.NewExternal(workload.ExternalConfig{
		Driver: driverOf(r.plan.Driver), Identity: r.driver, Access: r.access(l.site.version, l.Instance), Test: c.Test, Data: r.data(),
		Clients: c.Clients, Seed: r.plan.Seed, Repeat: s.Repeat, CPUs: r.plan.ClientCPUs, Dir: dir, Tag: "driver",
		Env: r.journal.Variables(), Started: r.journal.Started,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, load.Stop()) }()
	// Who stops us does not wait for the program's end, which may be hours away.
	defer context.AfterFunc(ctx, func() { _ = load.Stop() })()
	questions := func() *StatusOps {
		return &StatusOps{SQL: l.Control(), Per: workload.PerStatement, Names: []string{"Questions"}, Own: true}
	}
	d := &driven{r: r, l: l, c: c, load: load, dir: dir, name: name, run: run, ops: questions(), total: questions()}
	first, err := d.total.Read(ctx)
	if err != nil {
		return err
	}
	before, known := d.tlsAccepts(ctx)
	passes := l.way.passes(r.plan, c.Test, r.opts.Caps, l.wrap)
	done := result.Pass{Kind: s.Pass, State: result.OK}
	var failed error
	if passes[0].Length.Operations > 0 {
		failed = d.whole(ctx, passes, &done)
	} else {
		failed = d.during(ctx, passes, &done)
	}
	if failed == nil {
		failed = d.reports(&done)
	}
	if failed != nil {
		done.State, done.Reason = result.Failed, failed.Error()
		if len(done.Windows) > 0 {
			done.State = result.Partial
		}
	}
	if len(done.Windows) == 0 {
		return failed
	}
	run.Passes = []result.Pass{done}
	if after, still := d.tlsAccepts(ctx); known && still {
		withTLS(run, after-before)
	}
	if failed == nil && c.Test.Write {
		r.clock.doing("%s: what the writes left for later", name)
		failed = l.deferred(ctx, run, d.target(ctx, nil), since{d.total, first.End})
	}
	return errors.Join(failed, r.opts.Folder.Write(*run))
}

// since counts from a number on.
type since struct {
	window.Ops
	first int64
}

func (s since) Read(ctx context.Context) (result.OpCount, error) {
	n, err := s.Ops.Read(ctx)
	n.End -= s.first
	return n, err
}

// target is the server's process; the threads are those of the given connections.
func (d *driven) target(ctx context.Context, ids []uint64) collectors.Target {
	t := collectors.Target{PID: d.l.PID(), StartTicks: d.l.StartTicks(), PIDFD: -1, Exe: d.l.site.Identity.Path, SQL: d.l.Control(), Evidence: d.dir}
	if ids == nil {
		t.ConnTIDsReason = "the driver connects inside the window"
		return t
	}
	var err error
	if t.ConnTIDs, err = d.l.ThreadsOf(ctx, ids); err != nil {
		t.ConnTIDsReason = err.Error()
	}
	return t
}

// atRest asks for no count at the edges: the server is at rest there, so the
// status that is read outside all other collectors counts the same statements,
// and asking inside would cost the server some 20 million instructions.
type atRest struct{}

func (atRest) Read(context.Context) (result.OpCount, error) { return result.OpCount{}, nil }

// whole makes a window of each pass of one run of the program.
func (d *driven) whole(ctx context.Context, passes []Pass, done *result.Pass) error {
	warm := d.l.way.warmup(d.r.plan, d.c.Test)
	d.r.clock.doing("%s: warm up", d.name)
	if warm.Operations > 0 {
		if err := drive(ctx, d.load, warmupPhase, warm); err != nil {
			return err
		}
	} else if err := d.warmFor(ctx, warm.Duration); err != nil {
		return err
	}
	target := d.target(ctx, nil)
	for i, p := range passes {
		d.r.clock.doing("%s: window %d of %d (%v)", d.name, i+1, len(passes), p.Length)
		target.Tag = windowTag(i, p)
		p.Collectors = append(slices.Clone(p.Collectors), driverCPU{d.load})
		w, err := Measure(ctx, target, p, atRest{}, d.load)
		if err != nil {
			return err
		}
		n, ok := mysqlstatus.Statements(w.Readings)
		if !ok {
			return errors.New("the server's count of statements could not be had, so nothing can be divided by it")
		}
		w.Ops = result.OpCount{Source: result.SourceServer, Per: workload.PerStatement, End: n}
		if err := d.keep(&w, p, done); err != nil {
			return err
		}
	}
	return nil
}

// warmFor has the program run for a time.
func (d *driven) warmFor(ctx context.Context, length time.Duration) error {
	if length == 0 {
		return nil
	}
	if err := d.load.Run(warmupPhase, length); err != nil {
		return err
	}
	if err := d.pause(ctx, length); err != nil {
		return err
	}
	return d.load.Finish(time.Second)
}

// What a program takes to connect, and our arming in front of each window.
const (
	connecting = 2 * time.Second
	arming     = 2 * time.Second
	connectMax = time.Minute
)

// loadPhase names the run of a program that goes on through all windows.
const loadPhase = "load"

// during makes the windows while the program runs.
func (d *driven) during(ctx context.Context, passes []Pass, done *result.Pass) error {
	length := connecting + d.r.plan.Warmup
	for _, p := range passes {
		length += arming + p.Length.Duration
	}
	began := time.Now()
	if err := d.load.Run(loadPhase, length); err != nil {
		return err
	}
	d.r.clock.doing("%s: warm up", d.name)
	if _, err := d.connected(ctx); err != nil {
		return err
	}
	if err := d.pause(ctx, d.r.plan.Warmup); err != nil {
		return err
	}
	ids, err := d.connected(ctx) // some may have come since
	if err != nil {
		return err
	}
	target := d.target(ctx, ids)
	for i, p := range passes {
		d.r.clock.doing("%s: window %d of %d (%v)", d.name, i+1, len(passes), p.Length)
		target.Tag = windowTag(i, p)
		w, err := Measure(ctx, target, d.ungated(p), d.ops, nil)
		if err != nil {
			return errors.Join(err, d.load.Err())
		}
		if !d.load.Running() {
			partial(&w, "the driver ended before the window did")
			if err := d.load.Err(); err != nil {
				partial(&w, err.Error())
			}
		}
		if err := d.keep(&w, p, done); err != nil {
			return err
		}
	}
	d.r.clock.doing("%s: let the driver end", d.name)
	return d.load.Finish(max(0, length-time.Since(began)))
}

// ungated has the collectors of a pass as a window over a running load needs
// them: the server's status is read innermost, together with the operations.
func (d *driven) ungated(p Pass) Pass {
	p.Collectors = append(p.Collectors[1:len(p.Collectors):len(p.Collectors)], // the first is the status behind a gate
		driverCPU{d.load}, over{mysqlstatus.New(mysqlstatus.Options{}), d.ops.forCollector()})
	p.Counted = "mysqlstatus"
	return p
}

// pause is a time in which the program must not end.
func (d *driven) pause(ctx context.Context, length time.Duration) error {
	t := time.NewTimer(length)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-d.load.Ended():
		if err := d.load.Err(); err != nil {
			return err
		}
		phases := d.load.Phases()
		return fmt.Errorf("the driver ended before its time: it is told how long to run; %s has what it said", filepath.Base(d.load.Output(phases[len(phases)-1])))
	case <-ctx.Done():
		return ctx.Err()
	}
}

// connected waits until the server has the driver's connections, and gives their
// ids. A command may need fewer than its clients.
func (d *driven) connected(ctx context.Context) ([]uint64, error) {
	want := d.c.Clients
	switch d.r.plan.Driver.Name {
	case workload.DriverCommand:
		want = 1
	case workload.DriverMysqlslap:
		want++ // it has one of its own, which comes first
	}
	deadline := time.Now().Add(connectMax)
	for {
		rows, err := d.l.Control().Query(ctx, "SELECT ID FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND COMMAND NOT IN ('Daemon', 'Binlog Dump') AND USER NOT IN ('system user', 'event_scheduler')")
		if err != nil {
			return nil, err
		}
		if len(rows) >= want {
			ids := make([]uint64, len(rows))
			for i, row := range rows {
				if ids[i], err = strconv.ParseUint(row[0], 10, 64); err != nil {
					return nil, err
				}
			}
			return ids, nil
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("the driver made %d of %d connections within %v", len(rows), want, connectMax)
		}
		if err := d.pause(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// keep finishes a window and puts it into the pass.
func (d *driven) keep(w *result.Window, p Pass, done *result.Pass) error {
	w.Readings = append(ownCPUApart(w.Readings), d.l.way.lacking...)
	if !w.Gated {
		connectedInside(w)
	}
	for i := range w.Readings {
		if w.Readings[i].Name == driverCPUName {
			w.Readings[i].Name = "client_cpu_us"
		}
	}
	finish(d.run, w, p, d.c, d.dir)
	done.Windows = append(done.Windows, *w)
	if w.State != result.OK {
		done.State, done.Reason = result.Partial, w.Reason
		return errors.New(w.Reason)
	}
	return nil
}

func windowTag(i int, p Pass) string { return fmt.Sprintf("w%d-%s", i, p.Phase) }

// connectedInside takes back what was said of the threads that serve
// connections where new ones came inside the window: theirs are not known.
func connectedInside(w *result.Window) {
	i := slices.IndexFunc(w.Readings, func(g result.Reading) bool { return g.Name == "connections" && g.Value != nil && *g.Value > 0 })
	if i < 0 {
		return
	}
	why := fmt.Sprintf("the driver made %.0f new connections inside the window, whose threads are not known", *w.Readings[i].Value)
	for i := range w.Readings {
		if g := &w.Readings[i]; g.Value != nil && (g.Name == "cpu_connection_us" || g.Name == "cpu_background_us") {
			*g = result.Lacking(g.Name, g.Unit, g.Source, g.Scope, result.NotCounted, why, "have the driver keep its connections")
		}
	}
}
