package perfctl

import (
	"math"
	"slices"

	"opcost/perfctl/result"
)

// withoutOwn takes out of the process's counts what it did for our connection
// between the edges: counting operations, and reading up to now. Between the
// edges of the process and of the thread that served us, we send nothing.
func withoutOwn(w *result.Window) {
	i := slices.IndexFunc(w.Threads, func(t result.Thread) bool { return t.Own && t.State == result.OK })
	if i < 0 {
		return // without a login there is nothing; else a statement or two stay in
	}
	own := w.Threads[i]
	for name, amount := range map[string]float64{
		"cpu_us":                       own.CPUUS,
		"context_switches":             own.Voluntary + own.Involuntary,
		"context_switches_voluntary":   own.Voluntary,
		"context_switches_involuntary": own.Involuntary,
		"run_queue_us":                 own.RunQueueUS,
		"schedstat_cpu_us":             own.CPUUS,
	} {
		for i := range w.Readings {
			if r := &w.Readings[i]; r.Name == name && r.Value != nil && r.Source == result.SourceProc {
				less := max(0, *r.Value-amount)
				r.Value = &less
			}
		}
	}
}

// byThread gives CPU of the threads that serve connections, and the rest, out
// of the table of threads, where that is whole: each thread in a row of its own.
// The thread that served us is in neither.
func byThread(w *result.Window) {
	var connections, all float64
	for _, t := range w.Threads {
		if t.State != result.OK || t.Others > 0 {
			return // the reading that says why not stays
		}
		if t.Own {
			continue
		}
		all += t.CPUUS
		if t.Connection != 0 {
			connections += t.CPUUS
		}
	}
	i := slices.IndexFunc(w.Readings, func(r result.Reading) bool { return r.Name == "cpu_us" && r.State.Usable() })
	if len(w.Threads) == 0 || i < 0 || math.Abs(all / *w.Readings[i].Value - 1) > 0.02 {
		return // threads came and went, and the table has not all of them
	}
	whole := w.Readings[i]
	for name, value := range map[string]float64{"cpu_connection_us": connections, "cpu_background_us": max(all, *whole.Value) - connections} {
		for i := range w.Readings {
			if r := &w.Readings[i]; r.Name == name && !r.State.Usable() {
				*r = result.Got(name, value, "us", result.SourceProc, result.UserKernel)
				r.Uncertainty = math.Abs(*whole.Value-all) + whole.Uncertainty
				r.State, r.Reason = whole.State, whole.Reason
			}
		}
	}
}
