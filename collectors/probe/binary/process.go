package binary

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// Why a process's program cannot be read. The errors of [Server] wrap them.
var (
	ErrNoProcess    = errors.New("there is no such process")
	ErrKernelThread = errors.New("a kernel thread has no program")
	ErrNotAllowed   = errors.New("not allowed")
)

// Process is a server that runs.
type Process struct {
	Facts
	PID  int
	Name string // the kernel's, at most 15 characters
	UID  int    // effective; -1 when unreadable
	// Replaced: the file was deleted or replaced since the start.
	Replaced bool
	// OwnRoot: it sees another file tree than we do (container, chroot).
	OwnRoot bool
	// Valgrind: the program is valgrind's, not the server's.
	Valgrind bool
	// Malloc serves the process's memory; "" when unknown. MallocFrom says how
	// that is known.
	Malloc, MallocFrom string
}

// Server reads the program of a process of this machine.
func Server(pid int) (Process, error) {
	return system{proc: "/proc", root: "/"}.server(pid)
}

// system is where processes are looked for; tests give a folder of theirs.
type system struct{ proc, root string }

func (s system) server(pid int) (Process, error) {
	p := Process{PID: pid, UID: -1}
	dir := filepath.Join(s.proc, strconv.Itoa(pid))
	if pid <= 0 {
		return p, fmt.Errorf("process %d: %w", pid, ErrNoProcess)
	}
	if err := p.identify(s.proc); err != nil {
		return p, err
	}
	exe, err := os.Readlink(filepath.Join(dir, "exe"))
	switch {
	case errors.Is(err, fs.ErrPermission):
		return p, fmt.Errorf("process %d (%s) is user %d's, and user %d may not read its program: %w", pid, p.Name, p.UID, os.Geteuid(), ErrNotAllowed)
	case err != nil:
		return p, fmt.Errorf("process %d (%s) has ended, or has no program: %w", pid, p.Name, ErrNoProcess)
	}
	path, replaced := strings.CutSuffix(exe, " (deleted)")
	root := filepath.Join(dir, "root")
	// The link itself is opened: it leads to the program even when its name
	// has gone, or means another file in the process's own tree.
	facts, err := read(filepath.Join(dir, "exe"), path, root, s.root)
	if err != nil {
		return p, fmt.Errorf("process %d (%s): %w", pid, p.Name, err)
	}
	p.Facts, p.Replaced = facts, replaced
	p.OwnRoot = !sameFile(root+"/", s.root)
	p.Valgrind = strings.Contains(path, "/valgrind/")
	p.Malloc, p.MallocFrom = facts.Allocator, "linked into the program"
	if p.Malloc == "" {
		p.loaded(s.proc)
	}
	return p, nil
}

// identify reads what everybody may: name, user, and whether it is a program.
func (p *Process) identify(proc string) error {
	fs, err := procfs.NewFS(proc)
	if err != nil {
		return fmt.Errorf("process %d: %w", p.PID, err)
	}
	at, err := fs.Proc(p.PID)
	if err != nil {
		return fmt.Errorf("process %d: %w", p.PID, ErrNoProcess)
	}
	st, err := at.Stat()
	if err != nil {
		return fmt.Errorf("process %d: %w", p.PID, ErrNoProcess)
	}
	p.Name = st.Comm
	if status, err := at.NewStatus(); err == nil {
		p.UID = int(status.UIDs[1])
	}
	const kthread = 0x00200000 // PF_KTHREAD, linux/sched.h
	if st.Flags&kthread != 0 {
		return fmt.Errorf("process %d (%s): %w", p.PID, p.Name, ErrKernelThread)
	}
	return nil
}

// loaded finds the allocator among the libraries that are mapped, which counts
// LD_PRELOAD in.
func (p *Process) loaded(proc string) {
	p.MallocFrom = ""
	fs, err := procfs.NewFS(proc)
	if err != nil {
		return
	}
	at, err := fs.Proc(p.PID)
	if err != nil {
		return
	}
	maps, err := at.ProcMaps()
	if err != nil {
		return
	}
	var files []string
	for _, m := range maps {
		if !slices.Contains(files, m.Pathname) {
			files = append(files, m.Pathname)
		}
	}
	var library string
	if p.Malloc, library = libraryAllocator(files); p.Malloc != "" {
		p.MallocFrom = "has loaded " + library
	}
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
