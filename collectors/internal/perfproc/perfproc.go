// Package perfproc runs one perf that is attached to a process, is disabled at
// first, and obeys the commands of its control descriptors. It does not know
// what perf counts or samples, nor where it writes.
package perfproc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"opcost/collectors/child"
	"opcost/collectors/internal/perfcontrol"
)

// Spec says which perf to run. Argv has perf's options -D -1 and --control
// [perfcontrol.Argument] among its words.
type Spec struct {
	Argv       []string
	PID        int    // the process that perf attaches to
	StartTicks uint64 // field 22 of its /proc/PID/stat; 0: not known
	Wait       Patience
}

// Patience is how long perf may take. On a busy machine it opens a descriptor a
// thread, event and CPU before it listens.
type Patience struct{ Attach, Edge, End time.Duration }

// Usual is what perf needs at most on a busy machine. To end can take long: perf
// writes what it has, and looks for build ids in every file that was mapped.
var Usual = Patience{Attach: 30 * time.Second, Edge: 10 * time.Second, End: time.Minute}

// Proc is perf, attached.
type Proc struct {
	spec    Spec
	perf    *child.Proc
	control *perfcontrol.Control
	stderr  *os.File // has no name any more
	edge    error    // what went wrong at an edge
}

// Start starts perf and returns when it has attached and the process still is
// the one that was meant. After an error perf has ended, and how is said.
func Start(ctx context.Context, s Spec) (*Proc, Ending, error) {
	p := &Proc{spec: s}
	if err := p.start(ctx); err != nil {
		p.edge = err
		return nil, p.Stop(), err
	}
	return p, Ending{}, nil
}

func (p *Proc) start(ctx context.Context) error {
	// A file and no pipe, which whoever outlives us would hold open.
	f, err := os.CreateTemp("", "opcost-perf-")
	if err != nil {
		return err
	}
	p.stderr = f
	if err := os.Remove(f.Name()); err != nil {
		return err
	}
	control, theirs, err := perfcontrol.Open()
	if err != nil {
		return err
	}
	p.control = control
	p.perf, err = child.Start(child.Spec{Argv: p.spec.Argv, Stderr: p.stderr, ExtraFiles: theirs})
	for _, f := range theirs {
		_ = f.Close() // ours; perf has its own
	}
	if err != nil {
		return err
	}
	if err := control.Send(ctx, perfcontrol.Disable, p.spec.Wait.Attach); err != nil {
		return err
	}
	return SameProcess(p.spec.PID, p.spec.StartTicks)
}

// PID is perf's own.
func (p *Proc) PID() int { return p.perf.PID() }

// Enable returns when perf's events run.
func (p *Proc) Enable(ctx context.Context) error { return p.send(ctx, perfcontrol.Enable) }

// Disable returns when perf's events stand.
func (p *Proc) Disable(ctx context.Context) error { return p.send(ctx, perfcontrol.Disable) }

func (p *Proc) send(ctx context.Context, command string) error {
	if p.edge == nil {
		p.edge = p.control.Send(ctx, command, p.spec.Wait.Edge)
	}
	return p.edge
}

// Stop ends perf, which then writes what it has, and gives how it ended. It may
// be called once.
func (p *Proc) Stop() Ending {
	if p.control != nil {
		defer p.control.Close()
	}
	if p.stderr != nil {
		defer p.stderr.Close()
	}
	if p.perf == nil {
		return Ending{}
	}
	early := p.endedByItself()
	err := p.perf.Stop(syscall.SIGINT, p.spec.Wait.End)
	return Ending{Early: early, Hung: err, Code: p.perf.ExitCode(), Err: p.perf.Err(), Stderr: p.said()}
}

// endedByItself tells whether perf ended before it was told to. When it closed
// its control descriptors it is about to, and its exit status is worth waiting for.
func (p *Proc) endedByItself() bool {
	select {
	case <-p.perf.Done():
		return true
	default:
	}
	if !errors.Is(p.edge, perfcontrol.ErrEnded) {
		return false
	}
	select {
	case <-p.perf.Done():
		return true
	case <-time.After(p.spec.Wait.End):
		return false
	}
}

// said is what perf printed on stderr, up to a limit.
func (p *Proc) said() string {
	b := make([]byte, 16<<10)
	n, _ := p.stderr.ReadAt(b, 0) // what cannot be read says nothing
	return string(b[:n])
}

// SameProcess makes sure that a process lives, and that its pid was not given to
// another. perf itself goes on with a process that has ended and was not yet
// waited for by its parent.
func SameProcess(pid int, ticks uint64) error {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return fmt.Errorf("process %d is gone: %w", pid, err)
	}
	s, err := p.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("process %d is gone: %w", pid, err)
	case s.State == "Z":
		return fmt.Errorf("process %d (%s) has ended", pid, s.Comm)
	case ticks != 0 && s.Starttime != ticks:
		return fmt.Errorf("pid %d is another process now (%s)", pid, s.Comm)
	}
	return nil
}
