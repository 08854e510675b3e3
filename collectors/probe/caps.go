// Package probe asks once what this machine, this kernel, this perf and this
// valgrind can do, and says it as one value, [Caps]. `run` chooses its
// collectors by it and `doctor` prints it. It measures nothing of a server,
// changes no setting, and starts nothing that lives longer than the question.
package probe

import "opcost/perfctl/result"

// Caps is what can be measured here.
type Caps struct {
	Perf     Perf
	Valgrind Tool
	Kernel   string
	// Paranoid is kernel.perf_event_paranoid; [ParanoidUnknown] when unreadable.
	Paranoid int
	// SchedStat: /proc/PID/task/*/schedstat counts for real.
	SchedStat Ability
	CPUs      int    // online; 0 when unreadable
	Hyper     string // hypervisor, "" when none is seen
	User      User
	Host      Host
	System    System
}

// ParanoidUnknown is Caps.Paranoid where the setting could not be read. The
// setting itself goes from -1 up.
const ParanoidUnknown = -2

// User is who asks: counting the kernel's side needs root, CAP_PERFMON, or a
// low kernel.perf_event_paranoid.
type User struct {
	UID     int
	Perfmon bool // CAP_PERFMON or CAP_SYS_ADMIN is effective
	Ptrace  bool // CAP_SYS_PTRACE is effective: processes of others can be attached to
}

// Host is what the machine consists of. Zero values are unknown.
type Host struct {
	CPUModel string
	MemoryKB int64
	Load1    float64  // when asked
	Product  string   // DMI product name, "" where there is none (most containers and small VMs)
	PMUs     []string // core PMUs; two or more on a hybrid CPU: cpu_core, cpu_atom
	NMIWatch bool     // the NMI watchdog holds one hardware counter
}

// Hybrid reports whether the machine has more than one kind of core, so that
// a hardware event must be counted once a kind.
func (h Host) Hybrid() bool { return len(h.PMUs) > 1 }

// Ability is a yes, or a no with reason and remedy.
type Ability struct {
	OK     bool
	Reason string
	Remedy string
}

// Tool is an installed program.
type Tool struct {
	Ability
	Path    string
	Version string // as the tool prints it
}

// Perf is the installed perf and what its events do here.
type Perf struct {
	Tool
	Major, Minor int
	JSON         Ability // stat -j
	Control      Ability // stat --control fd:
	// Events by the name given to perf; each was tried once alone.
	Events map[string]Event
	// PMU: a known loop was counted with a plausible number of instructions.
	PMU Ability
	// Counters is how many hardware events fit at once without multiplexing;
	// 0 when unknown.
	Counters int
}

// Event is one perf event, tried.
type Event struct {
	Ability
	// Name is how perf names it in its output (task-clock:u, cpu_core/cycles/).
	Name string
}

// Machine gives the part of the record that says what the numbers were
// measured on.
func (c Caps) Machine() result.Machine {
	pmu := "counts"
	if !c.Perf.PMU.OK {
		pmu = c.Perf.PMU.Reason
	}
	m := result.Machine{
		Kernel:     c.Kernel,
		CPUModel:   c.Host.CPUModel,
		CPUs:       c.CPUs,
		MemoryKB:   c.Host.MemoryKB,
		Hypervisor: c.Hyper,
		Perf:       c.Perf.Version,
		Valgrind:   c.Valgrind.Version,
		PMU:        pmu,
		Load1:      c.Host.Load1,
	}
	c.System.into(&m)
	return m
}
