package live

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// Ended tells whether the process is gone, or its pid another's. A server
// whose process cannot be seen never ends.
func (s Server) Ended() bool { return s.ended(0) }

// ended waits up to that long for the end.
func (s Server) ended(wait time.Duration) bool {
	switch {
	case s.PID == 0:
		time.Sleep(wait)
		return false
	case s.PIDFD > 0:
		// A pidfd can be read from when its process has ended.
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(s.PIDFD), Events: unix.POLLIN}}, int(wait.Milliseconds()))
		return err == nil && n > 0
	}
	time.Sleep(wait)
	p, err := readProcess(procOr(s.proc), s.PID)
	return err != nil || p.zombie() || p.stat.Starttime != s.StartTicks
}

// Wait returns nil when the process has ended, else the context's error. It
// must have returned before Close.
func (s Server) Wait(ctx context.Context) error {
	const look = 100 * time.Millisecond
	for {
		if s.ended(look) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// Close gives back the handle of the process, and ends Find's connection if no
// Login took it.
func (s *Server) Close() error {
	s.link.close()
	s.link = nil
	if s.PIDFD <= 0 { // the zero Server holds nothing
		return nil
	}
	fd := s.PIDFD
	s.PIDFD = -1
	return unix.Close(fd)
}
