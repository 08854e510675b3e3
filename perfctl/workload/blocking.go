package workload

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// blocking is a connection over a socket in blocking mode: a query costs the
// client one write and one read, where Go's poller would add an epoll_wait, a
// read that comes too early, and idle threads spinning. The price is a thread
// for each connection, which a client has anyway.
type blocking struct {
	file        *os.File // its lock keeps the descriptor alive under a read when Close comes
	local, peer net.Addr
	buf         []byte
	unread      []byte
	failed      atomic.Pointer[error]
}

// readAhead is the size of the read buffer. The driver's own holds 4 KiB, so a
// large result would cost it a system call every 4 KiB; libmysqlclient reads
// 16 KiB at a time.
const readAhead = 16 << 10

// dialBlocking is a dialer.
func dialBlocking(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{KeepAlive: -1}
	c, err := d.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	defer c.Close() // what is kept is a duplicate of its descriptor
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil, err
	}
	fd, dupErr := -1, error(nil)
	if err := raw.Control(func(p uintptr) {
		fd, dupErr = unix.FcntlInt(p, unix.F_DUPFD_CLOEXEC, 0)
	}); err != nil {
		return nil, err
	}
	if dupErr != nil {
		return nil, fmt.Errorf("duplicate the socket to %s: %w", addr, dupErr)
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("make the socket to %s blocking: %w", addr, err)
	}
	return &blocking{
		file: os.NewFile(uintptr(fd), addr), local: c.LocalAddr(), peer: c.RemoteAddr(),
		buf: make([]byte, readAhead),
	}, nil
}

func (b *blocking) Read(p []byte) (int, error) {
	if len(b.unread) == 0 {
		n, err := b.file.Read(b.buf)
		if err != nil {
			b.failed.CompareAndSwap(nil, &err)
			return 0, err
		}
		b.unread = b.buf[:n]
	}
	n := copy(p, b.unread)
	b.unread = b.unread[n:]
	return n, nil
}

func (b *blocking) Write(p []byte) (int, error) {
	n, err := b.file.Write(p)
	if err != nil {
		b.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// Close also wakes a read or write under way in another thread.
func (b *blocking) Close() error {
	if c, err := b.file.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_RDWR) }) // already shut: as wanted
	}
	return b.file.Close()
}

// err is the first fault of the socket. The driver keeps it to itself.
func (b *blocking) err() error {
	if p := b.failed.Load(); p != nil {
		return *p
	}
	return nil
}

func (b *blocking) LocalAddr() net.Addr  { return b.local }
func (b *blocking) RemoteAddr() net.Addr { return b.peer }

// Deadlines have no meaning on a blocking socket; the driver sets none unless
// it is configured to.
func (b *blocking) SetDeadline(time.Time) error      { return os.ErrNoDeadline }
func (b *blocking) SetReadDeadline(time.Time) error  { return os.ErrNoDeadline }
func (b *blocking) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }
