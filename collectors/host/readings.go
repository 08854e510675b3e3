package host

import (
	"fmt"
	"slices"
	"strings"

	"opcost/perfctl/result"
)

// window is two edges of which readings are made.
type window struct {
	begin, end edge
	disks      []string
}

// quantity is a number that grows; a level has one value an edge.
type quantity struct {
	name, unit string
	source     result.Source
	scope      result.Scope
	part       part
	of         func(edge) float64
}

// tickUS is the grain of /proc/stat's times: USER_HZ is 100.
const tickUS = 10_000

var quantities = []quantity{
	{"host_cpu_user_us", "us", result.SourceHost, result.User, partStat, func(e edge) float64 { return 1e6 * (e.CPU.User + e.CPU.Nice) }},
	{"host_cpu_system_us", "us", result.SourceHost, result.Kernel, partStat, func(e edge) float64 { return 1e6 * e.CPU.System }},
	{"host_cpu_irq_us", "us", result.SourceHost, result.Kernel, partStat, func(e edge) float64 { return 1e6 * (e.CPU.IRQ + e.CPU.SoftIRQ) }},
	{"host_cpu_steal_us", "us", result.SourceHost, "", partStat, func(e edge) float64 { return 1e6 * e.CPU.Steal }},
	{"host_cpu_idle_us", "us", result.SourceHost, "", partStat, func(e edge) float64 { return 1e6 * e.CPU.Idle }},
	{"host_cpu_iowait_us", "us", result.SourceHost, "", partStat, func(e edge) float64 { return 1e6 * e.CPU.Iowait }},
	{"host_context_switches", "count", result.SourceHost, result.UserKernel, partStat, func(e edge) float64 { return float64(e.Switches) }},
	{"host_interrupts", "count", result.SourceHost, result.UserKernel, partStat, func(e edge) float64 { return float64(e.Interrupts) }},
	{"client_cpu_us", "us", result.SourceClient, result.UserKernel, partClient, func(e edge) float64 { return float64(e.ClientUser + e.ClientSys) }},
	{"client_cpu_user_us", "us", result.SourceClient, result.User, partClient, func(e edge) float64 { return float64(e.ClientUser) }},
	{"client_cpu_system_us", "us", result.SourceClient, result.Kernel, partClient, func(e edge) float64 { return float64(e.ClientSys) }},
}

var levels = []quantity{
	{"host_dirty_kb", "kb", result.SourceHost, "", partMeminfo, func(e edge) float64 { return float64(e.DirtyKB) }},
	{"host_writeback_kb", "kb", result.SourceHost, "", partMeminfo, func(e edge) float64 { return float64(e.WritebackKB) }},
	{"host_run_queue", "count", result.SourceHost, "", partStat, func(e edge) float64 { return float64(e.Running) }},
	{"host_cpu_mhz", "mhz", result.SourceHost, "", partFreq, func(e edge) float64 { return e.MHz }},
}

func (w window) readings() []result.Reading {
	var out []result.Reading
	for _, q := range quantities {
		out = append(out, w.difference(q))
	}
	out = append(out, w.diskReadings()...)
	for _, q := range levels {
		out = append(out, level(q, q.name+"_begin", w.begin), level(q, q.name+"_end", w.end))
	}
	cpus := quantity{"host_cpus", "count", result.SourceHost, "", partStat, func(e edge) float64 { return float64(e.CPUs) }}
	return append(out, level(cpus, cpus.name, w.end))
}

func lacking(q quantity, name, reason string) result.Reading {
	st, remedy := result.Failed, ""
	if q.part == partFreq {
		st, remedy = result.Unsupported, "on bare metal load the cpufreq driver; perf's cycles per task-clock give the frequency while working"
	}
	return result.Lacking(name, q.unit, q.source, q.scope, st, reason, remedy)
}

func (w window) difference(q quantity) result.Reading {
	for _, e := range []edge{w.begin, w.end} {
		if reason, lacks := e.Lacks[q.part]; lacks {
			return lacking(q, q.name, reason)
		}
	}
	diff := q.of(w.end) - q.of(w.begin)
	time := q.part == partStat && q.unit == "us"
	if diff < 0 && !time {
		return lacking(q, q.name, fmt.Sprintf("the kernel's counter went back by %g %s", -diff, q.unit))
	}
	r := result.Got(q.name, diff, q.unit, q.source, q.scope)
	if time {
		r.Uncertainty = tickUS
		switch {
		case diff < 0:
			// Documentation/filesystems/proc.rst: iowait may decrease.
			r.State, r.Reason = result.Partial, "the kernel's counter went backwards in the window, which it may do for idle and iowait"
		case w.begin.CPUs != w.end.CPUs:
			r.State, r.Reason = result.Partial, fmt.Sprintf("%d CPUs were online when the window began, %d when it ended", w.begin.CPUs, w.end.CPUs)
		}
	}
	return r
}

func level(q quantity, name string, e edge) result.Reading {
	reason, lacks := e.Lacks[q.part]
	r := result.Got(name, q.of(e), q.unit, q.source, q.scope)
	if lacks {
		r = lacking(q, name, reason)
	}
	r.Gauge = true
	return r
}

// diskReadings sum over the whole disks that were there at both edges.
func (w window) diskReadings() []result.Reading {
	sectorKB := func(n uint64) float64 { return float64(n) / 2 }
	var there []string
	for _, name := range w.disks {
		_, b := w.begin.Disks[name]
		_, e := w.end.Disks[name]
		if b && e {
			there = append(there, name)
		}
	}
	total := func(of func(disk) float64) func(edge) float64 {
		return func(e edge) float64 {
			var sum float64
			for _, name := range there {
				sum += of(e.Disks[name])
			}
			return sum
		}
	}
	var out []result.Reading
	for _, q := range []quantity{
		{"host_reads", "count", result.SourceHost, "", partDisks, total(func(d disk) float64 { return float64(d.Reads) })},
		{"host_read_kb", "kb", result.SourceHost, "", partDisks, total(func(d disk) float64 { return sectorKB(d.ReadSectors) })},
		{"host_writes", "count", result.SourceHost, "", partDisks, total(func(d disk) float64 { return float64(d.Writes) })},
		{"host_write_kb", "kb", result.SourceHost, "", partDisks, total(func(d disk) float64 { return sectorKB(d.WriteSectors) })},
	} {
		r := w.difference(q)
		if len(there) < len(w.disks) && r.State == result.OK {
			gone := slices.DeleteFunc(slices.Clone(w.disks), func(d string) bool { return slices.Contains(there, d) })
			r.State, r.Reason = result.Partial, "not there at both edges of the window: "+strings.Join(gone, ", ")
		}
		out = append(out, r)
	}
	n := quantity{"host_disks", "count", result.SourceHost, "", partDisks, func(edge) float64 { return float64(len(there)) }}
	r := level(n, n.name, w.end)
	if r.State == result.OK {
		r.Reason = "summed: " + strings.Join(there, ", ")
	}
	return append(out, r)
}
