package live

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// ofSocket is the server behind a unix socket.
func ofSocket(ctx context.Context, proc, path string) (Server, error) {
	if abs, err := filepath.Abs(path); err == nil && path[0] != '@' {
		path = abs
	}
	conn, peer, err := dialUnix(ctx, path)
	if err != nil {
		return Server{}, err
	}
	s, err := listening(proc, path, peer)
	if err != nil {
		_ = conn.Close()
		return Server{}, fmt.Errorf("socket %s: %w", path, err)
	}
	s.Net, s.Addr, s.Socket, s.peer = "unix", path, path, peer
	s.link = &link{conn: conn, made: time.Now()}
	return s, nil
}

// listening is the server that accepts a socket's connections. The kernel names
// who called listen(2): the server, or systemd under socket activation, or a
// process that has forked since and is gone.
func listening(proc, path string, peer int) (Server, error) {
	if peer == 0 {
		return Server{PIDFD: -1, proc: proc, Reason: "its server's process is outside of this container's processes: run opcost on the host to measure it"}, nil
	}
	p, err := readProcess(proc, peer)
	if err == nil {
		if name, loaded := p.serverProgram(); name != "" {
			s, err := describe(proc, p, loaded)
			s.proven = err == nil
			return s, err
		}
		if p.exe != "" && isServer(proc, p) {
			s, err := describe(proc, p, false)
			s.proven = err == nil
			return s, err
		}
	}
	unixes, _ := listeners(filepath.Join(proc, "net"))
	inodes := map[uint64]bool{}
	for _, l := range unixes {
		if l.path == path {
			inodes[l.inode] = true
		}
	}
	s, found, err := holder(proc, inodes)
	if found || err != nil {
		return s, err
	}
	who := fmt.Sprintf("a process that has ended (pid %d)", peer)
	if p.comm != "" {
		who = p.String()
	}
	return Server{PIDFD: -1, proc: proc, Reason: fmt.Sprintf("it is %s that listens on %s and passes connections on: only the server's own counters can be read; if the server runs on this machine, give its --pid too (%s)", who, path, others(proc))}, nil
}

// holder is the server that has one of these sockets open.
func holder(proc string, inodes map[uint64]bool) (s Server, found bool, err error) {
	servers, _ := List(proc)
	for _, s := range servers {
		held, err := heldSockets(proc, s.PID)
		if err != nil {
			continue
		}
		for inode := range inodes {
			if held[inode] {
				s.proven = true
				return s, true, nil
			}
		}
	}
	return Server{}, false, nil
}

// tryUsualSockets looks for the socket of a process whose open files this user
// may not see, among the sockets that listen under a server's usual names. The
// kernel says which one is this process's.
func (s *Server) tryUsualSockets(ctx context.Context) {
	unixes, _ := listeners(filepath.Join(s.proc, "net"))
	for _, l := range unixes {
		if !slices.Contains(usualSockets, filepath.Base(l.path)) {
			continue
		}
		conn, peer, err := dialUnix(ctx, l.path)
		if err != nil {
			continue
		}
		if peer == s.PID {
			s.Net, s.Addr, s.Socket, s.peer, s.proven = "unix", l.path, l.path, peer, true
			s.link = &link{conn: conn, made: time.Now()}
			return
		}
		_ = conn.Close()
	}
}

var usualSockets = []string{"mysqld.sock", "mysql.sock", "mariadb.sock", "mariadbd.sock"}
