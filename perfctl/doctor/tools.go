package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"opcost/collectors/probe"
)

// tools judges perf, the PMU that it reads, and valgrind.
func tools(c probe.Caps) []Check {
	checks := []Check{
		ability("perf", c.Perf.Version+", "+c.Perf.Path, c.Perf.Ability, Missing, "no instructions or cycles by hardware counters, no profiles"),
	}
	if c.Perf.OK {
		checks = append(checks,
			ability("perf stat -j", "prints JSON", c.Perf.JSON, Limited, "counts are read from CSV"),
			ability("perf stat --control", "acknowledges", c.Perf.Control, Missing, "no window of perf's can begin and end with the operations that are counted"),
			ability("PMU self-test", "a known loop was counted right", c.Perf.PMU, Missing, "no hardware counters"),
		)
		checks = append(checks, events(c)...)
		checks = append(checks, counters(c))
	}
	return append(checks,
		watchdog(c),
		hypervisor(c),
		ability("valgrind", c.Valgrind.Version+", "+c.Valgrind.Path, c.Valgrind.Ability, withoutValgrind(c), "no instructions/query where there is no PMU"),
	)
}

// withoutValgrind: a machine whose PMU counts loses little.
func withoutValgrind(c probe.Caps) State {
	if c.Perf.PMU.OK {
		return Limited
	}
	return Missing
}

// fromProcfs are events that procfs counts as well, and for every user.
var fromProcfs = []string{"context-switches", "page-faults", "task-clock"}

// events are those that count, and for each reason those that do not. The
// tracepoint has a line of its own.
func events(c probe.Caps) []Check {
	var good []string
	bad := map[probe.Ability][]string{}
	for _, name := range slices.Sorted(maps.Keys(c.Perf.Events)) {
		switch e := c.Perf.Events[name]; {
		case e.OK:
			good = append(good, name)
		case name != probe.SyscallEvent:
			bad[e.Ability] = append(bad[e.Ability], name)
		}
	}
	var checks []Check
	if len(good) > 0 {
		checks = append(checks, ok("events that count", strings.Join(good, ", ")))
	}
	reasons := slices.SortedFunc(maps.Keys(bad), func(a, b probe.Ability) int {
		return cmp.Or(strings.Compare(a.Remedy, b.Remedy), strings.Compare(a.Reason, b.Reason))
	})
	for _, why := range reasons {
		names := bad[why]
		check := Check{Name: "events that do not", State: Missing, Found: strings.Join(names, ", ") + ": " + why.Reason,
			Cost: "no metric that is made of them", Remedy: why.Remedy}
		if !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(fromProcfs, n) }) {
			check.State, check.Cost = Limited, "a cross-check only: procfs counts the same"
		}
		checks = append(checks, check)
	}
	return checks
}

// oneSet is what the first set of events takes: instructions and cycles, user
// and kernel apart.
const oneSet = 4

func counters(c probe.Caps) Check {
	const name = "counters at once"
	n := c.Perf.Counters
	switch {
	case !c.Perf.PMU.OK:
		return unknown(name, "none counts, so none can be fitted", "")
	case n == 0:
		return unknown(name, "the kernel did not say how many fit", "events may share counters in time; their values are then scaled, and marked")
	case n < oneSet:
		return Check{Name: name, State: Limited, Found: fmt.Sprintf("%d hardware events fit, %d are wanted", n, oneSet),
			Cost: "instructions and cycles, user and kernel, take more windows", Remedy: fewCounters(c)}
	}
	return ok(name, fmt.Sprintf("%d hardware events fit without sharing", n))
}

func fewCounters(c probe.Caps) string {
	if w := c.System.NMIWatchdog; w.Known && w.Value {
		return noWatchdog
	}
	return "end other programs that use hardware counters"
}

const noWatchdog = "sysctl kernel.nmi_watchdog=0"

func watchdog(c probe.Caps) Check {
	const name = "NMI watchdog"
	w := c.System.NMIWatchdog
	switch {
	case !w.Known:
		return unknown(name, w.Reason, "")
	case w.Value && c.Perf.PMU.OK:
		return Check{Name: name, State: Limited, Found: "on", Cost: "holds one hardware counter", Remedy: noWatchdog}
	case w.Value:
		return ok(name, "on; it holds a hardware counter only where there are some")
	}
	return ok(name, "off")
}

func hypervisor(c probe.Caps) Check {
	const name = "hypervisor"
	switch {
	case c.Hyper == "" && c.Host.CPUModel == "" && c.Host.Product == "":
		return unknown(name, "the machine shows neither /proc/cpuinfo nor DMI", "")
	case c.Hyper == "":
		return ok(name, "none is seen")
	case c.Perf.PMU.OK:
		return ok(name, c.Hyper+"; it passes hardware counters on")
	}
	return Check{Name: name, State: Limited, Found: c.Hyper, Cost: "hardware counters only where it passes them on; other guests take CPU time and cache",
		Remedy: "the same machine without a hypervisor"}
}
