package compare

import (
	"strings"

	"opcost/perfctl/result"
)

// unproven says why an interval, however narrow, proves nothing: "" when it may.
//
// Intervals know how much starts differ by chance. Other programs' load lasts
// longer than one start and is not chance: a row's two starts may both have met
// it, or both have been spared. The same scan at the same instructions/row was
// seen to take 0.11 and 0.20 µs of CPU/row within minutes.
func unproven(m Metric, c, base *cell) string {
	if !swayed(m.Name) || !c.disturbed() && !base.disturbed() {
		return ""
	}
	return "other programs used the machine's CPUs meanwhile: measure again on a quiet machine"
}

// swayed: the metric is of times, of what CPUs and caches are shared for, or of the
// whole host, those other programs included. The server's own instructions in user
// space, rows and bytes are the same in whatever company.
func swayed(metric string) bool {
	if metric == "o/s" || strings.HasSuffix(metric, "/o") {
		return true
	}
	switch metric {
	case "qps", "tps", "server_latency_us", "run_queue_us_per_query", "cycles_per_query", "branch_misses_per_query":
		return true
	}
	for _, kind := range []string{"response_us", "cpu_", "context_switches_"} {
		if strings.HasPrefix(metric, kind) {
			return true
		}
	}
	return false
}

// disturbed: other programs used the machine in most of the windows that were
// checked for it.
func (c *cell) disturbed() bool {
	checked, broken := 0, 0
	for _, r := range c.runs {
		for _, p := range costly(r) {
			for _, w := range p.Windows {
				for _, q := range w.Quality {
					if q.Name == result.CheckOthers {
						checked++
						if !q.OK {
							broken++
						}
					}
				}
			}
		}
	}
	return 2*broken > checked
}
