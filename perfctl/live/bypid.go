package live

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// ofPID is the server that is this process.
func ofPID(proc string, pid int) (Server, error) {
	p, err := readProcess(proc, pid)
	switch {
	case errors.Is(err, fs.ErrNotExist) && hides(proc):
		return Server{}, fmt.Errorf("--pid %d: no such process can be seen; %s", pid, hidden)
	case errors.Is(err, fs.ErrNotExist):
		return Server{}, fmt.Errorf("--pid %d: there is no such process; %s", pid, others(proc))
	case err != nil:
		return Server{}, fmt.Errorf("--pid %d: %w", pid, err)
	case p.kernel():
		return Server{}, fmt.Errorf("--pid %d: this is a kernel thread (%s); %s", pid, p.comm, others(proc))
	case p.zombie():
		return Server{}, fmt.Errorf("--pid %d: %s has ended and waits for its parent to notice; %s", pid, p.comm, others(proc))
	}
	status, err := p.NewStatus()
	if err != nil {
		return Server{}, fmt.Errorf("--pid %d: %w", pid, err)
	}
	if status.TGID != 0 && status.TGID != pid {
		return Server{}, fmt.Errorf("--pid %d: this is a thread of process %d: give --pid %d", pid, status.TGID, status.TGID)
	}
	name, loaded := p.serverProgram()
	if name == "" {
		// A server under another name is one all the same; nobody may guess what
		// cannot be read.
		if p.exe == "" || !isServer(proc, p) {
			return Server{}, fmt.Errorf("--pid %d: %s is no MySQL or MariaDB server; %s", pid, p.comm, below(proc, pid))
		}
	}
	s, err := describe(proc, p, loaded)
	if err != nil {
		return Server{}, fmt.Errorf("--pid %d (%s): %w; %s", pid, name, err, others(proc))
	}
	return s, nil
}

func isServer(proc string, p process) bool {
	exe, _ := exeOf(proc, p, rootOf(proc, p.PID), false)
	_, _, err := versionOf(exe)
	return err == nil
}

// others names the servers that could have been meant.
func others(proc string) string {
	servers, _ := List(proc)
	switch len(servers) {
	case 0:
		if hides(proc) {
			return hidden
		}
		return "no server runs on this machine"
	case 1:
		return fmt.Sprintf("the machine's server is --pid %d", servers[0].PID)
	}
	text := "the machine's servers are"
	for _, s := range servers {
		text += fmt.Sprintf(" --pid %d", s.PID)
	}
	return text
}

// below names the servers that a process has started: mysqld_safe's, a
// container engine's, a shell's.
func below(proc string, pid int) string {
	servers, _ := List(proc)
	for _, s := range servers {
		if slices.Contains(ancestors(proc, s.PID), pid) {
			return fmt.Sprintf("the server it started is --pid %d", s.PID)
		}
	}
	return others(proc)
}

func ancestors(proc string, pid int) []int {
	var found []int
	for pid > 1 && !slices.Contains(found, pid) {
		p, err := readProcess(proc, pid)
		if err != nil {
			return found
		}
		pid = p.stat.PPID
		found = append(found, pid)
	}
	return found
}
