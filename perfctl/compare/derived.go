package compare

import (
	"strings"

	"opcost/perfctl/result"
)

// addSums gives the whole where a source counted user and kernel apart: the
// reading x is x_user + x_kernel, or x_user alone with scope user. And it gives
// the quotients of two counts of one window: ipc and ghz.
func (ts *tallies) addSums(w result.Window) {
	ops := operations(w)
	seen := map[string]bool{}
	for _, r := range w.Readings {
		whole, ok := strings.CutSuffix(r.Name, "_user")
		if !ok || r.Source != result.SourcePerf || seen[whole] {
			continue
		}
		seen[whole] = true
		if own, ok := find(w, whole, r.Source); ok && own.State.Usable() {
			continue // counted as a whole, and taken as such
		}
		if a, scope, ok := count(w, whole); ok {
			ts.add(measure{whole + "_per_query", r.Source, scope, perOf(w)}, a.and(doubt(w)), ops)
		}
	}
	instructions, iScope, iOK := count(w, "instructions")
	cycles, cScope, cOK := count(w, "cycles")
	if iOK && cOK && iScope == cScope && cycles.value > 0 {
		a := instructions.and(cycles).and(doubt(w))
		a.unit, a.unsure = "instructions", 0 // the edges of both are the same
		ts.add(measure{"ipc", result.SourcePerf, iScope, "cycle"}, a, exactly(cycles.value))
	}
	cpu, ok := find(w, "task_clock_us", result.SourcePerf)
	if !ok || !cpu.State.Usable() {
		cpu, ok = find(w, "cpu_us", result.SourceProc)
	}
	// Cycles of user space alone over all CPU time would be no frequency.
	if ok && cOK && cScope == result.UserKernel {
		if clock := amountOf(cpu); clock.state.Usable() && clock.value > 0 {
			a := cycles.and(clock).and(doubt(w))
			a.unit = "GHz"
			ts.add(measure{"ghz", result.SourcePerf, cScope, ""}, a, exactly(clock.value*1000))
		}
	}
}

// find gives the window's reading of that name and source.
func find(w result.Window, name string, src result.Source) (result.Reading, bool) {
	for _, r := range w.Readings {
		if r.Name == name && r.Source == src {
			return r, true
		}
	}
	return result.Reading{}, false
}

// count gives perf's count of an event with its scope: as a whole, else user
// and kernel added, else user alone.
func count(w result.Window, name string) (amount, result.Scope, bool) {
	if r, ok := find(w, name, result.SourcePerf); ok && r.State.Usable() && r.Value != nil {
		return amountOf(r), r.Scope, true
	}
	u, ok := find(w, name+"_user", result.SourcePerf)
	if !ok || !u.State.Usable() || u.Value == nil {
		return amount{}, "", false
	}
	user := amountOf(u)
	k, ok := find(w, name+"_kernel", result.SourcePerf)
	if !ok || !k.State.Usable() || k.Value == nil {
		if ok && user.reason == "" {
			user.reason, user.remedy = "user space only; kernel: "+k.Reason, k.Remedy
		}
		return user, result.User, true
	}
	kernel := amountOf(k)
	sum := user.and(kernel)
	sum.value, sum.unsure = user.value+kernel.value, user.unsure+kernel.unsure
	return sum, result.UserKernel, true
}

// addRates gives throughput and response time, seen by the client, and how many
// CPUs the server used. qps counts what the window's operations are: statements,
// or rows where the cost is asked for per row.
func (ts *tallies) addRates(w result.Window) {
	seconds := float64(w.DurationNS) / 1e9
	src := w.Ops.Source
	sound := func(v float64, unit string) amount {
		return amount{value: v, unit: unit, state: result.OK}.and(doubt(w))
	}
	if seconds > 0 {
		statements, per, unsure := w.Ops.N(), perOf(w), w.Ops.Uncertainty
		if per == "transaction" {
			a := sound(float64(w.Ops.N()), "transaction")
			a.unsure = unsure
			ts.add(measure{"tps", src, "", "second"}, a, exactly(seconds))
			statements = 0
			for _, o := range w.OtherOps {
				if o.Per == "statement" {
					statements, per, src, unsure = o.N(), o.Per, o.Source, o.Uncertainty
					break
				}
			}
		} else if w.Ops.Transactions > 0 {
			ts.add(measure{"tps", src, "", "second"}, sound(float64(w.Ops.Transactions), "transaction"), exactly(seconds))
		}
		if statements > 0 {
			a := sound(float64(statements), per)
			a.unsure = unsure
			ts.add(measure{"qps", src, "", "second"}, a, exactly(seconds))
		}
		if cpu, ok := find(w, "cpu_us", result.SourceProc); ok && cpu.State.Usable() {
			a := amountOf(cpu).and(doubt(w))
			a.unit = "cpus"
			ts.add(measure{"cpus_used", cpu.Source, cpu.Scope, ""}, a, exactly(seconds*1e6))
		}
	}
	if l := w.Latency; l != nil && l.Count > 0 {
		n := float64(l.Count)
		// Percentiles of several windows cannot be merged exactly; their mean
		// weighted by statements stands for them. A start has one window as a rule.
		for name, us := range map[string]float64{"response_us": l.MeanUS, "response_us_p50": l.P50US,
			"response_us_p95": l.P95US, "response_us_p99": l.P99US, "response_us_max": l.MaxUS} {
			ts.add(measure{name, result.SourceClient, "", "statement"}, sound(us*n, "us"), exactly(n))
		}
	}
}

// addHost gives the whole host's cost per operation in the units of Small
// Datum's tables: cpu/o is the mean percent of all CPUs in user and system over
// the operations a second (vmstat's us + sy, and its sy has interrupts in it), the
// others are a rate over the operations a second, which is a count over the
// operations.
func (ts *tallies) addHost(w result.Window) {
	ops, seconds := operations(w), float64(w.DurationNS)/1e9
	host := func(name string) (amount, bool) {
		r, ok := find(w, name, result.SourceHost)
		return amountOf(r), ok
	}
	any := false
	busy, total := amount{state: result.OK}, 0.0
	for _, part := range []string{"user", "system", "irq", "idle", "iowait", "steal"} {
		a, ok := host("host_cpu_" + part + "_us")
		if !ok && part != "steal" && part != "irq" { // kernels before 2.6.11 had no steal, before 2.6.0 no irq
			a = amount{state: result.NotCounted, reason: "host_cpu_" + part + "_us was not read"}
		} else if !ok {
			continue
		}
		any = any || ok
		busy = busy.and(a)
		total += a.value
		if part == "user" || part == "system" || part == "irq" {
			busy.value += a.value
		}
	}
	per := func(name string) measure { return measure{name, result.SourceHost, "", perOf(w)} }
	if any {
		if busy.state.Usable() && total <= 0 {
			busy.state, busy.reason = result.Failed, "the host's CPU times did not move"
		}
		if busy.state.Usable() {
			busy.value = 100 * busy.value / total * seconds
		}
		busy = busy.and(doubt(w))
		busy.unit = "percent"
		ts.add(per("cpu/o"), busy, ops)
	}
	for name, reading := range map[string]string{"cs/o": "host_context_switches", "r/o": "host_reads",
		"rKB/o": "host_read_kb", "wKB/o": "host_write_kb"} {
		if a, ok := host(reading); ok {
			ts.add(per(name), a.and(doubt(w)), ops)
		}
	}
	if any && seconds > 0 && ops.n > 0 && perOf(w) != perSecond {
		ts.add(measure{"o/s", w.Ops.Source, "", "second"}, amount{value: ops.n, unsure: ops.unsure, unit: perOf(w), state: result.OK}.and(doubt(w)), exactly(seconds))
	}
}
