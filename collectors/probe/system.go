package probe

import "context"

// System is how the machine is set, as far as it bears on what can be measured
// and how well it repeats.
type System struct {
	// Seccomp is the filter on system calls: 0 none, 1 strict, 2 a filter.
	Seccomp Fact[int]
	// Capabilities are the effective ones that count here, such as CAP_PERFMON.
	Capabilities Fact[[]string]
	// PtraceScope is kernel.yama.ptrace_scope; 0 with a remark without Yama.
	PtraceScope Fact[int]
	// KptrRestrict is kernel.kptr_restrict.
	KptrRestrict Fact[int]
	// KernelSymbols: /proc/kallsyms shows addresses to us.
	KernelSymbols Fact[bool]
	// Tracefs: tracepoints can be read. BTF: the kernel's types can.
	Tracefs, BTF Ability
	// NMIWatchdog holds one hardware counter while it is on.
	NMIWatchdog Fact[bool]

	// Governors are the frequency governors in use, each once.
	Governors Fact[[]string]
	// Boost: a clock above the nominal one is allowed. BoostOff switches it off.
	Boost    Fact[bool]
	BoostOff string
	// SMT: threads share cores.
	SMT Fact[bool]
	// THP is transparent huge pages' mode: always, madvise or never.
	THP Fact[string]
	// MaxMHz is the highest clock that a governor may choose, over all CPUs.
	MaxMHz Fact[float64]
	// Mitigations say what the kernel does about the CPU's faults, for those it
	// has: "NAME: text; NAME: text"; "none needed" where it has none.
	Mitigations Fact[string]
	// NUMANodes have memory of their own.
	NUMANodes Fact[int]
	// Load1 is the number of threads that run or wait, over a minute.
	Load1 Fact[float64]
	Steal Fact[Steal]
	// Descriptors is the limit of open files that a program of ours gets.
	Descriptors Fact[Limit]
}

// Limit is a resource limit; -1 is no limit.
type Limit struct{ Soft, Hard int64 }

// system reads it all. Only the descriptors' limit needs a program.
func (a asker) system(ctx context.Context) System {
	s := System{
		KptrRestrict:  a.number("proc/sys/kernel/kptr_restrict"),
		PtraceScope:   a.ptraceScope(),
		KernelSymbols: a.kernelSymbols(),
		Tracefs:       a.tracefs(),
		BTF:           a.btf(),
		NMIWatchdog:   a.flag("proc/sys/kernel/nmi_watchdog"),
		Governors:     a.governors(),
		SMT:           a.smt(),
		THP:           a.thp(),
		NUMANodes:     a.numaNodes(),
		MaxMHz:        a.maxMHz(),
		Mitigations:   a.mitigations(),
		Load1:         a.load1(),
		Descriptors:   a.descriptors(ctx),
	}
	s.Seccomp, s.Capabilities = a.ourStatus()
	s.Boost, s.BoostOff = a.boost()
	return s
}
