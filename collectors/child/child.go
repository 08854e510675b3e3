// Package child starts the helper programs that measuring needs (perf,
// valgrind, servers of ours) so that they can never outlive us: each has a
// process group of its own (Ctrl-C on our terminal does not reach it), a clean
// C locale, no pipe it could hold open, and is killed by the kernel when we
// die. It knows nothing of what it starts.
package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Spec is a program to start. Argv[0] is looked up on PATH.
type Spec struct {
	Argv       []string
	Env        []string // added to [Environ]
	Dir        string
	Stdin      *os.File // nil: /dev/null
	Stdout     *os.File // nil: /dev/null. Files only: a pipe would be held open by an orphan
	Stderr     *os.File
	ExtraFiles []*os.File // descriptor 3 and up
	CPUs       []int      // pinned to these; nil: everywhere
	MemoryNode *int       // the NUMA node that all its memory is taken from; nil: any
}

// Proc is a program that runs, or has ended.
type Proc struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// Environ is our environment without what would change what a tool prints
// (locales, settings of perf and valgrind) or make it go to the network
// (debuginfod), without passwords, and without the folders of PATH that depend on
// where we happen to be.
func Environ() []string {
	var env []string
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		switch {
		case name == "LANG", name == "LANGUAGE", strings.HasPrefix(name, "LC_"),
			name == "DEBUGINFOD_URLS", name == "MYSQL_PWD", name == "VALGRIND_OPTS", name == "PERF_CONFIG":
		case name == "PATH":
			env = append(env, "PATH="+absolute(value))
		default:
			env = append(env, kv)
		}
	}
	// With this perf reads no ~/.perfconfig and no /etc/perfconfig (perf's
	// util/config.c), which can name programs and servers.
	return append(env, "LC_ALL=C", "PERF_CONFIG="+os.DevNull)
}

// absolute keeps the folders of a PATH that are the same wherever a program is
// started: "." and an empty one are the current folder's.
func absolute(path string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(d string) bool { return !filepath.IsAbs(d) })
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// Start starts the program. The kernel sends it SIGKILL when the thread that
// made it ends (PDEATHSIG is about threads, golang/go#27505), so that thread is
// locked and waits until the program has ended.
func Start(s Spec) (*Proc, error) {
	if len(s.Argv) == 0 {
		return nil, errors.New("no program to start")
	}
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	cmd.Env = append(Environ(), s.Env...)
	cmd.Dir = s.Dir
	if s.Stdin != nil {
		cmd.Stdin = s.Stdin
	}
	if s.Stdout != nil {
		cmd.Stdout = s.Stdout
	}
	if s.Stderr != nil {
		cmd.Stderr = s.Stderr
	}
	cmd.ExtraFiles = s.ExtraFiles
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p := &Proc{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		if len(s.CPUs) > 0 {
			// A child inherits the mask of the thread that forks it; this
			// thread is never given back to the scheduler.
			var set unix.CPUSet
			for _, c := range s.CPUs {
				set.Set(c)
			}
			if err := unix.SchedSetaffinity(0, &set); err != nil {
				started <- fmt.Errorf("pin %s to CPUs %v: %w", s.Argv[0], s.CPUs, err)
				return
			}
		}
		if s.MemoryNode != nil {
			if err := bindMemory(*s.MemoryNode); err != nil {
				started <- fmt.Errorf("bind the memory of %s: %w", s.Argv[0], err)
				return
			}
		}
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// PID is the program's process id.
func (p *Proc) PID() int { return p.cmd.Process.Pid }

// Done is closed when the program has ended.
func (p *Proc) Done() <-chan struct{} { return p.done }

// Err is how the program ended: nil for exit status 0. Valid after Done.
func (p *Proc) Err() error { return p.err }

// ExitCode is the exit status, -1 for a signal. Valid after Done.
func (p *Proc) ExitCode() int { return p.cmd.ProcessState.ExitCode() }

// CPU is the processor time that the program used, with that of its children
// that it waited for. Valid after Done.
func (p *Proc) CPU() time.Duration {
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}

// Signal sends a signal to the program, unless it has ended.
func (p *Proc) Signal(sig syscall.Signal) error {
	select {
	case <-p.done:
		return os.ErrProcessDone
	default:
		return p.cmd.Process.Signal(sig)
	}
}

// Stop sends sig, waits for the grace, then kills the program's whole group.
// It returns when the program has ended.
func (p *Proc) Stop(sig syscall.Signal, grace time.Duration) error {
	_ = p.Signal(sig) // an error means that it has ended, seen below
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-p.done:
		return nil
	case <-t.C:
	}
	_ = syscall.Kill(-p.PID(), syscall.SIGKILL)
	<-p.done
	return fmt.Errorf("%s (pid %d) did not end within %v of %v and was killed", p.cmd.Args[0], p.PID(), grace, sig)
}

// Output runs a program to its end and gives what it printed, up to 16 MiB of
// each stream. The error, if any, is an *exec.ExitError or names the program.
func Output(ctx context.Context, argv ...string) (stdout, stderr string, err error) {
	if len(argv) == 0 {
		return "", "", errors.New("no program to run")
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = Environ()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var out, errb bytes.Buffer
	cmd.Stdout, cmd.Stderr = &limited{w: &out, left: 16 << 20}, &limited{w: &errb, left: 16 << 20}
	ended := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		ended <- cmd.Run()
	}()
	err = <-ended
	return out.String(), errb.String(), err
}

// limited keeps the first bytes and takes the rest without keeping it.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := len(p)
	if len(p) > l.left {
		p = p[:l.left]
	}
	l.left -= len(p)
	if _, err := l.w.Write(p); err != nil {
		return 0, err
	}
	return n, nil
}
