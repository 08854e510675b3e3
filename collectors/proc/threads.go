package proc

import (
	"fmt"
	"time"

	"opcost/collectors/internal/tasks"
	"opcost/perfctl/result"
)

// thread is one thread's counts since it began.
type thread struct {
	Voluntary   uint64 `json:"voluntary"`
	Involuntary uint64 `json:"involuntary"`
	CPUNS       uint64 `json:"cpu_ns"`
	WaitNS      uint64 `json:"wait_ns"` // runnable, waiting for a CPU
}

// readThreads lists the threads once and reads schedstat of each, then status,
// which costs five times as much, of those alone that were on a CPU since before:
// the others have not switched. A thread that vanishes meanwhile is left out: at
// the window's begin it was not in the window, at its end it has ended.
//
// At the window's begin schedstat of those is then read again, as it is further
// inside.
func (r *reader) readThreads(e, before *edge, begin bool) {
	dir, err := tasks.Open(r.root, r.pid)
	var tids []int
	if err == nil {
		defer dir.Close()
		tids, err = dir.IDs()
	}
	if err != nil {
		e.Lacks[partStatus], e.Lacks[partSchedstat] = why(err), why(err)
		return
	}
	e.Threads = make(map[int]thread, len(tids))
	for _, tid := range tids {
		e.Threads[tid] = thread{}
	}
	listed := time.Now()
	each(dir, e, partSchedstat, parseSchedstat, func(int, *thread) bool { return false })
	read := time.Now()
	e.at[partSchedstat] = listed.Add(read.Sub(listed) / 2)
	each(dir, e, partStatus, parseStatus, func(tid int, t *thread) bool { return e.idle(before, tid, t) })
	e.at[partStatus] = read.Add(time.Since(read) / 2)
	if begin && before != nil {
		again := time.Now()
		each(dir, e, partSchedstat, parseSchedstat, func(tid int, t *thread) bool { return e.idle(before, tid, t) })
		e.at[partSchedstat] = again.Add(time.Since(again) / 2)
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

// idle takes the switches of a thread that was not on a CPU since before.
func (e *edge) idle(before *edge, tid int, t *thread) bool {
	if before == nil || before.lacksThreads() || e.lacksThreads() {
		return false
	}
	b, there := before.Threads[tid]
	if !there || b.CPUNS != t.CPUNS || b.WaitNS != t.WaitNS || t.CPUNS == 0 {
		return false
	}
	*t = b
	return true
}

func (e *edge) lacksThreads() bool {
	_, status := e.Lacks[partStatus]
	_, schedstat := e.Lacks[partSchedstat]
	return status || schedstat
}

// each reads one file of every thread that is not known without, and forgets the
// threads that are gone.
func each(dir *tasks.Dir, e *edge, p part, parse func([]byte, *thread) error, known func(int, *thread) bool) {
	before := len(e.Threads)
	var gone []int
	for tid, t := range e.Threads {
		if known(tid, &t) {
			e.Threads[tid] = t
			continue
		}
		text, err := dir.Read(tid, string(p))
		if err == nil {
			err = parse(text, &t)
		}
		switch {
		case tasks.Gone(err):
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

func parseStatus(b []byte, t *thread) error {
	s, err := tasks.ParseStatus(b)
	t.Voluntary, t.Involuntary = s.Voluntary, s.Involuntary
	return err
}

func parseSchedstat(b []byte, t *thread) error {
	s, err := tasks.ParseSchedstat(b)
	t.CPUNS, t.WaitNS = s.CPUNS, s.WaitNS
	return err
}
