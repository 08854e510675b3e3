// Package probe asks once what this machine, this kernel, this perf and this
// valgrind can do, and says it as one value, [Caps]. `run` chooses its
// collectors by it and `doctor` prints it. It measures nothing of a server.
package probe

// Caps is what can be measured here.
type Caps struct {
	Perf     Perf
	Valgrind Tool
	Kernel   string
	// Paranoid is kernel.perf_event_paranoid; -2 when unreadable.
	Paranoid int
	// SchedStat: /proc/PID/task/*/schedstat counts for real.
	SchedStat Ability
	CPUs      int
	Hyper     string // hypervisor, "" when none is seen
}

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
