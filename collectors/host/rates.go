package host

import "opcost/perfctl/result"

// Rates are a window in the units of vmstat and iostat, as published
// benchmarks divide them by QPS (cpu/o, cs/o, r/o, rKB/o, wKB/o).
type Rates struct {
	CPUPercent   float64 // vmstat's us + sy: percent of the whole host, interrupts included
	StealPercent float64 // vmstat's st
	Switches     float64 // a second: vmstat's cs
	Reads        float64 // a second: iostat's r/s
	ReadKB       float64 // a second: iostat's rkB/s
	WriteKB      float64 // a second: iostat's wkB/s
}

// VMStat turns this collector's readings of a window of so many seconds into
// Rates; false where one of them has no value.
func VMStat(readings []result.Reading, seconds float64) (Rates, bool) {
	v := map[string]float64{}
	for _, r := range readings {
		if r.Value != nil {
			v[r.Name] = *r.Value
		}
	}
	for _, name := range []string{"host_cpu_user_us", "host_cpu_system_us", "host_cpu_irq_us", "host_cpu_steal_us", "host_cpu_idle_us",
		"host_cpu_iowait_us", "host_context_switches", "host_reads", "host_read_kb", "host_write_kb"} {
		if _, has := v[name]; !has {
			return Rates{}, false
		}
	}
	busy := v["host_cpu_user_us"] + v["host_cpu_system_us"] + v["host_cpu_irq_us"]
	all := busy + v["host_cpu_steal_us"] + v["host_cpu_idle_us"] + v["host_cpu_iowait_us"]
	if seconds <= 0 || all <= 0 {
		return Rates{}, false
	}
	return Rates{
		CPUPercent:   100 * busy / all,
		StealPercent: 100 * v["host_cpu_steal_us"] / all,
		Switches:     v["host_context_switches"] / seconds,
		Reads:        v["host_reads"] / seconds,
		ReadKB:       v["host_read_kb"] / seconds,
		WriteKB:      v["host_write_kb"] / seconds,
	}, true
}
