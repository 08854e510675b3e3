// Package tasks reads /proc/PID/task: the files of each thread of a process. It
// goes by directory descriptor and with one buffer, because a server can have
// thousands of threads, and takes out of a file only what a collector needs
// (procfs.Proc.NewStatus parses all of it, at ten times the cost).
package tasks

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Dir is the threads of one process. It is not safe for concurrent use.
type Dir struct {
	f   *os.File
	buf []byte
}

// Open opens the folder; proc is where procfs is mounted.
func Open(proc string, pid int) (*Dir, error) {
	f, err := os.Open(filepath.Join(proc, strconv.Itoa(pid), "task"))
	if err != nil {
		return nil, err
	}
	return &Dir{f: f, buf: make([]byte, 0, 8192)}, nil
}

func (d *Dir) Close() error { return d.f.Close() }

// IDs are the threads that there are. It can be called once.
func (d *Dir) IDs() ([]int, error) {
	names, err := d.f.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	ids := make([]int, 0, len(names))
	for _, name := range names {
		if tid, err := strconv.Atoi(name); err == nil {
			ids = append(ids, tid)
		}
	}
	return ids, nil
}

// Read gives a whole file of a thread, however long: status grows with CPUs and
// groups. What it gives holds until the next Read. Of a thread that is gone the
// error is one for [Gone].
func (d *Dir) Read(tid int, name string) ([]byte, error) {
	fd, err := unix.Openat(int(d.f.Fd()), strconv.Itoa(tid)+"/"+name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	d.buf = d.buf[:0]
	for {
		if len(d.buf) == cap(d.buf) {
			d.buf = append(d.buf, 0)[:len(d.buf)]
		}
		n, err := unix.Read(fd, d.buf[len(d.buf):cap(d.buf)])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return nil, err
		case n == 0:
			return d.buf, nil
		default:
			d.buf = d.buf[:len(d.buf)+n]
		}
	}
}

// Gone is true for the error of a thread that ended between the listing and the
// reading.
func Gone(err error) bool { return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH) }

// Schedstat is a thread's schedstat: nanoseconds on a CPU, nanoseconds runnable
// without one, and how often it was put on one (Documentation/scheduler/sched-stats.rst).
// A kernel that does not keep it gives zeros, or has no such file.
type Schedstat struct{ CPUNS, WaitNS, Slices uint64 }

// ParseSchedstat reads the file's text.
func ParseSchedstat(b []byte) (s Schedstat, err error) {
	f := bytes.Fields(b)
	if len(f) != 3 {
		return s, fmt.Errorf("schedstat is %q, not three numbers", b)
	}
	for i, into := range []*uint64{&s.CPUNS, &s.WaitNS, &s.Slices} {
		if *into, err = strconv.ParseUint(string(f[i]), 10, 64); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Status is what we need of a thread's status.
type Status struct {
	Name string // as the kernel escapes it
	// NSTID is the thread's number in its innermost PID namespace: what the
	// process itself takes for its thread's id. 0 before Linux 4.1.
	NSTID                  int
	Voluntary, Involuntary uint64 // context switches
}

// ParseStatus reads the file's text. The switches are its last lines.
func ParseStatus(b []byte) (s Status, err error) {
	if s.Voluntary, err = number(b, "\nvoluntary_ctxt_switches:"); err != nil {
		return s, err
	}
	if s.Involuntary, err = number(b, "\nnonvoluntary_ctxt_switches:"); err != nil {
		return s, err
	}
	if rest, ok := bytes.CutPrefix(b, []byte("Name:\t")); ok {
		name, _, _ := bytes.Cut(rest, []byte("\n"))
		s.Name = string(name)
	}
	if at := bytes.Index(b, []byte("\nNSpid:")); at >= 0 {
		line, _, _ := bytes.Cut(b[at+len("\nNSpid:"):], []byte("\n"))
		if f := bytes.Fields(line); len(f) > 0 {
			s.NSTID, err = strconv.Atoi(string(f[len(f)-1]))
		}
	}
	return s, err
}

func number(b []byte, key string) (uint64, error) {
	at := bytes.LastIndex(b, []byte(key))
	if at < 0 {
		return 0, fmt.Errorf("status has no line %q", key[1:])
	}
	value, _, _ := bytes.Cut(b[at+len(key):], []byte("\n"))
	return strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 64)
}
