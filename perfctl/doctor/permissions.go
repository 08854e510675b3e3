package doctor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"opcost/collectors/probe"
)

// permissions judges the kernel and what it allows us.
func permissions(c probe.Caps) []Check {
	kernel := ok("kernel", c.Kernel)
	if c.Kernel == "" {
		kernel = unknown("kernel", "/proc/sys/kernel/osrelease cannot be read", "")
	}
	return []Check{
		kernel,
		capabilities(c),
		paranoid(c),
		seccomp(c),
		yama(c),
		kernelSymbols(c),
		ability("tracefs", "tracepoints can be read", c.System.Tracefs, Missing, "no syscalls/query"),
		ability("BTF", "/sys/kernel/btf/vmlinux", c.System.BTF, Limited, "no off-CPU profiles through BPF (perf record --off-cpu)"),
	}
}

func capabilities(c probe.Caps) Check {
	const name = "user, capabilities"
	caps := c.System.Capabilities
	if !caps.Known {
		return unknown(name, caps.Reason, "")
	}
	who := "root"
	if c.User.UID != 0 {
		who = "user " + strconv.Itoa(c.User.UID)
	}
	found := who + "; none that count here"
	if len(caps.Value) > 0 {
		found = who + "; " + strings.Join(caps.Value, ", ")
	}
	if c.User.Perfmon && c.User.Ptrace {
		return ok(name, found)
	}
	return Check{Name: name, State: Limited, Found: found,
		Cost:   "own processes only; the kernel's side as kernel.perf_event_paranoid allows",
		Remedy: "run as root, or: " + ambient}
}

// ambient gives a user's opcost, and the perf that it starts, what it needs. File
// capabilities of perf (setcap) would do too, but the kernel takes back from such
// a program that it dies with us (prctl(2), PR_SET_PDEATHSIG).
const ambient = "sudo setpriv --reuid=$(id -u) --regid=$(id -g) --init-groups" +
	" --inh-caps=+perfmon,+sys_ptrace,+syslog --ambient-caps=+perfmon,+sys_ptrace,+syslog opcost run PLAN"

// paranoid: the kernel's admin-guide/sysctl/kernel.rst, perf_event_paranoid; 3
// and more are Debian's and Ubuntu's addition, and forbid all.
func paranoid(c probe.Caps) Check {
	const name = "perf_event_paranoid"
	n := c.Paranoid
	found := strconv.Itoa(n)
	check := Check{Name: name, State: Limited, Found: found, Remedy: "sysctl kernel.perf_event_paranoid=1"}
	switch {
	case n == probe.ParanoidUnknown:
		return unknown(name, "/proc/sys/kernel/perf_event_paranoid cannot be read: a kernel without perf events, or a sandbox", "it is not known what perf may count")
	case c.User.Perfmon:
		return ok(name, found+", which does not bind this user")
	case n <= 1:
		return ok(name, found+": own processes, user and kernel")
	case n == 2:
		check.Cost = "user space of own processes only: no kernel part of instructions and cycles"
	default:
		check.State, check.Cost = Missing, "perf may count nothing"
	}
	return check
}

// seccomp by the evidence: a filter matters when it refuses perf_event_open.
func seccomp(c probe.Caps) Check {
	const name = "seccomp"
	s := c.System.Seccomp
	switch {
	case !s.Known:
		return unknown(name, s.Reason, "")
	case s.Value == 0:
		return ok(name, "no filter on system calls")
	case c.Perf.Events["task-clock"].OK:
		return ok(name, "a filter that lets perf count")
	}
	return Check{Name: name, State: Limited, Found: "a filter on system calls (a container's, or a sandbox's)", Cost: "it may be what refuses perf_event_open",
		Remedy: "docker run --security-opt seccomp=unconfined --cap-add PERFMON"}
}

// yama: the kernel's admin-guide/LSM/Yama.rst. Valgrind asks to be
// stopped by vgdb where the scope is 1; the scopes 2 and 3 know no such wish.
func yama(c probe.Caps) Check {
	const name = "Yama ptrace_scope"
	s := c.System.PtraceScope
	found := strconv.Itoa(s.Value)
	switch {
	case !s.Known:
		return unknown(name, s.Reason, "")
	case s.Reason != "":
		return ok(name, s.Reason)
	case s.Value < 2, s.Value == 2 && c.User.Ptrace:
		return ok(name, found)
	case s.Value == 2:
		return Check{Name: name, State: Limited, Found: found, Cost: "a server under valgrind answers late: vgdb may not stop it", Remedy: "sysctl kernel.yama.ptrace_scope=1, or run as root"}
	}
	return Check{Name: name, State: Limited, Found: found, Cost: "a server under valgrind answers late: vgdb may not stop it", Remedy: "echo kernel.yama.ptrace_scope=1 > /etc/sysctl.d/99-opcost.conf, then reboot: 3 cannot be lowered"}
}

func kernelSymbols(c probe.Caps) Check {
	const name = "kptr_restrict"
	k, seen := c.System.KptrRestrict, c.System.KernelSymbols
	found := "kptr_restrict cannot be read"
	if k.Known {
		found = fmt.Sprint(k.Value)
	}
	switch {
	case !seen.Known:
		return unknown(name, found+"; "+seen.Reason, "")
	case seen.Value:
		return ok(name, found+"; kernel addresses are shown")
	}
	remedy := "sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1, or run as root"
	if slices.Contains(c.System.Capabilities.Value, "CAP_SYSLOG") {
		remedy = "sysctl kernel.kptr_restrict=1"
	}
	return Check{Name: name, State: Limited, Found: found + "; kernel addresses are hidden", Cost: "kernel functions have no names in profiles", Remedy: remedy}
}
