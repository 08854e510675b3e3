package importer

import (
	"errors"
	"regexp"

	"opcost/perfctl/importer/iostat"
	"opcost/perfctl/importer/vmstat"
	"opcost/perfctl/result"
)

// vmstat gives means over the intervals, of the whole host.
func (b *batch) vmstat(p piece, o vmstat.Output) error {
	means, n := o.Means()
	if n == 0 {
		return errors.New("one row alone, which is since the machine was booted and says nothing of a run")
	}
	p.window = windowOf(p.from)
	for _, c := range []struct{ column, name, unit string }{
		{"us", "host_user_percent", "percent"}, {"sy", "host_system_percent", "percent"}, {"id", "host_idle_percent", "percent"},
		{"wa", "host_iowait_percent", "percent"}, {"st", "host_steal_percent", "percent"},
		{"cs", "host_context_switches_per_second", "count"}, {"in", "host_interrupts_per_second", "count"},
	} {
		if v, ok := means[c.column]; ok {
			p.window.Readings = append(p.window.Readings, gauge(c.name, v, c.unit))
		}
	}
	b.add(p)
	return nil
}

// disk is a whole device of its own: others (md0, dm-0, loop0, sda1) lie on
// such, and adding them would count each request twice.
var disk = regexp.MustCompile(`^(?:sd[a-z]+|hd[a-z]+|vd[a-z]+|xvd[a-z]+|nvme\d+n\d+|mmcblk\d+|cciss/c\d+d\d+)$`)

// iostat gives means over the intervals; rates are sums over the disks.
func (b *batch) iostat(p piece, o iostat.Output) error {
	b.machine(p.from, o.Host)
	p.cpus = o.CPUs
	if len(o.Reports) < 2 {
		return errors.New("one report alone, which is since the machine was booted and says nothing of a run")
	}
	sums, counts := map[string]float64{}, map[string]int{}
	add := func(name string, v float64) { sums[name] += v; counts[name]++ }
	for _, r := range o.Reports[1:] {
		for column, v := range r.CPU {
			add("host_"+column+"_percent", v)
		}
		rates := map[string]float64{}
		for _, d := range r.Devices {
			if !disk.MatchString(d.Name) {
				continue
			}
			for _, read := range []bool{true, false} {
				word := "write"
				if read {
					word = "read"
				}
				if v, ok := d.Requests(read); ok {
					rates["host_"+word+"s_per_second"] += v
				}
				if v, ok := d.KB(read); ok {
					rates["host_"+word+"_kb_per_second"] += v
				}
			}
		}
		for name, v := range rates {
			add(name, v)
		}
	}
	p.window = windowOf(p.from)
	for _, name := range []string{"host_user_percent", "host_system_percent", "host_idle_percent", "host_iowait_percent", "host_steal_percent",
		"host_reads_per_second", "host_writes_per_second", "host_read_kb_per_second", "host_write_kb_per_second"} {
		if n := counts[name]; n > 0 {
			unit := "count"
			if name[len(name)-7:] == "percent" {
				unit = "percent"
			} else if name[len(name)-13:] == "kb_per_second" {
				unit = "kb"
			}
			p.window.Readings = append(p.window.Readings, gauge(name, sums[name]/float64(n), unit))
		}
	}
	if len(p.window.Readings) == 0 {
		return errors.New("no CPU shares and no rates of a disk (sd*, nvme*n*, ...)")
	}
	b.add(p)
	return nil
}

// costs adds what Small Datum makes of a load's QPS and the host's means, where
// a run has both and no such cost yet.
func costs(run *result.Run) {
	qps, ok := throughput(run)
	if !ok {
		return
	}
	value := func(name string) (float64, bool) {
		r := readingOf(run, name)
		if r == nil || r.Value == nil {
			return 0, false
		}
		return *r.Value, true
	}
	per := func(name string, v float64) {
		if !has(run, name) {
			w := &run.Passes[0].Windows[0]
			w.Readings = append(w.Readings, gauge(name, v/qps, units[name]))
		}
	}
	us, okUser := value("host_user_percent")
	sy, okSystem := value("host_system_percent")
	if okUser && okSystem {
		per("cpu/o", us+sy)
	}
	for name, of := range map[string]string{"cs/o": "host_context_switches_per_second", "r/o": "host_reads_per_second",
		"rKB/o": "host_read_kb_per_second", "wKB/o": "host_write_kb_per_second"} {
		if v, ok := value(of); ok {
			per(name, v)
		}
	}
}

// throughput is statements a second.
func throughput(run *result.Run) (float64, bool) {
	for _, w := range run.Passes[0].Windows {
		if n := w.Ops.N(); n > 0 && w.DurationNS > 0 && w.Ops.Per == "statement" {
			return float64(n) / (float64(w.DurationNS) / 1e9), true
		}
	}
	if r := readingOf(run, "qps"); r != nil && r.Value != nil && *r.Value > 0 {
		return *r.Value, true
	}
	return 0, false
}
