package workload

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"opcost/collectors/child"
	"opcost/perfctl/window"
)

// External is a load by a program that is not ours: sysbench, mysqlslap, any
// command. It does not tell how far it is, so its operations are the server's
// to count. It is used in one of two ways:
//
//   - Run starts it for a time; windows are made while it runs, without a gate;
//   - as a window.Gate: a phase is one whole run of the program, of a number of
//     operations, so that the server is at rest at both edges. Its connecting
//     is then part of the window.
type External struct {
	cfg    ExternalConfig
	grace  time.Duration // for a program to end by itself, beyond its time
	bounds limits
	token  string // marks what the runs start, with the run's number

	mu      sync.Mutex
	proc    *child.Proc
	done    chan struct{} // of proc's run
	err     error         // the first failure
	ended   time.Duration // CPU time of the runs that have ended
	told    bool          // proc was stopped by us
	stopped bool          // for good
	phases  []string
}

var _ window.Gate = (*External)(nil)

// NewExternal checks what is to be run, and starts nothing.
func NewExternal(cfg ExternalConfig) (*External, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &External{cfg: cfg, grace: 30 * time.Second, bounds: limits{outputMax, stuckMax}, token: rand.Text()}, nil
}

// Run starts the program for a time, rounded up to seconds.
func (e *External) Run(phase string, d time.Duration) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	seconds := int64((d + time.Second - 1) / time.Second)
	return e.start(phase, lasting{seconds: seconds})
}

// Release begins a phase, see [window.Gate].
func (e *External) Release(p window.Phase) <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.start(p.Name, lasting{operations: p.Operations}); err != nil {
		e.fail(err)
		closed := make(chan struct{})
		close(closed)
		return closed
	}
	return e.done
}

func (e *External) start(phase string, l lasting) error {
	switch {
	case e.err != nil:
		return e.err
	case e.stopped:
		return fmt.Errorf("%s was stopped", e.name())
	case e.proc != nil:
		return fmt.Errorf("%s was started while it ran", e.name())
	case l.operations == 0 && l.seconds == 0:
		return fmt.Errorf("%s: neither a time nor a number of operations", e.name())
	}
	argv, err := e.cfg.argv(phase, l)
	if err != nil {
		return fmt.Errorf("%s: %w", e.name(), err)
	}
	out, err := os.OpenFile(e.Output(phase), os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("%s: %w", e.name(), err)
	}
	defer out.Close()
	fmt.Fprintln(out, "#", strings.Join(argv, " "))
	mark := fmt.Sprintf("%s-%d", e.token, len(e.phases))
	env := append(e.cfg.Env[:len(e.cfg.Env):len(e.cfg.Env)], runVariable+"="+mark)
	proc, err := child.Start(child.Spec{Argv: argv, Env: env, Dir: e.cfg.folder(), Stdout: out, Stderr: out, CPUs: e.cfg.CPUs})
	if err != nil {
		return fmt.Errorf("start %s: %w", e.name(), err)
	}
	if e.cfg.Started != nil {
		if err := e.cfg.Started(proc.PID()); err != nil {
			return errors.Join(err, proc.Stop(syscall.SIGKILL, 0))
		}
	}
	e.proc, e.told, e.done = proc, false, make(chan struct{})
	e.phases = append(e.phases, phase)
	go e.reap(proc, phase, mark, e.done)
	go e.watch(proc.PID(), phase, l.operations > 0, e.done)
	return nil
}

// reap waits for the end of the program and of all that it has started, and
// keeps what they used.
func (e *External) reap(proc *child.Proc, phase, mark string, done chan struct{}) {
	<-proc.Done()
	left, used, leftErr := endRest(proc.PID(), mark)
	e.mu.Lock()
	defer e.mu.Unlock()
	defer close(done)
	e.ended += proc.CPU() + used
	e.proc = nil
	if st, err := os.Stat(e.Output(phase)); err == nil && st.Size() > e.bounds.output {
		_ = os.Truncate(e.Output(phase), e.bounds.output) // see watch: it has failed
	}
	if err := e.outcome(proc, phase); err != nil && !e.told {
		e.fail(fmt.Errorf("%s failed: %w: %s (all it said: %s)", e.name(), err, e.lastWords(phase), filepath.Base(e.Output(phase))))
	}
	switch {
	case leftErr != nil:
		e.fail(fmt.Errorf("%s left processes behind: %w", e.name(), leftErr))
	case len(left) > 0 && !e.told:
		e.fail(fmt.Errorf("%s ended before what it had started, which was ended: %s; have it wait for them, else they go on into the next window", e.name(), strings.Join(left[:min(5, len(left))], ", ")))
	}
}

// outcome is how the program ended. mysqlslap ends with 0 when clients of it
// cannot connect or their statements fail, and says so.
func (e *External) outcome(proc *child.Proc, phase string) error {
	if err := proc.Err(); err != nil || e.cfg.Driver.Name != DriverMysqlslap {
		return err
	}
	said, err := ending(e.Output(phase), e.bounds.output)
	if err != nil {
		return err
	}
	if strings.Contains(said, "\n"+e.cfg.Identity.Path+": ") {
		return errors.New("some of its statements were not sent")
	}
	return nil
}

// fail keeps the first error.
func (e *External) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

func (e *External) name() string { return "driver " + e.cfg.Driver.Name }

// Output is the file that holds the command line and all that the program said.
func (e *External) Output(phase string) string {
	return filepath.Join(e.cfg.Dir, fmt.Sprintf("%s-%s-%s.out", e.cfg.Tag, phase, e.cfg.Driver.Name))
}

// lastWords are the lines of an output that say why it failed.
func (e *External) lastWords(phase string) string {
	b, err := ending(e.Output(phase), 64<<10)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(b), "\n")
	if strings.HasPrefix(lines[0], "# ") {
		lines = lines[1:] // the command line
	}
	var fatal []string
	for _, l := range lines {
		l = l[:min(len(l), 500)]
		if strings.Contains(l, "FATAL") || strings.Contains(strings.ToLower(l), "error") {
			fatal = append(fatal, l)
		}
	}
	if fatal == nil {
		fatal = lines[max(0, len(lines)-3):]
	}
	if len(fatal) == 0 || len(fatal) == 1 && fatal[0] == "" {
		return "it said nothing"
	}
	return strings.Join(fatal[:min(3, len(fatal))], "; ")
}

// Quiesce waits until the phase's run has ended, see [window.Gate].
func (e *External) Quiesce(ctx context.Context) error {
	e.mu.Lock()
	done, running := e.done, e.proc != nil
	e.mu.Unlock()
	if running {
		select {
		case <-done:
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("%s had not done its operations: %w", e.name(), context.Cause(ctx)), e.Stop())
		}
	}
	return e.Err()
}

// Running: the program has been started and has not ended.
func (e *External) Running() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.proc != nil
}

// Ended is closed when the run that was started last has ended; nil before one.
func (e *External) Ended() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.done
}

// Finish lets the program end by itself and give its report, for d and a grace;
// then it is stopped, which is an error unless it knows no end of its own.
func (e *External) Finish(d time.Duration) error {
	e.mu.Lock()
	done, running := e.done, e.proc != nil
	e.mu.Unlock()
	if !running {
		return e.Err()
	}
	if e.cfg.Driver.Name == DriverMysqlslap {
		return errors.Join(e.end(), e.Err())
	}
	t := time.NewTimer(d + e.grace)
	defer t.Stop()
	select {
	case <-done:
		return e.Err()
	case <-t.C:
	}
	return errors.Join(fmt.Errorf("%s did not end by itself within %v of its time and was stopped", e.name(), e.grace), e.end(), e.Err())
}

// Stop ends the program, where it runs, and all that it has started. It is not
// started again.
func (e *External) Stop() error {
	e.mu.Lock()
	e.stopped = true
	e.mu.Unlock()
	return e.end()
}

// end ends a run of the program.
func (e *External) end() error {
	e.mu.Lock()
	proc, done := e.proc, e.done
	e.told = true
	e.mu.Unlock()
	if proc == nil {
		return nil
	}
	_ = syscall.Kill(-proc.PID(), syscall.SIGTERM) // its group: a shell does not hand it on
	err := proc.Stop(syscall.SIGTERM, 10*time.Second)
	<-done
	return err
}

// Err is why the program failed; nil while it has not.
func (e *External) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// Driver is what drives, for a record.
func (e *External) Driver() (Driver, Identity) { return e.cfg.Driver, e.cfg.Identity }

// Phases are those that were started, in order.
func (e *External) Phases() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.phases...)
}

// CPU is the processor time of the program and what it started, in this run and
// the ones before.
func (e *External) CPU() (time.Duration, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.proc == nil {
		return e.ended, nil
	}
	running, err := groupCPU(e.proc.PID())
	return e.ended + running, err
}
