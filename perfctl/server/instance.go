package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"opcost/collectors/child"
)

// Instance is a running server of ours.
type Instance struct {
	site    *Site
	proc    *child.Proc // the server, or the launcher that waits for it
	control *Control
	pid     int
	ticks   uint64
	exited  <-chan struct{}
	release func() // of the guard; nil for our own child
	unlock  func()
	runDir  string
	tcpAddr string
	logPath string
	argv    []string
	stopped bool
}

// stopGrace is how long a server may take to write out what it must.
const stopGrace = 60 * time.Second

// identify finds the process that serves the socket. A launcher that forks has
// another pid than its server.
func (i *Instance) identify() error {
	pid, err := peerPID(i.control.net)
	if err != nil {
		return fmt.Errorf("find the server's process: %w", err)
	}
	ticks, err := startTicks(pid)
	if err != nil {
		return fmt.Errorf("find the server's process: pid %d: %w", pid, err)
	}
	i.pid, i.ticks = pid, ticks
	if pid == i.proc.PID() {
		i.exited = i.proc.Done()
		return nil
	}
	i.exited = watch(pid, ticks)
	if err := i.site.spec.started(pid); err != nil {
		_ = i.signal(syscall.SIGKILL)
		return err
	}
	if i.release, err = guard(pid); err != nil {
		_ = i.signal(syscall.SIGKILL)
		return fmt.Errorf("guard the server of a launcher that forks: %w", err)
	}
	return nil
}

// PID is the server's own process id, not its launcher's.
func (i *Instance) PID() int { return i.pid }

// StartTicks is field 22 of /proc/PID/stat.
func (i *Instance) StartTicks() uint64 { return i.ticks }

// Socket is the server's unix socket.
func (i *Instance) Socket() string { return filepath.Join(i.runDir, socketName) }

// TCPAddr is host:port, "" without TCP.
func (i *Instance) TCPAddr() string { return i.tcpAddr }

// User is the account to log in with, over TCP where the server listens there,
// else over the socket; it has no password.
func (i *Instance) User() string {
	if i.tcpAddr != "" {
		return clientUser
	}
	return rootUser
}

// Argv is how the server was started, wrapper and launcher included. Options
// that carry secrets never get into it.
func (i *Instance) Argv() []string { return slices.Clone(i.argv) }

// Exited is closed when the server's process has ended, for whatever reason.
func (i *Instance) Exited() <-chan struct{} { return i.exited }

// EndedWithin waits so long for the server's process to end, and says how it did.
func (i *Instance) EndedWithin(wait time.Duration) (how string, ended bool) {
	select {
	case <-i.exited:
	case <-time.After(wait):
		return "", false
	}
	if i.release != nil {
		return "how is for its launcher to say", true
	}
	return i.site.ending(i.proc), true
}

// Control is the control connection, made when the server was waited for.
func (i *Instance) Control() *Control { return i.control }

// LogPath is the file that holds this start's error log.
func (i *Instance) LogPath() string { return i.logPath }

// LogTail is the end of the error log, at most 30 lines.
func (i *Instance) LogTail() string { return strings.Join(lastLines(i.site.said(i.logPath), 30), "\n") }

// Stop asks the server to shut down and waits. One that does not within 60 s,
// or when the context ends, is killed, and its data counts as unclean. A
// server that had ended before Stop is an error too. Stop may be called again.
func (i *Instance) Stop(ctx context.Context) error { return i.stop(ctx, stopGrace) }

func (i *Instance) stop(ctx context.Context, grace time.Duration) error {
	if i.stopped {
		return nil
	}
	i.stopped = true
	err := i.shutdown(ctx, grace)
	if err != nil {
		i.site.unclean = err.Error()
		err = i.site.errorf("%w\n  | %s\n  its log: %s", err, strings.Join(errorLines(i.site.said(i.logPath)), "\n  | "), i.logPath)
	}
	if i.release != nil {
		i.release()
	}
	_ = os.RemoveAll(i.runDir) // a socket nobody listens on
	i.site.clean(i.logPath)
	i.site.running = nil
	i.unlock()
	return err
}

func (i *Instance) shutdown(ctx context.Context, grace time.Duration) error {
	select {
	case <-i.exited:
		i.control.close()
		_ = i.reap() // it had ended by itself, which is the error to tell
		return fmt.Errorf("it had ended before it was stopped: %s", i.site.ending(i.proc))
	default:
	}
	i.control.close()
	_ = i.signal(syscall.SIGTERM) // an error means that it has just ended
	_ = i.signal(syscall.SIGCONT) // one that somebody has stopped can shut down too
	timer := time.NewTimer(grace)
	defer timer.Stop()
	var killed error
	select {
	case <-i.exited:
	case <-timer.C:
		killed = fmt.Errorf("it (pid %d) did not shut down within %v and was killed; its data needs recovery: restore or initialise it again", i.pid, grace)
	case <-ctx.Done():
		killed = fmt.Errorf("it (pid %d) was killed, because the wait for its shutdown was ended (%w); its data needs recovery: restore or initialise it again", i.pid, ctx.Err())
	}
	if killed != nil {
		_ = i.signal(syscall.SIGKILL)
		_ = syscall.Kill(-i.proc.PID(), syscall.SIGKILL)
		<-i.exited
	}
	if again := i.reap(); again != nil && killed == nil {
		return again
	}
	if err := i.proc.Err(); killed == nil && err != nil && i.release == nil {
		return fmt.Errorf("it did not shut down cleanly: %w", err)
	}
	return killed
}

// reap waits for a launcher after its server, and ends what it left in its
// group. A launcher that starts the server again has had it killed on the data.
func (i *Instance) reap() error {
	select {
	case <-i.proc.Done():
		return nil
	case <-time.After(5 * time.Second):
	}
	again := onData(i.site.data(), i.proc.PID())
	_ = syscall.Kill(-i.proc.PID(), syscall.SIGKILL)
	<-i.proc.Done()
	if again == 0 {
		return nil
	}
	return fmt.Errorf("its launcher started it again (pid %d) after it had shut down, which had to be killed; its data needs recovery: give a launcher that ends with its server (not mysqld_safe)", again)
}

// onData is a process whose command line names the data folder and is not that
// of the launcher (whose subshells have it too); 0 where there is none.
func onData(data string, launcher int) int {
	procs, err := procfs.AllProcs()
	if err != nil {
		return 0 // no server could have been measured here
	}
	front, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", launcher)) // empty when it has just ended
	for _, p := range procs {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
		if err == nil && !bytes.Equal(text, front) && bytes.Contains(text, []byte("\x00--datadir="+data+"\x00")) {
			return p.PID
		}
	}
	return 0
}

// signal reaches the server's own process, if it is still the same.
func (i *Instance) signal(sig syscall.Signal) error {
	if i.release == nil && i.pid == i.proc.PID() {
		return i.proc.Signal(sig)
	}
	if now, err := startTicks(i.pid); err != nil || now != i.ticks {
		return errors.Join(os.ErrProcessDone, err)
	}
	return syscall.Kill(i.pid, sig)
}
