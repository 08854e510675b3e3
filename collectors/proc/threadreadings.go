package proc

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"

	"opcost/perfctl/result"
)

// change is what a set of threads did between the edges.
type change struct {
	thread
	started, ended int
}

// between sums over the threads that keep says. A thread that began in the
// window counts from 0; one that ended has taken its counts along. A counter
// that went back is another thread that was given the same number.
func (w window) between(keep func(tid int) bool) change {
	var c change
	for tid, b := range w.begin.Threads {
		e, there := w.end.Threads[tid]
		if keep(tid) && (!there || b.reused(e)) {
			c.ended++
		}
	}
	for tid, e := range w.end.Threads {
		if !keep(tid) {
			continue
		}
		b, there := w.begin.Threads[tid]
		if !there || b.reused(e) {
			b = thread{}
			c.started++
		}
		c.Voluntary += e.Voluntary - b.Voluntary
		c.Involuntary += e.Involuntary - b.Involuntary
		c.CPUNS += e.CPUNS - b.CPUNS
		c.WaitNS += e.WaitNS - b.WaitNS
	}
	return c
}

func (t thread) reused(later thread) bool {
	return later.Voluntary < t.Voluntary || later.Involuntary < t.Involuntary || later.CPUNS < t.CPUNS || later.WaitNS < t.WaitNS
}

// sum is a reading made of threads' counts.
type sum struct {
	name, unit string
	part       part
	of         func(thread) float64
}

func switches(t thread) float64    { return float64(t.Voluntary + t.Involuntary) }
func voluntary(t thread) float64   { return float64(t.Voluntary) }
func involuntary(t thread) float64 { return float64(t.Involuntary) }
func cpuUS(t thread) float64       { return float64(t.CPUNS) / 1e3 }
func waitUS(t thread) float64      { return float64(t.WaitNS) / 1e3 }

var allSums = []sum{
	{"context_switches", "count", partStatus, switches},
	{"context_switches_voluntary", "count", partStatus, voluntary},
	{"context_switches_involuntary", "count", partStatus, involuntary},
	{"run_queue_us", "us", partSchedstat, waitUS},
	{"schedstat_cpu_us", "us", partSchedstat, cpuUS},
}

var connSums = []sum{
	{"cpu_connection_us", "us", partSchedstat, cpuUS},
	{"context_switches_connection", "count", partStatus, switches},
	{"run_queue_connection_us", "us", partSchedstat, waitUS},
}

func (w window) threadReadings() []result.Reading {
	all := w.between(func(int) bool { return true })
	var out []result.Reading
	missing := w.missing(all)
	for _, s := range allSums {
		out = append(out, w.sum(s, all, missing))
	}
	gauge := func(name string, n int) {
		r := w.sum(sum{name, "count", partStatus, func(thread) float64 { return float64(n) }}, all, "")
		r.Gauge = true
		out = append(out, r)
	}
	gauge("threads_begin", len(w.begin.Threads))
	gauge("threads_end", len(w.end.Threads))
	gauge("threads_started", all.started)
	gauge("threads_ended", all.ended)
	return append(out, w.connReadings(all, missing)...)
}

// missing says whether threads did something that their sum lacks.
func (w window) missing(all change) string {
	if all.ended > 0 {
		return fmt.Sprintf("%d of %d threads ended in the window and took their counts along; the sum is of the others",
			all.ended, len(w.begin.Threads))
	}
	clock := float64(w.end.ClockNS-w.begin.ClockNS) / 1e3
	_, noClock := w.lacking(partClock)
	_, noSched := w.lacking(partSchedstat)
	if lost := clock - cpuUS(all.thread); !noClock && !noSched && lost > agreement(clock) {
		return fmt.Sprintf("the process used %.0f us of CPU more than its threads' sum: threads began and ended within the window", lost)
	}
	return ""
}

func (w window) sum(s sum, c change, missing string) result.Reading {
	if l, lacks := w.lacking(s.part); lacks {
		return result.Lacking(s.name, s.unit, result.SourceProc, result.UserKernel, l.State, l.Reason, l.Remedy)
	}
	r := result.Got(s.name, s.of(c.thread), s.unit, result.SourceProc, result.UserKernel)
	if missing != "" {
		r.State, r.Reason = result.Partial, missing
		r.Remedy = "keep connections and server threads (thread_cache_size) open over the window; cpu_us, faults and I/O are whole"
	}
	return r
}

// backgroundSums are the rest of the process.
var backgroundSums = []sum{
	{"cpu_background_us", "us", partSchedstat, nil},
	{"context_switches_background", "count", partStatus, nil},
}

// connReadings splits CPU, switches and run-queue wait between the threads that
// serve connections and the rest.
func (w window) connReadings(all change, missing string) []result.Reading {
	background := slices.Clone(backgroundSums)
	var out []result.Reading
	if w.conns == nil {
		for _, s := range append(slices.Clone(connSums), background...) {
			out = append(out, result.Lacking(s.name, s.unit, result.SourceProc, result.UserKernel, result.Unsupported,
				"which threads serve connections is not known: "+w.connsReason, ""))
		}
		return out
	}
	conn := w.between(func(tid int) bool { return slices.Contains(w.conns, tid) })
	lost := ""
	if n := w.absent(); n > 0 {
		lost = fmt.Sprintf("%d of the %d threads that serve connections ended in or before the window and took their counts along", n, len(w.conns))
	}
	for _, s := range connSums {
		out = append(out, w.sum(s, conn, lost))
	}
	for i := range background {
		background[i].of = func(t thread) float64 { return switches(t) - switches(conn.thread) }
	}
	return append(out, w.restOfCPU(w.sum(background[0], conn, lost), conn),
		w.sum(background[1], all, cmp.Or(missing, lost)))
}

// restOfCPU makes r the process clock without the connections' threads. What
// threads used that ended is in the process clock, and so in r; it is in no sum
// over threads.
func (w window) restOfCPU(r result.Reading, conn change) result.Reading {
	whole := w.reading(cpu)
	switch {
	case !r.State.Usable():
		return r
	case !whole.State.Usable():
		return result.Lacking(r.Name, r.Unit, r.Source, r.Scope, whole.State, whole.Reason, whole.Remedy)
	}
	// Both are whole nanoseconds; a difference of 0 must not come out as 1e-15.
	*r.Value = math.Round((*whole.Value-cpuUS(conn.thread))*1e3) / 1e3
	if *r.Value < 0 {
		// The two clocks are read some microseconds apart; more than that, and
		// one of them is wrong.
		r.Uncertainty, *r.Value = -*r.Value, 0
		if r.Uncertainty > agreement(*whole.Value) {
			r.State, r.Reason = result.Partial, fmt.Sprintf("the connections' threads have %.0f us more CPU than the process clock", r.Uncertainty)
		}
	}
	return r
}

// agreement is by how many microseconds the process clock and the threads'
// schedstat may differ over a window with cpuUS of CPU: 0.5%, and a tick for
// each CPU, as a running thread's schedstat is up to one tick old.
func agreement(cpuUS float64) float64 {
	return 0.005*cpuUS + float64(runtime.NumCPU())*tickUS
}

// absent counts the connections' threads that are not there at the end, or are
// others by the same number.
func (w window) absent() int {
	n := 0
	for _, tid := range w.conns {
		e, there := w.end.Threads[tid]
		if b := w.begin.Threads[tid]; !there || b.reused(e) {
			n++
		}
	}
	return n
}
