package perfctl

import (
	"fmt"
	"slices"
	"strings"

	"opcost/collectors"
	"opcost/collectors/callgrind"
	"opcost/collectors/host"
	"opcost/collectors/mysqlstatus"
	"opcost/collectors/perfstat"
	"opcost/collectors/probe"
	"opcost/collectors/proc"
	"opcost/collectors/record"
	"opcost/perfctl/plan"
	"opcost/perfctl/result"
	"opcost/perfctl/window"
	"opcost/perfctl/workload"
)

// way is one pass of a plan on this machine: how the server is started for it,
// how it is warmed, and the windows that are made.
type way struct {
	kind result.PassKind
	sets []perfstat.EventSet // a window each; callgrind needs no set and makes one window
	// valgrind is set for the callgrind pass.
	valgrind string
	// sampling is how a window is sampled after the others; nil: none is.
	sampling *record.Options
	// dumped: the counts under callgrind are kept as a profile too.
	dumped bool
	// lacking are the readings that each window would have on a machine with a
	// PMU, with the reason why it has not.
	lacking []result.Reading
}

type ways []way

func (w ways) kinds() []result.PassKind {
	var ks []result.PassKind
	for _, y := range w {
		ks = append(ks, y.kind)
	}
	return ks
}

func (w ways) of(k result.PassKind) way {
	for _, y := range w {
		if y.kind == k {
			return y
		}
	}
	return way{kind: k}
}

// choose takes the best source of instructions that really counts here, as the
// plan allows: hardware counters through perf, else callgrind in a pass of its
// own. Process clock, task-clock and procfs are in every plan.
func choose(c plan.Counters, caps probe.Caps) (ways, error) {
	count := way{kind: result.PassCount, sets: perfstat.Sets(caps)}
	under := way{kind: result.PassCallgrind, valgrind: caps.Valgrind.Path}
	count.lacking = lacking(caps.Perf)
	switch c {
	case plan.CountersNone:
		asked := "the plan says `counters: none`"
		count.sets, count.lacking = nil, []result.Reading{
			result.Lacking("instructions", "count", result.SourcePerf, result.UserKernel, result.NotCounted, asked, "counters: auto"),
			result.Lacking("cycles", "count", result.SourcePerf, result.UserKernel, result.NotCounted, asked, "counters: auto"),
		}
		return ways{count}, nil
	case plan.CountersPerf:
		if !caps.Perf.PMU.OK {
			return nil, fmt.Errorf("counters: perf: hardware counters do not count here: %s; write `counters: auto` to use the next best source, or %s",
				caps.Perf.PMU.Reason, caps.Perf.PMU.Remedy)
		}
		return ways{count}, nil
	case plan.CountersCallgrind:
		if !caps.Valgrind.OK {
			return nil, fmt.Errorf("counters: callgrind: %s: %s", caps.Valgrind.Reason, caps.Valgrind.Remedy)
		}
		return ways{count, under}, nil
	default:
		switch {
		case caps.Perf.PMU.OK:
			return ways{count}, nil
		case caps.Valgrind.OK:
			return ways{count, under}, nil
		}
		count.lacking = append(count.lacking, lackingHardware("instructions", probe.Ability{
			Reason: fmt.Sprintf("neither hardware counters (%s) nor valgrind (%s)", caps.Perf.PMU.Reason, caps.Valgrind.Reason),
			Remedy: strings.Join(slices.DeleteFunc([]string{caps.Perf.PMU.Remedy, caps.Valgrind.Remedy}, func(r string) bool { return r == "" }), "; or "),
		}))
		return ways{count}, nil
	}
}

// lacking are the hardware readings that this machine, or this user, cannot have.
func lacking(p probe.Perf) []result.Reading {
	if !p.PMU.OK {
		return []result.Reading{lackingHardware("cycles", p.PMU)}
	}
	var rs []result.Reading
	for _, name := range []string{"instructions", "cycles"} {
		if kernel, asked := p.Events[name+":k"]; asked && !kernel.OK {
			r := lackingHardware(name+"_kernel", kernel.Ability)
			r.Scope = result.Kernel
			rs = append(rs, r)
		}
	}
	return rs
}

func lackingHardware(name string, why probe.Ability) result.Reading {
	return result.Lacking(name, "count", result.SourcePerf, result.UserKernel, result.Unsupported, why.Reason, why.Remedy)
}

// passes are the windows of a cell, in order.
func (y way) passes(p *plan.Plan, t workload.Test, caps probe.Caps, w callgrind.Wrapper) []Pass {
	if y.kind == result.PassCallgrind {
		return []Pass{{
			Kind: y.kind, Wrap: w.Wrap, Phase: callgrindPhase, Set: "callgrind", Caps: caps,
			Length:     window.Length{Operations: instructionOps(p, t)},
			Collectors: []collectors.Collector{mysqlstatus.New(mysqlstatus.Options{Quiet: true}), callgrind.New(w)},
		}}
	}
	// Slowest first: see Pass.Collectors.
	always := []collectors.Collector{
		mysqlstatus.New(mysqlstatus.Options{Quiet: true}), host.New(), proc.New(),
	}
	length := lengthOf(p, t)
	if len(y.sets) == 0 {
		return []Pass{{Kind: y.kind, Phase: countPhase(0), Length: length, Collectors: always, Caps: caps}}
	}
	var ps []Pass
	for i, s := range y.sets {
		ps = append(ps, Pass{
			Kind: y.kind, Phase: countPhase(i), Set: s.Name, Length: length, Caps: caps,
			Collectors: append(always[:len(always):len(always)], perfstat.New(s)),
		})
	}
	return ps
}

// The phases of a cell, whose names the keys follow from.
const (
	warmupPhase    = "warmup"
	callgrindPhase = "callgrind"
)

func countPhase(i int) string { return fmt.Sprintf("count-%d", i) }

// lengthOf is the length of a counting window.
func lengthOf(p *plan.Plan, t workload.Test) window.Length {
	if t.Write && p.WriteOperations > 0 {
		return window.Length{Operations: p.WriteOperations}
	}
	return window.Length{Duration: p.Duration, Operations: p.Operations}
}

// warmup is how a cell's load is warmed. Under valgrind, and where writes are to
// be equal, a time would be worth another number of operations for each version,
// so they are counted.
func (y way) warmup(p *plan.Plan, t workload.Test) window.Length {
	switch {
	case y.kind == result.PassCallgrind:
		return window.Length{Operations: instructionOps(p, t) / 2}
	case t.Write && replays(p):
		return window.Length{Operations: lengthOf(p, t).Operations / 2}
	}
	return window.Length{Duration: p.Warmup}
}

// instructionOps is the number of operations of a callgrind window: the plan's,
// else enough that a stray instruction of the server's background does not
// show, and few enough that a slow statement does not take minutes.
func instructionOps(p *plan.Plan, t workload.Test) int64 {
	switch {
	case p.Operations > 0:
		return p.Operations
	case t.Per == workload.PerRow:
		return int64(p.Tables) * p.Rows // one scan of each table
	default:
		const rows = 200_000 // touched in the window; a statement costs about as much as 100 of them
		return int64(max(50, rows/(100+t.Range)))
	}
}
