package perfctl

import (
	"fmt"
	"math"

	"opcost/collectors/mysqlstatus"
	"opcost/perfctl/result"
)

// Limits of what a window may show before it is marked. Each is a rule of
// measuring, not a matter of taste: see docs/quality.md.
const (
	maxSteal          = 0.02  // of all CPU time: above it, times are the hypervisor's
	maxRunQueue       = 0.10  // of the server's CPU time spent waiting for a CPU
	maxTaskClockDiff  = 0.015 // task-clock against the process clock, beyond steal (seen: -0.9 to +3.4%)
	maxScheduleDiff   = 0.005 // summed schedstat against the process clock while no thread ends
	maxPoolReads      = 1.0   // buffer-pool reads from disk in 1,000 queries: above, it is not in memory
	maxClientBusy     = 0.95  // of a CPU per client thread: above, the client sets the pace
	maxErrorsFraction = 0.0
)

// finish adds to a window what only the whole of it can tell: the server's own
// count of the operations, and the checks of its quality.
func finish(run *result.Run, w *result.Window, p Pass, c Cell, dir string) {
	w.Evidence = evidenceOf(dir, w.ID)
	f := facts{w: w, value: map[string]float64{}}
	for _, r := range w.Readings {
		if r.Value != nil {
			f.value[r.Name] = *r.Value
		}
	}
	if n, ok := mysqlstatus.Statements(w.Readings); ok {
		w.OtherOps = append(w.OtherOps, result.OpCount{Source: result.SourceServer, Per: "statement", End: n})
	}
	for _, q := range checks(f, p.Kind, c) {
		w.Quality = append(w.Quality, q)
		if !q.OK {
			run.Warnings = append(run.Warnings, result.Warning{Code: q.Name, Text: fmt.Sprintf("window %s: %s", w.ID, q.Text)})
		}
	}
}

// facts are a window's values by name, for the checks.
type facts struct {
	w     *result.Window
	value map[string]float64
}

// ratio is a/b where both are known and b is not 0.
func (f facts) ratio(a, b string) (float64, bool) {
	x, ok := f.value[a]
	y, ok2 := f.value[b]
	if !ok || !ok2 || y == 0 {
		return 0, false
	}
	return x / y, true
}

func checks(f facts, kind result.PassKind, c Cell) []result.Quality {
	qs := []result.Quality{errorsIn(f)}
	add := func(q result.Quality, ok bool) {
		if ok {
			qs = append(qs, q)
		}
	}
	add(sameOps(f, c))
	add(poolReads(f))
	if kind == result.PassCallgrind {
		return qs // times mean nothing under valgrind
	}
	steal, stealKnown := stolen(f)
	add(steal, stealKnown)
	add(runQueue(f))
	add(taskClock(f, steal.Value))
	add(schedule(f))
	add(clientBound(f, c))
	return qs
}

func check(name string, value, limit float64, text string, args ...any) result.Quality {
	return result.Quality{Name: name, Value: value, Limit: limit, OK: value <= limit, Text: fmt.Sprintf(text, args...)}
}

func errorsIn(f facts) result.Quality {
	e := f.w.Ops.Errors
	return check("errors", float64(e), maxErrorsFraction,
		"%d statements failed and were tried again; what they cost the server is in its counters, but they are not in the operations", e)
}

// sameOps compares the client's count with the server's over a gated window.
func sameOps(f facts, c Cell) (result.Quality, bool) {
	if len(f.w.OtherOps) == 0 || f.w.Ops.Per != f.w.OtherOps[0].Per {
		return result.Quality{}, false
	}
	client, server := f.w.Ops.N(), f.w.OtherOps[0].N()
	return check("ops_differ", math.Abs(float64(client-server)), f.w.Ops.Uncertainty,
		"the client counted %d statements and the server %d: something else used the server, or one of them lost count", client, server), true
}

func poolReads(f facts) (result.Quality, bool) {
	reads, ok := f.value["innodb_buffer_pool_reads"]
	if n := f.w.Ops.N(); ok && n > 0 {
		per := reads / float64(n) * 1000
		return check("pool_reads_per_1000_queries", per, maxPoolReads,
			"%.1f buffer-pool reads from disk in 1,000 queries: this is not in memory; give innodb-buffer-pool-size more than the data, or a longer warmup", per), true
	}
	return result.Quality{}, false
}

func stolen(f facts) (result.Quality, bool) {
	var all float64
	for _, part := range []string{"user", "system", "irq", "steal", "idle", "iowait"} {
		all += f.value["host_cpu_"+part+"_us"]
	}
	stolen, ok := f.value["host_cpu_steal_us"]
	if !ok || all == 0 {
		return result.Quality{}, false
	}
	s := stolen / all
	return check("steal", s, maxSteal, "%.1f%% of the machine's CPU time was taken by its hypervisor: times and QPS are low by about as much", 100*s), ok
}

func runQueue(f facts) (result.Quality, bool) {
	q, ok := f.ratio("run_queue_us", "cpu_us")
	return check("run_queue", q, maxRunQueue, "the server's threads waited for a CPU for %.0f%% of the time they ran: the machine was busy, and response times say so", 100*q), ok
}

func taskClock(f facts, steal float64) (result.Quality, bool) {
	r, ok := f.ratio("task_clock_us", "cpu_us")
	diff := math.Abs(r - 1)
	return check("task_clock_differs", diff, maxTaskClockDiff+steal,
		"perf's task-clock differs from the process clock by %.1f%% (it leaves out part of each context switch); CPU/query is the process clock's", 100*diff), ok
}

func schedule(f facts) (result.Quality, bool) {
	r, ok := f.ratio("schedstat_cpu_us", "cpu_us")
	if f.value["threads_ended"] > 0 {
		return result.Quality{}, false // they took their times along
	}
	diff := math.Abs(r - 1)
	return check("schedstat_differs", diff, maxScheduleDiff, "the threads' CPU times add up to %.2f%% off the process clock", 100*diff), ok
}

func clientBound(f facts, c Cell) (result.Quality, bool) {
	us, ok := f.value["client_cpu_us"]
	if f.w.DurationNS == 0 {
		return result.Quality{}, false
	}
	busy := us * 1000 / float64(f.w.DurationNS) / float64(c.Clients)
	return check("client_bound", busy, maxClientBusy, "each client used %.0f%% of a CPU: the client, not the server, may set the pace", 100*busy), ok
}
