package live

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// link is a connection on which nothing was said yet.
type link struct {
	conn net.Conn
	made time.Time
}

const (
	dialTimeout = 10 * time.Second
	// linkAge is how long a link may wait for its login: servers hang up after
	// connect_timeout, 10 s by default and 5 s in old ones.
	linkAge = 3 * time.Second
	// maxSocketPath is sun_path of man unix.7 less its final NUL.
	maxSocketPath = 107
)

func (l *link) close() {
	if l != nil && l.conn != nil {
		_ = l.conn.Close() // nothing was sent on it
		l.conn = nil
	}
}

// dialUnix connects to a socket and gives who listens there: 0 when that
// process is outside our PID namespace.
func dialUnix(ctx context.Context, path string) (net.Conn, int, error) {
	conn, err := connect(ctx, path)
	if err != nil {
		return nil, 0, socketError(path, err)
	}
	pid, err := peerPID(conn)
	if err != nil {
		_ = conn.Close()
		return nil, 0, fmt.Errorf("who listens on %s: %w", path, err)
	}
	return conn, pid, nil
}

// connect waits while the server's queue of new connections is full: the kernel
// then refuses at once (EAGAIN of man unix.7), and a busy server soon has room.
func connect(ctx context.Context, path string) (net.Conn, error) {
	if len(path) > maxSocketPath {
		dir, err := unix.Open(filepath.Dir(path), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, err
		}
		defer unix.Close(dir)
		path = filepath.Join("/proc/self/fd", strconv.Itoa(dir), filepath.Base(path))
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	var full error
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
		switch {
		case errors.Is(err, syscall.EAGAIN):
			full = err
		case full != nil && errors.Is(err, context.DeadlineExceeded): // the time ran out in the call
			return nil, full
		default:
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, full
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// socketError says what is wrong with a socket, and what to do.
func socketError(path string, err error) error {
	const find = "opcost attach without --socket finds the servers of this machine"
	info, statErr := os.Stat(path)
	switch {
	case strings.HasPrefix(path, "@"):
		return fmt.Errorf("socket %s: %w; %s", path, err, find)
	case errors.Is(statErr, fs.ErrNotExist):
		return fmt.Errorf("socket %s: there is no such file: its server does not run, or listens elsewhere; %s", path, find)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("socket %s: uid %d may not connect to it: run opcost as root or as the server's user", path, os.Geteuid())
	case statErr == nil && info.Mode().Type() != os.ModeSocket:
		return fmt.Errorf("socket %s: this is no socket; %s", path, find)
	case errors.Is(err, syscall.EAGAIN):
		return fmt.Errorf("socket %s: its server takes no new connections, their queue is full: it is stuck or overloaded; try again, or measure without a login (--pid)", path)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("socket %s: nobody listens on it, a server that has ended left it behind; %s", path, find)
	}
	return fmt.Errorf("socket %s: %w; %s", path, err, find)
}

// peerPID is the process that listens on the other end (SO_PEERCRED, man
// unix.7), as this machine numbers it; 0 when it cannot be seen from our PID
// namespace.
func peerPID(conn net.Conn) (int, error) {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, fmt.Errorf("no unix socket but %T", conn)
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) {
		cred, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return 0, err
	}
	if failed != nil {
		return 0, failed
	}
	return int(cred.Pid), nil
}
