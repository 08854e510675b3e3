package probe

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Sampling is what perf record can do here.
type Sampling struct {
	// Events are those that were tried, best first: instructions and cycles
	// where they count, and always the clock.
	Events []Sampled
	// LBR: call graphs by the CPU's record of its last branches.
	LBR Ability
	// Rate is kernel.perf_event_max_sample_rate, in samples a second and CPU;
	// the kernel lowers it where samples take too long.
	Rate Fact[int]
	// MlockKB is kernel.perf_event_mlock_kb, the buffer that a user may have a CPU.
	MlockKB Fact[int]
	// MaxStack is kernel.perf_event_max_stack, in frames.
	MaxStack Fact[int]
}

// Sampled is one event, tried.
type Sampled struct {
	Ability
	Name string
}

// samplingRate is what is tried: the rate that profiles are recorded with
// unless another is asked for.
const samplingRate = "499"

// AskSampling finds out what can be sampled, after [Ask]. It runs perf record on
// programs that end at once, and keeps nothing of it.
func AskSampling(ctx context.Context, c Caps) Sampling { return here().sampling(ctx, c) }

func (a asker) sampling(ctx context.Context, c Caps) Sampling {
	s := Sampling{
		Rate:     a.number("proc/sys/kernel/perf_event_max_sample_rate"),
		MlockKB:  a.number("proc/sys/kernel/perf_event_mlock_kb"),
		MaxStack: a.number("proc/sys/kernel/perf_event_max_stack"),
		LBR:      c.Perf.PMU,
	}
	ctx, cancel := context.WithTimeout(ctx, perfBudget)
	defer cancel()
	q := question{asker: a, ctx: ctx, perf: c.Perf.Path, who: c}
	if c.Perf.PMU.OK {
		for _, e := range []string{"instructions", "cycles"} {
			s.Events = append(s.Events, Sampled{q.samples(e, "fp"), e})
		}
		s.LBR = q.samples("cycles", "lbr")
	}
	clock := c.Perf.Ability
	if clock.OK {
		clock = q.samples("cpu-clock", "fp")
	}
	s.Events = append(s.Events, Sampled{clock, "cpu-clock"})
	return s
}

// samples tries to record an event.
func (q question) samples(event, callGraph string) Ability {
	ctx, cancel := context.WithTimeout(q.ctx, oneAnswer)
	defer cancel()
	dir, err := os.MkdirTemp("", "opcost-probe-")
	if err != nil {
		return no(err.Error(), "")
	}
	defer os.RemoveAll(dir)
	_, stderr, err := q.run(ctx, q.perf, "record", "-e", event, "-F", samplingRate, "--call-graph", callGraph, "-N",
		"-o", filepath.Join(dir, "perf.data"), "true")
	if err = why(ctx, stderr, err); err == nil {
		return yes()
	}
	switch {
	case strings.Contains(stderr, "branch stack sampling"):
		return no("the CPU, or its hypervisor, gives no record of last branches", "an Intel CPU outside a virtual machine; else call graphs by frame pointers or dwarf")
	case strings.Contains(stderr, "sampling"), strings.Contains(stderr, "overflow-interrupt"):
		return no("the counter gives no interrupts, so it counts and cannot be sampled", q.pmuRemedy())
	case strings.Contains(stderr, "mlock_kb"):
		return no("perf may not map its buffers: "+firstLine(stderr), "run as root, or sysctl kernel.perf_event_mlock_kb=8192")
	}
	return q.refusal(event, stderr, fmt.Errorf("perf record: %w", err))
}
