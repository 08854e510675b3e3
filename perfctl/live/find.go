package live

import (
	"context"
	"fmt"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// Find gives the server that is meant (see [Ask]). A pid or a socket chooses
// the process, a DSN where to log in, and a DSN alone both. What is given must
// mean the same server, else the error is a *[Mismatch]; more than one server
// where none was named is *[Several]; none at all wraps [ErrNone].
//
// A socket is connected to once, to ask the kernel who listens there. That
// connection is Login's, so that a server sees one connection, not one that is
// broken off: read the credentials first, and close a Server that nobody logs
// in to.
func Find(ctx context.Context, ask Ask) (Server, error) {
	proc := procOr(ask.Proc)
	var dsn dsn
	if ask.DSN != "" {
		var err error
		if dsn, err = parseDSN(ask.DSN); err != nil {
			return Server{}, err
		}
	}
	s, err := find(ctx, proc, ask, dsn)
	if err != nil {
		return Server{}, err
	}
	s.Warnings = append(s.Warnings, dsn.warnings...)
	if err := s.hold(); err != nil {
		_ = s.Close()
		return Server{}, err
	}
	return s, nil
}

func find(ctx context.Context, proc string, ask Ask, d dsn) (Server, error) {
	var s Server
	var err error
	given := ""
	switch {
	case ask.PID != 0:
		given = fmt.Sprintf("--pid %d", ask.PID)
		s, err = ofPID(proc, ask.PID)
		if err == nil && s.Addr == "" && ask.Socket == "" && d.addr == "" {
			s.tryUsualSockets(ctx)
		}
	case ask.Socket != "":
		s, err = ofSocket(ctx, proc, ask.Socket)
	case d.net == "unix":
		s, err = ofSocket(ctx, proc, d.addr)
	case d.net == "tcp":
		return ofTCP(ctx, proc, d.addr)
	default:
		if s, err = only(proc); err == nil && s.Addr == "" {
			s.tryUsualSockets(ctx)
		}
	}
	if err != nil {
		return Server{}, err
	}
	if ask.Socket != "" && given != "" {
		if s, err = agree(ctx, proc, s, given, "--socket "+ask.Socket, func() (Server, error) { return ofSocket(ctx, proc, ask.Socket) }); err != nil {
			return Server{}, err
		}
	}
	if given == "" {
		given = "--socket " + ask.Socket
	}
	switch {
	case d.net == "unix" && (ask.PID != 0 || ask.Socket != "" && ask.Socket != d.addr):
		return agree(ctx, proc, s, given, "the DSN's socket "+d.addr, func() (Server, error) { return ofSocket(ctx, proc, d.addr) })
	case d.net == "tcp":
		return agree(ctx, proc, s, given, "the DSN's address "+d.addr, func() (Server, error) { return ofTCP(ctx, proc, d.addr) })
	}
	return s, nil
}

// agree checks that a second way leads to the same process, and logs in by the
// second way. One whose process cannot be seen is left for [Login] to prove.
func agree(ctx context.Context, proc string, s Server, given, other string, second func() (Server, error)) (Server, error) {
	t, err := second()
	if err != nil {
		_ = s.Close()
		return Server{}, err
	}
	if t.PID != 0 && t.PID != s.PID {
		_, _ = s.Close(), t.Close()
		return Server{}, &Mismatch{Given: given, Other: other, Is: t.String()}
	}
	s.link.close()
	s.Net, s.Addr, s.link, s.peer = t.Net, t.Addr, t.link, t.peer
	s.proven = t.PID != 0 && t.proven
	return s, nil
}

// only is the machine's only server.
func only(proc string) (Server, error) {
	servers, warnings := List(proc)
	switch len(servers) {
	case 0:
		return Server{}, none(proc, warnings)
	case 1:
		servers[0].Warnings = append(servers[0].Warnings, warnings...)
		return servers[0], nil
	}
	return Server{}, &Several{servers}
}

// hold opens a handle of the process, and looks whether it is still the same.
func (s *Server) hold() error {
	if s.PID == 0 || s.proc != "/proc" {
		return nil
	}
	// Kernels before 5.3 have none; then the start time alone names it.
	if fd, err := unix.PidfdOpen(s.PID, 0); err == nil {
		s.PIDFD = fd
	}
	if ticks, err := startTicks(s.proc, s.PID); err != nil || ticks != s.StartTicks {
		return fmt.Errorf("%s ended while it was looked at", s)
	}
	return nil
}

func startTicks(proc string, pid int) (uint64, error) {
	fsys, err := procfs.NewFS(proc)
	if err != nil {
		return 0, err
	}
	p, err := fsys.Proc(pid)
	if err != nil {
		return 0, err
	}
	stat, err := p.Stat()
	return stat.Starttime, err
}
