package live

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// List gives the servers of the machine, in the order of their pids, without
// connecting to any. proc is where /proc is, "" for there. Processes that are
// named like a server and are none are left out with a warning. PIDFD is -1.
func List(proc string) ([]Server, []Warning) {
	proc = procOr(proc)
	pids, err := processes(proc)
	if err != nil {
		return nil, []Warning{warnf("the machine's processes cannot be listed: %v", err)}
	}
	var servers []Server
	var warnings []Warning
	for _, pid := range pids {
		p, err := readProcess(proc, pid)
		if err != nil || p.zombie() || p.kernel() {
			continue // it has just ended, or serves nobody
		}
		name, loaded := p.serverProgram()
		if name == "" {
			continue
		}
		s, err := describe(proc, p, loaded)
		if err != nil {
			warnings = append(warnings, warnf("pid %d is named %s and was left out: %v", pid, name, err))
			continue
		}
		servers = append(servers, s)
	}
	return servers, warnings
}

func procOr(proc string) string {
	if proc == "" {
		return "/proc"
	}
	return proc
}

// describe gathers what can be known of a server's process without connecting.
func describe(proc string, p process, loaded bool) (Server, error) {
	s := Server{PID: p.PID, StartTicks: p.stat.Starttime, PIDFD: -1, proc: proc, Uptime: uptimeOf(proc, p)}
	s.Root = rootOf(proc, p.PID)
	inner, err := innerID(p.Proc)
	if err != nil {
		return Server{}, err
	}
	if inner != 0 {
		if s.NSTIDs, err = ThreadIDs(proc, p.PID); err != nil {
			return Server{}, err
		}
	}
	s.User = userOf(p, inner != 0)
	s.Launcher = launcherOf(proc, p, inner != 0)

	var replaced bool
	s.Exe, replaced = exeOf(proc, p, s.Root, loaded)
	if replaced {
		s.Warnings = append(s.Warnings, warnf("the binary of pid %d was replaced or removed since it started (an upgrade that waits for a restart): what runs, and is measured, is the old one", p.PID))
	}
	switch {
	case s.Exe != "":
		s.Flavor, s.Version, err = versionOf(s.Exe)
		if errors.Is(err, errNoServer) {
			return Server{}, fmt.Errorf("%s: %w", s.Exe, err)
		}
	case p.hidden:
		as := "root"
		if s.User != "" && s.User != as {
			as += " or as " + s.User
		}
		s.Warnings = append(s.Warnings, warnf("pid %d belongs to %s, and uid %d may not look at its binary, open files and root: run opcost as %s for what needs them", p.PID, s.User, os.Geteuid(), as))
	}
	s.Socket, s.proven = socketOf(proc, p, s.Root)
	if s.Socket != "" {
		s.Net, s.Addr = "unix", s.Socket
	} else if addr := tcpAddrOf(proc, p); addr != "" {
		s.Net, s.Addr, s.proven = "tcp", addr, true
	}
	return s, nil
}

var hidepid = regexp.MustCompile(`(?m)^\S+ \S+ proc \S*hidepid=(1|2|4|noaccess|invisible|ptraceable)`)

const hidden = "this machine hides other users' processes (hidepid of /proc): run opcost as root or as the server's user"

// hides tells whether processes of others may be there without us seeing them.
func hides(proc string) bool {
	mounts, err := os.ReadFile(filepath.Join(proc, "mounts"))
	return err == nil && os.Geteuid() != 0 && hidepid.Match(mounts)
}

// none is the error when there is no server, with what may hide one.
func none(proc string, warnings []Warning) error {
	hint := "start one, or name one of another machine with --dsn 'user@tcp(host:port)/'"
	if hides(proc) {
		hint = hidden
	}
	for _, w := range warnings {
		hint += "; " + w.Text
	}
	return fmt.Errorf("%w: %s", ErrNone, hint)
}
