package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"

	"opcost/collectors/child"
)

// StartOptions are of one start.
type StartOptions struct {
	Wrap    func(argv []string) []string // puts valgrind in front of the server; nil: nothing
	Extra   []string                     // options of this start only
	TCP     bool                         // listens on 127.0.0.1, on a free port, besides the socket
	CPUs    []int                        // nil: the Spec's
	Timeout time.Duration                // 0: 180 s (a start under valgrind takes 5-20 s)
}

const (
	defaultTimeout = 180 * time.Second
	portAttempts   = 3
	maxSocketPath  = 107 // bytes, sun_path of man unix.7 less its final NUL
)

// Start starts the server on the site's data and waits until it accepts a
// connection. A server that ends before, or is not there in time, is a
// *StartError with its log's error lines.
func (s *Site) Start(ctx context.Context, o StartOptions) (*Instance, error) {
	given, err := parseOptions(s.spec.Options, fromPlan)
	if err != nil {
		return nil, s.errorf("%w", err)
	}
	extra, err := parseOptions(o.Extra, fromStart)
	if err == nil {
		err = checkOptions(extra)
	}
	if err != nil {
		return nil, s.errorf("%w", err)
	}
	given = append(given, extra...)
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	if !s.state.Initialised {
		unlock()
		return nil, s.errorf("not initialised")
	}
	if err := s.checkSystemTables(); err != nil {
		unlock()
		return nil, err
	}
	if o.TCP {
		if err := s.beforeTCP(ctx, o, given); err != nil {
			unlock()
			return nil, err
		}
	}
	for attempt := 1; ; attempt++ {
		i, err := s.startOnce(ctx, o, given)
		if err == nil {
			i.unlock = unlock
			s.running = i
			return i, nil
		}
		// Between choosing a free port and its use another program may take it.
		var failed *StartError
		taken := o.TCP && errors.As(err, &failed) && strings.Contains(strings.Join(failed.Lines, "\n"), "Address already in use")
		if !taken || attempt == portAttempts {
			unlock()
			return nil, err
		}
	}
}

func (s *Site) startOnce(ctx context.Context, o StartOptions, given []option) (_ *Instance, err error) {
	i := &Instance{site: s}
	if i.runDir, err = socketDir(s.spec.Sockets); err != nil {
		return nil, s.errorf("%w", err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(i.runDir)
			s.clean(i.logPath)
		}
	}()
	s.starts++
	i.logPath = s.nextLog()
	p := s.places()
	p["socket"], p["log"] = i.Socket(), i.logPath
	if s.spec.TLS {
		if p["cert"], p["key"], err = s.certificate(); err != nil {
			return nil, s.errorf("%w", err)
		}
	}
	if o.TCP {
		port, err := freePort()
		if err != nil {
			return nil, s.errorf("find a free port: %w", err)
		}
		p["port"] = strconv.Itoa(port)
		i.tcpAddr = net.JoinHostPort("127.0.0.1", p["port"])
	}
	moved, _, err := relocate(slices.Concat(s.file, given), s.data())
	if err != nil {
		return nil, s.errorf("%w", err)
	}
	if o.TCP && slices.ContainsFunc(slices.Concat(s.file, given), func(o option) bool { return o.name() == "skip-networking" }) {
		moved = append(moved, "--skip-networking=0") // MySQL 5.1 on; a plan that asks for TCP means it
	}
	holds := map[When]bool{SocketOnly: !o.TCP, WithTCP: o.TCP, WithoutTLS: !s.spec.TLS, WithTLS: s.spec.TLS, AsRoot: serverUser() != ""}
	args := serverArgs(s.Identity, s.spec, p, holds, given, moved)
	i.argv = wrapArgv(s.spec.Launcher, append([]string{s.spec.Mysqld}, args...), o.Wrap)
	cpus := o.CPUs
	if cpus == nil {
		cpus = s.spec.CPUs
	}
	// The log is open for appending by us and by the server itself: what comes
	// before it has read --log-error lands in the same file.
	log, err := os.OpenFile(i.logPath, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, s.errorf("%w", err)
	}
	defer log.Close()
	i.proc, err = child.Start(child.Spec{Argv: i.argv, Env: s.spec.environ(), Dir: s.tmp(), Stdout: log, Stderr: log, CPUs: cpus, MemoryNode: s.spec.NUMA})
	if err != nil {
		return nil, s.failed("start", err, i.logPath, given)
	}
	if err := s.spec.started(i.proc.PID()); err != nil {
		i.discard()
		return nil, s.errorf("%w", err)
	}
	timeout := o.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	if err := s.await(ctx, i, timeout); err != nil {
		i.discard()
		failure := s.failed("start", err, i.logPath, given)
		var hang *Hang
		if o.Wrap != nil && (errors.Is(err, context.DeadlineExceeded) || errors.As(err, &hang)) && failure.Remedy == "" {
			failure.Remedy = "under valgrind an InnoDB that uses io_uring stops all threads for good: give innodb-use-native-aio=0"
		}
		return nil, failure
	}
	return i, nil
}

// await waits until the server accepts a connection, or has ended. A launcher may
// rest while its server works, so only a server without one is seen to hang.
func (s *Site) await(ctx context.Context, i *Instance, timeout time.Duration) error {
	began := time.Now()
	waitCtx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if len(s.spec.Launcher) == 0 {
		var unwatch context.CancelFunc
		waitCtx, unwatch = watched(waitCtx, i.proc.PID(), hangLook, hangLooks)
		defer unwatch()
	}
	go func() { // an ended server ends a connection attempt too
		select {
		case <-i.proc.Done():
			cancel()
		case <-waitCtx.Done():
		}
	}()
	pause := 10 * time.Millisecond
	for {
		control, err := connect(waitCtx, i.Socket(), s.Identity)
		if err == nil {
			i.control = control
			return i.identify()
		}
		var refused *mysql.MySQLError
		if errors.As(err, &refused) {
			return fmt.Errorf("it accepts connections, but not root without a password over its socket: %w", err)
		}
		select {
		case <-i.proc.Done():
			return fmt.Errorf("it ended after %.1f s, before it accepted a connection: %s", time.Since(began).Seconds(), s.ending(i.proc))
		case <-waitCtx.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			select {
			case <-i.proc.Done():
				continue // its end has cancelled the wait: say that
			default:
			}
			var hang *Hang
			if errors.As(context.Cause(waitCtx), &hang) {
				return fmt.Errorf("before it accepted a connection: %w", hang)
			}
			return fmt.Errorf("it accepted no connection on its socket within %v (last attempt: %v): %w", timeout, err, waitCtx.Err())
		case <-time.After(pause):
			pause = min(pause*5/4, 200*time.Millisecond)
		}
	}
}

// ending is how a process that has ended did, in words.
func (s *Site) ending(p *child.Proc) string {
	switch err := p.Err(); {
	case err != nil:
		return err.Error()
	case len(s.spec.Launcher) > 0:
		return "exit status 0 (a launcher must stay until its server ends, or become it by exec)"
	}
	return "exit status 0, as after a shutdown"
}

// discard ends what a failed start left.
func (i *Instance) discard() {
	if i.control != nil {
		i.control.close()
	}
	_ = i.proc.Stop(syscall.SIGTERM, 10*time.Second) // an error says that it had to be killed, which is what is wanted
	_ = syscall.Kill(-i.proc.PID(), syscall.SIGKILL) // what a launcher forked; the group may be gone already
}

// socketDir makes a short folder that only this user may enter: socket paths
// are limited, and the site's folder may lie deep.
func socketDir(given string) (string, error) {
	if given != "" {
		return os.MkdirTemp(given, "s")
	}
	for _, parent := range []string{os.TempDir(), "/tmp"} {
		if len(filepath.Join(parent, "opcost-0123456789", socketName)) > maxSocketPath {
			continue
		}
		return os.MkdirTemp(parent, "opcost-")
	}
	return "", errors.New("no folder for a socket: TMPDIR and /tmp are both too long")
}

const socketName = "mysqld.sock"

func freePort() (int, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// nextLog is a new log's path; logs of earlier starts stay as evidence.
func (s *Site) nextLog() string {
	for {
		path := filepath.Join(s.logs, fmt.Sprintf("server-%03d.err", s.starts))
		if _, err := os.Stat(path); err != nil {
			return path
		}
		s.starts++
	}
}
