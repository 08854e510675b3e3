// Package live finds and reaches a server that is not ours: one that serves
// others, and that nobody may disturb.
//
// It reads /proc, connects once to the server, and sends statements that only
// read. It must never signal the server (not even with signal 0), trace it,
// stop it, write to its files or memory, run its binary, change a setting (not
// even one of its own session), or connect again by itself. It measures
// nothing: what it finds is what collectors need to know of a process.
package live

import (
	"fmt"
	"time"
)

// Server is one mysqld or mariadbd.
type Server struct {
	// PID as this machine numbers it; 0 when the process cannot be seen from
	// here (another machine, a proxy), with the Reason beside it: then only the
	// server's own counters can be had.
	PID        int
	Reason     string
	StartTicks uint64 // field 22 of /proc/PID/stat: with PID it names the process for good
	PIDFD      int    // a pidfd of [Find], given back by Close; -1 where there is none
	// Root is /proc/PID/root where the process sees other files than we do
	// (a container, a chroot, a systemd unit's private /tmp), else "".
	Root string
	// Exe is the server's binary as it can be opened from here: its path, or
	// /proc/PID/exe where the file was replaced since the start; "" when this
	// user may not know.
	Exe      string
	Version  string        // "10.11.19", as its binary says; "" when it does not: [Conn] knows
	Flavor   string        // "mariadb" or "mysql"; "" with an unknown version
	Socket   string        // the unix socket as it can be reached from here; "" when unknown
	Uptime   time.Duration // since the process began
	User     string        // whom it runs as: the name, else the number
	Launcher string        // what started it, where that can be told: "mysqld_safe (pid 812)", "systemd (mariadb.service)", "container (docker 3f2a...)"
	// NSTIDs maps a thread's id as the server says it to its id here; nil: they
	// are the same. Threads that begin later are not in it: see [ThreadIDs].
	NSTIDs map[int]int
	// Net and Addr are where [Login] connects: "unix" and a path, or "tcp" and
	// host:port; "" when unknown.
	Net, Addr string
	Warnings  []Warning

	proc   string // where /proc is
	peer   int    // who answered on the socket when Find connected; 1 under systemd's socket activation
	proven bool   // the kernel said that Addr is this process's
	link   *link  // the connection that Find made; Login takes it over
}

// String is the server for people: "mariadbd 10.11.19 (pid 812)".
func (s Server) String() string {
	if s.PID == 0 {
		return fmt.Sprintf("the server at %s", s.Addr)
	}
	name := "server"
	switch s.Flavor {
	case flavorMariaDB:
		name = "MariaDB"
	case flavorMySQL:
		name = "MySQL"
	}
	if s.Version != "" {
		name += " " + s.Version
	}
	return fmt.Sprintf("%s (pid %d)", name, s.PID)
}

// Warning is something found on the way that stops nothing: what, and the next
// step.
type Warning struct{ Text string }

func (w Warning) String() string { return w.Text }

func warnf(format string, args ...any) Warning { return Warning{fmt.Sprintf(format, args...)} }

// Ask says which server is meant. With nothing given it is the machine's only
// one.
type Ask struct {
	Proc   string // where /proc is; "": there
	PID    int
	Socket string
	DSN    string // user@net(address)/?tls=..., as go-sql-driver/mysql reads it
}
