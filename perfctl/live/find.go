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
	s, err := follow(ways(ctx, proc, ask, dsn))
	if err != nil {
		return Server{}, err
	}
	if s.PID != 0 && s.Addr == "" {
		s.tryUsualSockets(ctx)
	}
	s.Warnings = append(s.Warnings, dsn.warnings...)
	if err := s.hold(); err != nil {
		_ = s.Close()
		return Server{}, err
	}
	return s, nil
}

// way is one of the things that say which server is meant.
type way struct {
	name string // for messages
	to   func() (Server, error)
}

// ways are in the order of their say over the process. The last one is where
// to log in.
func ways(ctx context.Context, proc string, ask Ask, d dsn) []way {
	var all []way
	add := func(name string, to func() (Server, error)) { all = append(all, way{name, to}) }
	if ask.PID != 0 {
		add(fmt.Sprintf("--pid %d", ask.PID), func() (Server, error) { return ofPID(proc, ask.PID) })
	}
	if ask.Socket != "" {
		add("--socket "+ask.Socket, func() (Server, error) { return ofSocket(ctx, proc, ask.Socket) })
	}
	switch {
	case d.net == "unix" && d.addr != ask.Socket:
		add("the DSN's socket "+d.addr, func() (Server, error) { return ofSocket(ctx, proc, d.addr) })
	case d.net == "tcp":
		add("the DSN's address "+d.addr, func() (Server, error) { return ofTCP(ctx, proc, d.addr) })
	}
	if len(all) == 0 {
		add("this machine", func() (Server, error) { return only(proc) })
	}
	return all
}

// follow goes every way and checks that all lead to the same process. A way
// whose process cannot be seen is left for [Login] to prove.
func follow(ways []way) (Server, error) {
	s, err := ways[0].to()
	if err != nil {
		return Server{}, err
	}
	for _, w := range ways[1:] {
		t, err := w.to()
		if err != nil {
			_ = s.Close()
			return Server{}, err
		}
		if t.PID != 0 && t.PID != s.PID {
			_, _ = s.Close(), t.Close()
			return Server{}, &Mismatch{Given: ways[0].name, Other: w.name, Is: t.String()}
		}
		s.link.close()
		s.Net, s.Addr, s.link, s.peer = t.Net, t.Addr, t.link, t.peer
		s.proven = t.PID != 0 && t.proven
	}
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
