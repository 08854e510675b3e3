package threads

import (
	"errors"
	"fmt"

	"github.com/prometheus/procfs"

	"opcost/collectors"
	"opcost/collectors/internal/tasks"
)

// thread is one thread's counts since it began.
type thread struct {
	tasks.Schedstat
	tasks.Status
}

// edge is all threads at one moment.
type edge struct {
	threads map[int]thread
	conns   map[int]connection // by thread id as the server says it
	noConns string             // why there are none
	perf    map[int]count
}

// reader reads the threads of one process.
type reader struct {
	proc       string
	pid        int
	startTicks uint64 // of the process, to know it for the same
}

// begin reads schedstat last, finish reads it first: the inner values are the
// tightest. A thread that vanishes meanwhile is left out.
func (r *reader) begin() (edge, error) {
	return r.read(func(d *tasks.Dir, threads map[int]thread) error {
		for tid := range threads {
			if err := status(d, threads, tid); err != nil {
				return err
			}
		}
		return schedstats(d, threads)
	})
}

// finish does not read again what cannot have changed: a thread that was not on
// a CPU since has not switched.
func (r *reader) finish(before map[int]thread) (edge, error) {
	return r.read(func(d *tasks.Dir, threads map[int]thread) error {
		if err := schedstats(d, threads); err != nil {
			return err
		}
		for tid, t := range threads {
			if b, there := before[tid]; there && b.Schedstat == t.Schedstat {
				t.Status = b.Status
				threads[tid] = t
				continue
			}
			if err := status(d, threads, tid); err != nil {
				return err
			}
		}
		return nil
	})
}

// all is what the choice of threads needs.
func (r *reader) all() (map[int]thread, error) {
	e, err := r.read(schedstats)
	return e.threads, err
}

func (r *reader) read(fill func(*tasks.Dir, map[int]thread) error) (edge, error) {
	if err := r.same(); err != nil {
		return edge{}, err
	}
	d, err := tasks.Open(r.proc, r.pid)
	if err != nil {
		return edge{}, gone(r.pid, err)
	}
	defer d.Close()
	ids, err := d.IDs()
	if err != nil {
		return edge{}, gone(r.pid, err)
	}
	e := edge{threads: make(map[int]thread, len(ids))}
	for _, tid := range ids {
		e.threads[tid] = thread{}
	}
	if err := fill(d, e.threads); err != nil {
		return edge{}, err
	}
	if len(e.threads) == 0 {
		return edge{}, gone(r.pid, errors.New("there are none"))
	}
	return e, nil
}

// same is an error where the number has gone to another process.
func (r *reader) same() error {
	if r.startTicks == 0 {
		return nil
	}
	fs, err := procfs.NewFS(r.proc)
	if err != nil {
		return err
	}
	p, err := fs.Proc(r.pid)
	if err != nil {
		return gone(r.pid, err)
	}
	s, err := p.Stat()
	if err != nil {
		return gone(r.pid, err)
	}
	if s.Starttime != r.startTicks {
		return fmt.Errorf("process %d is no longer the server: this one started at tick %d after boot, the server at tick %d", r.pid, s.Starttime, r.startTicks)
	}
	return nil
}

func schedstats(d *tasks.Dir, threads map[int]thread) error {
	missing, listed, slices := 0, len(threads), uint64(0)
	for tid, t := range threads {
		b, err := d.Read(tid, "schedstat")
		if tasks.Gone(err) {
			missing++
			delete(threads, tid)
			continue
		}
		if err == nil {
			t.Schedstat, err = tasks.ParseSchedstat(b)
		}
		if err != nil {
			return fmt.Errorf("thread %d: %w", tid, err)
		}
		slices += t.CPUNS
		threads[tid] = t
	}
	if missing == listed || slices == 0 {
		return &collectors.Unsupported{What: "CPU time by thread", Reason: "/proc/PID/task/*/schedstat is missing or all zeros: this kernel does not keep it",
			Remedy: "a kernel built with CONFIG_SCHEDSTATS, or booted with the parameter delayacct"}
	}
	return nil
}

func status(d *tasks.Dir, threads map[int]thread, tid int) error {
	b, err := d.Read(tid, "status")
	if tasks.Gone(err) {
		delete(threads, tid)
		return nil
	}
	t := threads[tid]
	if err == nil {
		t.Status, err = tasks.ParseStatus(b)
	}
	if err != nil {
		return fmt.Errorf("thread %d: %w", tid, err)
	}
	threads[tid] = t
	return nil
}
