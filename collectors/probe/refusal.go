package probe

import (
	"fmt"
	"strings"
)

// permissionWords are how perf says that it may not; from builtin-stat.c,
// util/evsel.c and util/tracing_path.c of several versions.
var permissionWords = []string{
	"No permission", "Permission denied", "permission to collect", "Operation not permitted",
	"Access to performance monitoring", "can't access trace events",
}

func isPermission(stderr string) bool {
	for _, w := range permissionWords {
		if strings.Contains(stderr, w) {
			return true
		}
	}
	return false
}

// refusal explains why perf did not count an event.
func (q question) refusal(event, stderr string, err error) Ability {
	tracepoint := event == SyscallEvent
	switch {
	case isPermission(stderr) && tracepoint:
		return no("no permission to read tracepoints", "run as root, or: mount -o remount,mode=755 /sys/kernel/tracing && sysctl kernel.perf_event_paranoid=-1")
	case isPermission(stderr):
		return no("no permission", q.permission())
	case strings.Contains(stderr, "is not supported"), strings.Contains(stderr, "No such device"):
		return no("not supported: "+firstLine(stderr), q.pmuRemedy())
	case tracepoint && strings.Contains(stderr, "not found"), tracepoint && strings.Contains(stderr, "unknown tracepoint"):
		return no("the kernel's tracepoints are not to be seen", "mount -t tracefs tracefs /sys/kernel/tracing")
	case strings.Contains(stderr, "event syntax error"), strings.Contains(stderr, "Cannot find PMU"):
		return no(fmt.Sprintf("this perf does not know the event %s", event), "perf list shows those it knows; a newer perf may know more")
	}
	return no(err.Error(), "")
}

// permission is what lets this user count.
func (q question) permission() string {
	switch {
	case q.who.User.Perfmon:
		// The kernel would allow it, so something between refuses.
		return "a container or sandbox refuses perf_event_open: docker run --cap-add PERFMON --security-opt seccomp=unconfined"
	case q.who.Paranoid > 1 || q.who.Paranoid == ParanoidUnknown:
		return "sysctl kernel.perf_event_paranoid=1, or run as root (CAP_PERFMON)"
	}
	return "run as root (CAP_PERFMON)"
}

// pmuRemedies say where hardware counters can be had, by hypervisor.
var pmuRemedies = map[string]string{
	"VMware":     `set vpmc.enable = "TRUE" in the virtual machine's settings`,
	"KVM":        "start the virtual machine with -cpu host,pmu=on",
	"QEMU/KVM":   "start the virtual machine with -cpu host,pmu=on",
	"VirtualBox": "use another hypervisor, VirtualBox has no virtual PMU; or the machine itself",
	"Hyper-V":    "Set-VMProcessor VMNAME -Perfmon @(\"pmu\")",
	"Amazon EC2": "use a .metal instance, or one that fills a whole socket",
}

func (q question) pmuRemedy() string {
	const callgrind = "; instructions are counted under valgrind otherwise"
	if r := pmuRemedies[q.who.Hyper]; r != "" {
		return r + callgrind
	}
	if q.who.Hyper != "" {
		return "use a machine without a hypervisor, or a VM type with a virtual PMU" + callgrind
	}
	return "check that the BIOS and the kernel (CONFIG_PERF_EVENTS, CONFIG_HW_PERF_EVENTS) leave the PMU on" + callgrind
}
