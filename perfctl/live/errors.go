package live

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrNone is wrapped by the error of Find when no server runs here.
var ErrNone = errors.New("no mysqld or mariadbd runs on this machine")

// Several is the error of Find when more than one server could be meant.
type Several struct{ Servers []Server }

func (e *Several) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d servers run on this machine; choose one with --pid or --socket:", len(e.Servers))
	for _, s := range e.Servers {
		socket := s.Socket
		if socket == "" {
			socket = "socket unknown"
		}
		version := strings.TrimSpace(s.Flavor + " " + s.Version)
		if version == "" {
			version = "version unknown"
		}
		fmt.Fprintf(&b, "\n  --pid %d  %s, %s, user %s, up %v", s.PID, version, socket, s.User, s.Uptime.Truncate(time.Second))
	}
	return b.String()
}

// Mismatch is the error of a pid, a socket or a DSN that mean different
// servers.
type Mismatch struct {
	Given string // "pid 812", "--socket /run/a.sock"
	Other string // "--socket /run/b.sock"
	Is    string // what Other leads to: "mariadbd (pid 900)"
}

func (e *Mismatch) Error() string {
	return fmt.Sprintf("%s is not the server of %s, which is %s: give only one of them, or two that belong together", e.Given, e.Other, e.Is)
}
