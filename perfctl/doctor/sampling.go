package doctor

import (
	"fmt"

	"opcost/collectors/probe"
)

// Sampling adds what profiles can be recorded here, see [probe.AskSampling].
func (r *Report) Sampling(c probe.Caps, s probe.Sampling) {
	r.group("profiles", []Check{sampledEvent(s), callGraphs(s), sampleRate(s), maxStack(s), buffers(c, s)})
}

// sampledEvent is the best of those that can be sampled.
func sampledEvent(s probe.Sampling) Check {
	const name = "sampled event"
	if len(s.Events) == 0 {
		return unknown(name, "perf was not asked", "")
	}
	best := s.Events[0]
	for _, e := range s.Events {
		if !e.OK {
			continue
		}
		switch {
		case e.Name == best.Name && len(s.Events) > 1:
			return ok(name, e.Name)
		case len(s.Events) > 1:
			return Check{Name: name, State: Limited, Found: e.Name + ", as " + best.Name + " cannot be sampled: " + best.Reason, Cost: "profiles do not show " + best.Name + " by function", Remedy: best.Remedy}
		}
		return Check{Name: name, State: Limited, Found: e.Name + ", a timer: " + s.LBR.Reason, Cost: "profiles show CPU time by function, which varies with the machine, and no instructions", Remedy: s.LBR.Remedy}
	}
	return Check{Name: name, State: Missing, Found: best.Reason, Cost: "no profiles of what runs natively; callgrind's counts by function where valgrind is installed", Remedy: best.Remedy}
}

// callGraphs: that frame pointers and dwarf work depends on the server, see its
// own lines.
func callGraphs(s probe.Sampling) Check {
	const name = "call graphs"
	if s.LBR.OK {
		return ok(name, "fp, dwarf, lbr")
	}
	return Check{Name: name, State: OK, Found: "fp, dwarf; no lbr: " + s.LBR.Reason}
}

// usualRate is the sampling rate unless another is asked for.
const usualRate = 499

func sampleRate(s probe.Sampling) Check {
	const name = "perf_event_max_sample_rate"
	switch {
	case !s.Rate.Known:
		return unknown(name, s.Rate.Reason, "")
	case s.Rate.Value >= usualRate:
		return ok(name, fmt.Sprint(s.Rate.Value))
	}
	return Check{Name: name, State: Limited, Found: fmt.Sprintf("%d, and %d a second are usual", s.Rate.Value, usualRate), Cost: "fewer samples, or throttled ones: profiles are coarser",
		Remedy: "sysctl kernel.perf_event_max_sample_rate=100000; the kernel lowers it itself where samples take too long (perf_cpu_time_max_percent)"}
}

// deepStack is more frames than an ordinary query has.
const deepStack = 64

func maxStack(s probe.Sampling) Check {
	const name = "perf_event_max_stack"
	switch {
	case !s.MaxStack.Known:
		return unknown(name, s.MaxStack.Reason, "")
	case s.MaxStack.Value >= deepStack:
		return ok(name, fmt.Sprintf("%d frames", s.MaxStack.Value))
	}
	return Check{Name: name, State: Limited, Found: fmt.Sprintf("%d frames", s.MaxStack.Value), Cost: "deeper stacks are cut at their callers", Remedy: "sysctl kernel.perf_event_max_stack=127"}
}

// usualBuffer is the kernel's default: 512 kB of samples a CPU and a page.
const usualBuffer = 516

func buffers(c probe.Caps, s probe.Sampling) Check {
	const name = "perf_event_mlock_kb"
	m := s.MlockKB
	switch {
	case !m.Known:
		return unknown(name, m.Reason, "")
	case c.User.UID == 0:
		return ok(name, fmt.Sprintf("%d, which does not bind root", m.Value))
	case m.Value >= usualBuffer:
		return ok(name, fmt.Sprintf("%d", m.Value))
	}
	return Check{Name: name, State: Limited, Found: fmt.Sprint(m.Value), Cost: "small buffers: samples are lost under load, or perf may not map any", Remedy: fmt.Sprintf("sysctl kernel.perf_event_mlock_kb=%d", usualBuffer)}
}
