package doctor

import (
	"fmt"
	"slices"
	"strings"

	"opcost/collectors/probe"
)

// machine judges what makes runs differ from each other.
func machine(c probe.Caps, disk probe.Space) []Check {
	return []Check{
		cpus(c),
		hybrid(c),
		governor(c),
		boost(c),
		smt(c),
		numa(c),
		hugePages(c),
		steal(c),
		load(c),
		descriptors(c),
		space(disk),
	}
}

func cpus(c probe.Caps) Check {
	if c.CPUs == 0 {
		return unknown("CPUs", "neither /sys nor /proc/cpuinfo lists them", "")
	}
	found := fmt.Sprint(c.CPUs)
	if c.Host.CPUModel != "" {
		found += " × " + c.Host.CPUModel
	}
	if c.CPUs == 1 {
		return Check{Name: "CPUs", State: Limited, Found: found, Cost: "client and server take turns on one CPU: more context switches, a slower response",
			Remedy: "a machine with 2 CPUs or more"}
	}
	return ok("CPUs", found)
}

func hybrid(c probe.Caps) Check {
	const name = "kinds of core"
	if !c.Host.Hybrid() {
		if c.CPUs == 0 {
			return unknown(name, "the CPUs are not shown", "")
		}
		return ok(name, "one")
	}
	return Check{Name: name, State: Limited, Found: strings.Join(c.Host.PMUs, ", "), Cost: "a thread that changes its kind of core changes its speed and its IPC",
		Remedy: "in the plan, server_cpus and client_cpus with CPUs of one kind: cat /sys/bus/event_source/devices/" + c.Host.PMUs[len(c.Host.PMUs)-1] + "/cpus"}
}

func governor(c probe.Caps) Check {
	const name, cost = "CPU governor", "the clock follows the load: cycles/s and response time vary, instructions/query do not"
	g := c.System.Governors
	switch {
	case !g.Known:
		return unknown(name, g.Reason, "the clock may vary unseen")
	case slices.Equal(g.Value, []string{"performance"}):
		return ok(name, "performance")
	}
	return Check{Name: name, State: Limited, Found: strings.Join(g.Value, ", "), Cost: cost,
		Remedy: "echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"}
}

func boost(c probe.Caps) Check {
	const name = "boost (turbo)"
	b := c.System.Boost
	switch {
	case !b.Known:
		return unknown(name, b.Reason, "the clock may vary unseen")
	case !b.Value:
		return ok(name, "off")
	}
	return Check{Name: name, State: Limited, Found: "on", Cost: "the clock follows heat and the other cores' load: CPU/query varies", Remedy: c.System.BoostOff}
}

func smt(c probe.Caps) Check {
	const name = "SMT"
	s := c.System.SMT
	switch {
	case !s.Known:
		return unknown(name, s.Reason, "")
	case !s.Value && c.Hyper != "":
		return ok(name, "off, as far as the hypervisor shows")
	case !s.Value:
		return ok(name, "off")
	}
	return Check{Name: name, State: Limited, Found: "on", Cost: "a thread is slower while its core's other one works: CPU/query depends on the neighbour",
		Remedy: "echo off > /sys/devices/system/cpu/smt/control"}
}

func numa(c probe.Caps) Check {
	const name = "NUMA nodes"
	n := c.System.NUMANodes
	switch {
	case !n.Known:
		return unknown(name, n.Reason, "")
	case n.Value == 1:
		return ok(name, "1")
	}
	return Check{Name: name, State: Limited, Found: fmt.Sprint(n.Value), Cost: "near or far memory is a matter of luck at each server start",
		Remedy: "in the plan, launcher: [numactl, --cpunodebind=0, --membind=0]"}
}

func hugePages(c probe.Caps) Check {
	const name = "transparent huge pages"
	t := c.System.THP
	switch {
	case !t.Known:
		return unknown(name, t.Reason, "")
	case t.Value != "always":
		return ok(name, t.Value)
	}
	return Check{Name: name, State: Limited, Found: t.Value, Cost: "which memory becomes huge pages differs from start to start: cycles and page faults vary",
		Remedy: "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"}
}

// Shares above which time is no longer the server's own.
const (
	stealLimit    = 0.01
	stealNowLimit = 0.05 // over less than a second, in hundredths of one
	loadLimit     = 0.25 // of the CPUs
)

func steal(c probe.Caps) Check {
	const name = "steal"
	s := c.System.Steal
	if !s.Known {
		return unknown(name, s.Reason, "")
	}
	found := fmt.Sprintf("%.2f%% of busy time since boot, %.1f%% now", 100*s.Value.SinceBoot, 100*s.Value.Now)
	if s.Value.SinceBoot <= stealLimit && s.Value.Now <= stealNowLimit {
		return ok(name, found)
	}
	return Check{Name: name, State: Limited, Found: found, Cost: "the hypervisor gives our CPUs to others: qps and CPU/query vary",
		Remedy: "a dedicated host, or CPUs of its own for this virtual machine"}
}

func load(c probe.Caps) Check {
	const name = "load"
	l := c.System.Load1
	if !l.Known || c.CPUs == 0 {
		return unknown(name, strings.TrimPrefix(l.Reason+"; the CPUs are not shown", "; "), "")
	}
	found := fmt.Sprintf("%.2f over the last minute, %d CPUs", l.Value, c.CPUs)
	if l.Value <= loadLimit*float64(c.CPUs) {
		return ok(name, found)
	}
	return Check{Name: name, State: Limited, Found: found, Cost: "other programs take CPU time and cache: qps and CPU/query vary",
		Remedy: "end them before a run: top -b -n 1 | head -20 shows them"}
}

// wantedFiles: perf holds a descriptor an event and thread, 9 events of 400
// threads; the server one a connection and table.
const wantedFiles = 4096

func descriptors(c probe.Caps) Check {
	const name = "file descriptors"
	d := c.System.Descriptors
	if !d.Known {
		return unknown(name, d.Reason, "")
	}
	text := func(n int64) string {
		if n < 0 {
			return "unlimited"
		}
		return fmt.Sprint(n)
	}
	found := fmt.Sprintf("%s, can be raised to %s", text(d.Value.Soft), text(d.Value.Hard))
	if d.Value.Soft == d.Value.Hard {
		found = text(d.Value.Soft)
	}
	if d.Value.Hard < 0 || d.Value.Hard >= wantedFiles {
		return ok(name, found) // perf and the server raise theirs themselves
	}
	return Check{Name: name, State: Limited, Found: found, Cost: "perf needs one an event and server thread, the server one a connection and table",
		Remedy: fmt.Sprintf("ulimit -n %d as root, or LimitNOFILE=%d in the service", 16*wantedFiles, 16*wantedFiles)}
}

// wantedKB is room for two versions' data with copies, of a small plan.
const wantedKB = 2 << 20

func space(s probe.Space) Check {
	const name = "disk"
	if s.Unknown != "" {
		return unknown(name, s.Unknown, "")
	}
	c := Check{Name: name, State: Limited, Found: fmt.Sprintf("%.1f GB free in %s (%s)", float64(s.FreeKB)*1024/1e9, s.Dir, s.FS)}
	switch {
	case s.FreeKB < wantedKB:
		c.Cost, c.Remedy = "each version's data and its copies take 0.2 GB and more", "opcost run PLAN --work DIR, with a folder on a larger disk"
	case slices.Contains([]string{"tmpfs", "ramfs"}, s.FS):
		c.Cost, c.Remedy = "data is in memory: writing costs no I/O, and takes memory from the server", "opcost run PLAN --work DIR, with a folder on the disk that is meant"
	case slices.Contains([]string{"nfs", "cifs", "smb2", "9p", "fuse"}, s.FS):
		c.Cost, c.Remedy = "writes wait for another machine or process", "opcost run PLAN --work DIR, with a folder on a local disk"
	default:
		return ok(name, c.Found)
	}
	return c
}
