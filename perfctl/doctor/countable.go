package doctor

import (
	"cmp"

	"opcost/collectors/probe"
)

// countable says which costs per query there will be, and by which source, as
// `run` with `counters: auto` chooses.
func countable(c probe.Caps) []Check {
	return []Check{
		instructions(c),
		ability("cycles/query", "hardware counters through perf", c.Perf.PMU, Missing, "no cycles/query, no IPC, no branch or cache misses"),
		ok("CPU/query", "the process's clock; user and system time from procfs"),
		ok("context switches/query", "procfs, by thread"),
		ability("run queue/query", "schedstat, by thread", c.SchedStat, Missing, "waiting for a CPU cannot be told from working on one"),
		syscalls(c),
	}
}

func instructions(c probe.Caps) Check {
	const name = "instructions/query"
	pmu, kernel := c.Perf.PMU, kernelInstructions(c)
	switch {
	case pmu.OK && kernel.OK:
		return ok(name, "hardware counters through perf, user and kernel")
	case pmu.OK:
		return Check{Name: name, State: Limited, Found: "hardware counters through perf, user space only: " + kernel.Reason,
			Cost: "no kernel part of instructions/query", Remedy: kernel.Remedy}
	case c.Valgrind.OK:
		return Check{Name: name, State: Limited, Found: "callgrind; perf: " + pmu.Reason,
			Cost: "user space and 1 client only, in a pass of its own; of writes, no verdicts", Remedy: pmu.Remedy}
	}
	return Check{Name: name, State: Missing, Found: "neither hardware counters (" + pmu.Reason + ") nor valgrind (" + c.Valgrind.Reason + ")",
		Cost: "verdicts are by CPU/query, which needs more server starts", Remedy: cmp.Or(c.Valgrind.Remedy, pmu.Remedy)}
}

// kernelInstructions is whether the kernel's instructions count, for some kind
// of core.
func kernelInstructions(c probe.Caps) probe.Ability {
	const event = "instructions:k"
	e := c.Perf.Events[event]
	for _, pmu := range c.Host.PMUs {
		if h := c.Perf.Events[probe.HybridName(pmu, event)]; c.Host.Hybrid() && (h.OK || e.Reason == "") {
			e = h
		}
	}
	return e.Ability
}

func syscalls(c probe.Caps) Check {
	const name, cost = "syscalls/query", "no syscalls/query"
	if e, tried := c.Perf.Events[probe.SyscallEvent]; tried {
		return ability(name, "tracepoint "+probe.SyscallEvent+", in a window of its own", e.Ability, Missing, cost)
	}
	return ability(name, "", c.Perf.Ability, Missing, cost)
}
