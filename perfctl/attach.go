package perfctl

import (
	"context"
	"slices"
	"strings"
	"time"

	"opcost/collectors"
	"opcost/collectors/digest"
	"opcost/collectors/host"
	"opcost/collectors/mysqlstatus"
	"opcost/collectors/perfstat"
	"opcost/collectors/probe"
	"opcost/collectors/proc"
	"opcost/collectors/threads"
	"opcost/perfctl/quality"
	"opcost/perfctl/result"
	"opcost/perfctl/window"
)

// AttachOptions say what to measure of a server that is not ours.
type AttachOptions struct {
	Target   collectors.Target // PID 0: only the server's own counters can be had
	Ops      window.Ops
	Length   time.Duration
	Turn     int  // of the window, from 0: event sets take turns
	Syscalls bool // count system calls: tracepoints slow every process of the machine
	Detail   bool // per digest and per thread
	Caps     probe.Caps
	// Ended tells whether the server has ended; nil: that cannot be seen.
	Ended func() bool
}

// Attach makes one window over a live server's own load. The load is not ours,
// so there is no gate: slow readers stand outside, the operation count
// innermost, and each reading has the uncertainty of its edges. Nothing is
// sent to the server's process, and only statements that read to the server.
//
// A server that ends, or loses our connection, in the window leaves what was
// measured until then, marked partial.
func Attach(ctx context.Context, o AttachOptions) (result.Window, error) {
	p := Pass{Kind: result.PassCount, Length: window.Length{Duration: o.Length}, Caps: o.Caps, Ended: o.Ended}
	if p.Ended == nil {
		p.Ended = func() bool { return false }
	}
	p.Collectors, p.Set = attached(o)
	if _, ok := o.Ops.(*StatusOps); ok {
		p.Counted = "mysqlstatus"
	}
	w, err := Measure(ctx, o.Target, p, o.Ops, nil)
	if err != nil {
		return w, err
	}
	w.Readings = append(ownCPUApart(w.Readings), lackingAttached(o)...)
	withoutOwn(&w)
	byThread(&w)
	w.Quality = quality.Check(w, p.Kind, 0)
	w.Evidence = evidenceOf(o.Target.Evidence, w.ID)
	return w, nil
}

// lackingAttached are the hardware readings that cannot be had, with the reason.
func lackingAttached(o AttachOptions) []result.Reading {
	switch {
	case o.Target.PID == 0:
		return nil // the record says that the process cannot be seen
	case o.Syscalls:
		const why = "this window counted system calls, which need one of their own"
		return []result.Reading{
			result.Lacking("instructions", "count", result.SourcePerf, result.UserKernel, result.NotCounted, why, "the same without --syscalls"),
			result.Lacking("cycles", "count", result.SourcePerf, result.UserKernel, result.NotCounted, why, "the same without --syscalls"),
		}
	case !o.Caps.Perf.PMU.OK:
		return append(lacking(o.Caps.Perf), lackingHardware("instructions", o.Caps.Perf.PMU))
	}
	return lacking(o.Caps.Perf)
}

// ownCPUApart renames what the host collector calls the client's CPU: here it
// is that of opcost, which is no client of the load.
func ownCPUApart(rs []result.Reading) []result.Reading {
	for i := range rs {
		if rest, ok := strings.CutPrefix(rs[i].Name, "client_cpu_"); ok {
			rs[i].Name, rs[i].Gauge = "opcost_cpu_"+rest, true
		}
	}
	return rs
}

// attached are the collectors of a live server, slowest first.
func attached(o AttachOptions) (cs []collectors.Collector, set string) {
	if o.Target.SQL != nil {
		if o.Detail {
			cs = append(cs, digest.New(digest.Options{}))
		}
	}
	if o.Detail && o.Target.PID != 0 {
		cs = append(cs, threads.New(threads.Options{Perf: o.Caps.Perf.PMU.OK}))
	}
	if o.Target.PID != 0 {
		cs = append(cs, host.New(), proc.New())
		var perf []collectors.Collector
		perf, set = attachedPerf(o)
		cs = append(cs, perf...)
	}
	if o.Target.SQL != nil {
		cs = append(cs, statusOf(o))
	}
	return cs, set
}

// statusOf is innermost: where it counts the operations too, both are of one
// moment.
func statusOf(o AttachOptions) collectors.Collector {
	c := mysqlstatus.New(mysqlstatus.Options{})
	if ops, ok := o.Ops.(*StatusOps); ok {
		return over{c, ops.forCollector()}
	}
	return c
}

// over is a collector with a connection of its own.
type over struct {
	collectors.Collector
	sql collectors.Querier
}

func (c over) Arm(ctx context.Context, t collectors.Target, caps probe.Caps) (collectors.Armed, error) {
	t.SQL = c.sql
	return c.Collector.Arm(ctx, t, caps)
}

// attachedPerf is what perf counts of a live server, and the event set's name.
func attachedPerf(o AttachOptions) (cs []collectors.Collector, set string) {
	if o.Syscalls {
		s, err := perfstat.SyscallSet(o.Caps)
		if err != nil {
			return []collectors.Collector{missingCollector{"perfstat", err}}, "syscalls"
		}
		return []collectors.Collector{perfstat.New(s)}, s.Name
	}
	sets := hardwareOnly(perfstat.Sets(o.Caps))
	if len(sets) == 0 {
		return nil, ""
	}
	s := sets[o.Turn%len(sets)]
	return []collectors.Collector{perfstat.New(s)}, s.Name
}

// hardwareOnly leaves out perf's software events but for the clock that cycles
// are divided by: each makes every context switch of the server dearer (see
// BenchmarkAttach), and procfs gives the same for nothing.
func hardwareOnly(sets []perfstat.EventSet) (out []perfstat.EventSet) {
	for _, s := range sets {
		s.Groups = slices.DeleteFunc(slices.Clone(s.Groups), func(events []string) bool {
			return len(events) == 1 && slices.Contains([]string{"context-switches", "cpu-migrations", "page-faults"}, events[0])
		})
		if len(s.Groups) > 1 { // more than the clock
			out = append(out, s)
		}
	}
	return out
}

// missingCollector says in the record why there is none.
type missingCollector struct {
	name string
	err  error
}

func (m missingCollector) Name() string { return m.name }

func (m missingCollector) Arm(context.Context, collectors.Target, probe.Caps) (collectors.Armed, error) {
	return nil, m.err
}
