package perfstat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"opcost/collectors"
	"opcost/collectors/child"
	"opcost/collectors/internal/perfcontrol"
	"opcost/collectors/probe"
)

// patience is how long perf may take. On a busy machine it opens a descriptor a
// thread and event before it listens.
type patience struct{ attach, edge, end time.Duration }

var usual = patience{attach: 30 * time.Second, edge: 10 * time.Second, end: 10 * time.Second}

// attempts to attach: a thread that ends while perf opens its counters makes
// perf give up.
const attempts = 3

type collector struct {
	set  EventSet
	wait patience
}

// New makes the collector of one event set.
func New(set EventSet) collectors.Collector { return collector{set, usual} }

func (collector) Name() string { return "perfstat" }

// Arm starts perf on the process and returns when perf has attached. Nothing is
// counted yet.
func (c collector) Arm(ctx context.Context, t collectors.Target, caps probe.Caps) (collectors.Armed, error) {
	what := "perf stat (event set " + c.set.Name + ")"
	for _, a := range []probe.Ability{caps.Perf.Ability, caps.Perf.Control} {
		if !a.OK {
			return nil, &collectors.Unsupported{What: what, Reason: a.Reason, Remedy: a.Remedy}
		}
	}
	if len(c.set.events()) == 0 {
		return nil, fmt.Errorf("%s: no event", what)
	}
	a := &armed{set: c.set, target: t, caps: caps, wait: c.wait}
	for n := 1; ; n++ {
		err := a.start(ctx)
		if err == nil {
			return a, nil
		}
		end := a.abandon(err)
		if !errors.Is(err, perfcontrol.ErrEnded) {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		why := end.explain(t.PID)
		switch {
		case n < attempts && why.retry && ctx.Err() == nil:
			continue
		case why.unsupported:
			return nil, &collectors.Unsupported{What: what, Reason: why.reason, Remedy: why.remedy}
		}
		return nil, fmt.Errorf("%s: %s", what, why.reason)
	}
}

// armed is perf, attached.
type armed struct {
	set     EventSet
	target  collectors.Target
	caps    probe.Caps
	wait    patience
	perf    *child.Proc
	control *perfcontrol.Control
	stderr  *os.File // has no name any more
	out     string   // perf's output
	keep    bool     // it is evidence
	begun   bool
	ended   bool
	edge    error // what went wrong at an edge
}

func (a *armed) start(ctx context.Context) error {
	if err := a.files(); err != nil {
		return err
	}
	control, theirs, err := perfcontrol.Open()
	if err != nil {
		return err
	}
	a.control = control
	a.perf, err = child.Start(child.Spec{Argv: a.argv(), Stderr: a.stderr, ExtraFiles: theirs})
	for _, f := range theirs {
		_ = f.Close() // ours; perf has its own
	}
	if err != nil {
		return err
	}
	if err := control.Send(ctx, perfcontrol.Disable, a.wait.attach); err != nil {
		return err
	}
	return a.sameProcess()
}

// sameProcess makes sure that the process lives, and that its pid was not given
// to another. perf itself goes on with a process that has ended and was not yet
// waited for by its parent.
func (a *armed) sameProcess() error {
	p, err := procfs.NewProc(a.target.PID)
	if err != nil {
		return fmt.Errorf("process %d is gone: %w", a.target.PID, err)
	}
	s, err := p.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("process %d is gone: %w", a.target.PID, err)
	case s.State == "Z":
		return fmt.Errorf("process %d (%s) has ended", a.target.PID, s.Comm)
	case a.target.StartTicks != 0 && s.Starttime != a.target.StartTicks:
		return fmt.Errorf("pid %d is another process now (%s)", a.target.PID, s.Comm)
	}
	return nil
}

// Begin starts the counters: they run when it returns.
func (a *armed) Begin(ctx context.Context) error {
	a.begun = true
	a.edge = a.control.Send(ctx, perfcontrol.Enable, a.wait.edge)
	return a.edge
}

// End stops the counters: they stand when it returns.
func (a *armed) End(ctx context.Context) error {
	if a.edge == nil {
		a.ended = true
		a.edge = a.control.Send(ctx, perfcontrol.Disable, a.wait.edge)
	}
	if a.edge == nil {
		a.edge = a.sameProcess()
	}
	return a.edge
}

// stop ends perf, which then prints its counts, and gives how it ended.
func (a *armed) stop() ending {
	if a.control != nil {
		defer a.control.Close()
	}
	if a.stderr != nil {
		defer a.stderr.Close()
	}
	if a.perf == nil {
		return ending{}
	}
	early := a.endedByItself()
	err := a.perf.Stop(syscall.SIGINT, a.wait.end)
	return ending{early: early, hung: err, code: a.perf.ExitCode(), err: a.perf.Err(), stderr: a.complaints()}
}

// endedByItself tells whether perf ended before it was told to. When it closed
// its control descriptors it is about to, and its exit status is worth waiting for.
func (a *armed) endedByItself() bool {
	select {
	case <-a.perf.Done():
		return true
	default:
	}
	if !errors.Is(a.edge, perfcontrol.ErrEnded) {
		return false
	}
	select {
	case <-a.perf.Done():
		return true
	case <-time.After(a.wait.end):
		return false
	}
}

// complaints is what perf printed on stderr, up to a limit.
func (a *armed) complaints() string {
	b := make([]byte, 16<<10)
	n, err := a.stderr.ReadAt(b, 0)
	if n == 0 && err != nil && !errors.Is(err, os.ErrClosed) {
		return ""
	}
	return string(b[:n])
}

// abandon clears up after a start that failed.
func (a *armed) abandon(err error) ending {
	a.edge = err
	end := a.stop()
	a.edge = nil
	// An attempt's output says nothing; a missing file is none.
	_ = os.Remove(a.out)
	return end
}
