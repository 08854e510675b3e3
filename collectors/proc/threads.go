package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"opcost/perfctl/result"
)

// thread is one thread's counts since it began.
type thread struct {
	Voluntary   uint64 `json:"voluntary"`
	Involuntary uint64 `json:"involuntary"`
	CPUNS       uint64 `json:"cpu_ns"`
	WaitNS      uint64 `json:"wait_ns"` // runnable, waiting for a CPU
}

// readThreads lists the threads once and reads two files of each, in the order
// given. A thread that vanishes meanwhile is left out: at the window's begin it
// was not in the window, at its end it has ended.
func (r *reader) readThreads(e *edge, order ...part) {
	dir, err := os.Open(filepath.Join(r.root, strconv.Itoa(r.pid), "task"))
	var names []string
	if err == nil {
		defer dir.Close()
		names, err = dir.Readdirnames(-1)
	}
	if err != nil {
		e.Lacks[partStatus], e.Lacks[partSchedstat] = why(err), why(err)
		return
	}
	e.Threads = make(map[int]thread, len(names))
	for _, name := range names {
		if tid, err := strconv.Atoi(name); err == nil {
			e.Threads[tid] = thread{}
		}
	}
	f := threadFiles{dir: int(dir.Fd()), buf: make([]byte, 0, 8192)}
	for _, p := range order {
		if p == partStatus {
			f.each(e, p, parseStatus)
		} else {
			f.each(e, p, parseSchedstat)
		}
	}
	var cpu uint64
	for _, t := range e.Threads {
		cpu += t.CPUNS
	}
	if _, lacks := e.Lacks[partSchedstat]; cpu == 0 && !lacks {
		e.Lacks[partSchedstat] = noSchedstat("is all zeros")
	}
}

func noSchedstat(what string) lack {
	return lack{result.Unsupported, "/proc/PID/task/*/schedstat " + what + ": this kernel does not keep it",
		"a kernel built with CONFIG_SCHEDSTATS, or booted with the parameter delayacct"}
}

// threadFiles reads the same file of many threads. It goes by directory
// descriptor and with one buffer, because a server can have thousands.
type threadFiles struct {
	dir int
	buf []byte
}

// each reads one file of every thread and forgets the threads that are gone.
func (f *threadFiles) each(e *edge, p part, parse func([]byte, *thread) error) {
	before := len(e.Threads)
	var gone []int
	for tid, t := range e.Threads {
		err := f.read(tid, string(p))
		if err == nil {
			err = parse(f.buf, &t)
		}
		switch {
		case errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.ESRCH):
			gone = append(gone, tid)
		case err != nil:
			e.Lacks[p] = why(fmt.Errorf("thread %d: %w", tid, err))
			return
		default:
			e.Threads[tid] = t
		}
	}
	if p == partSchedstat && before > 0 && len(gone) == before {
		// Not even the leader has the file: the kernel was built without it.
		e.Lacks[p] = noSchedstat("is missing")
		return
	}
	for _, tid := range gone {
		delete(e.Threads, tid)
	}
}

// read takes the whole file, however long: status grows with CPUs and groups.
func (f *threadFiles) read(tid int, name string) error {
	fd, err := unix.Openat(f.dir, strconv.Itoa(tid)+"/"+name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	f.buf = f.buf[:0]
	for {
		if len(f.buf) == cap(f.buf) {
			f.buf = append(f.buf, 0)[:len(f.buf)]
		}
		n, err := unix.Read(fd, f.buf[len(f.buf):cap(f.buf)])
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return err
		case n == 0:
			return nil
		default:
			f.buf = f.buf[:len(f.buf)+n]
		}
	}
}

// parseStatus takes the switches, the last lines of a thread's status. (The
// whole file is what procfs.Proc.NewStatus parses, at ten times the cost.)
func parseStatus(b []byte, t *thread) error {
	var err error
	if t.Voluntary, err = field(b, "\nvoluntary_ctxt_switches:"); err == nil {
		t.Involuntary, err = field(b, "\nnonvoluntary_ctxt_switches:")
	}
	return err
}

func field(b []byte, key string) (uint64, error) {
	at := bytes.LastIndex(b, []byte(key))
	if at < 0 {
		return 0, fmt.Errorf("status has no line %q", key[1:])
	}
	value, _, _ := bytes.Cut(b[at+len(key):], []byte("\n"))
	return strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 64)
}

// parseSchedstat takes the first two of a thread's three numbers: nanoseconds
// on a CPU and nanoseconds runnable without one (Documentation/scheduler/sched-stats.rst).
func parseSchedstat(b []byte, t *thread) error {
	f := bytes.Fields(b)
	if len(f) != 3 {
		return fmt.Errorf("schedstat is %q, not three numbers", b)
	}
	var err error
	if t.CPUNS, err = strconv.ParseUint(string(f[0]), 10, 64); err == nil {
		t.WaitNS, err = strconv.ParseUint(string(f[1]), 10, 64)
	}
	return err
}
