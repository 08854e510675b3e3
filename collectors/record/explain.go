package record

import (
	"fmt"

	"opcost/collectors/internal/perfproc"
)

// verdict is an ending of perf in words.
type verdict struct {
	reason, remedy string
	unsupported    bool // and not just failed
	event          bool // another event may be sampled
	retry          bool // another attempt may work
}

// explain says why perf ended, by its words and exit status as seen with 6.1.
func explain(e perfproc.Ending, pid int) verdict {
	said := e.FirstLine()
	switch {
	case e.Hung != nil:
		return verdict{reason: "perf hung: " + e.Hung.Error()}
	case e.Code == perfproc.ExitNoPID, e.Said("No such process", "Problems finding threads of monitor"):
		return verdict{reason: fmt.Sprintf("process %d is gone, or a thread of it ended just then", pid), retry: true}
	case e.Said("unknown option", "unknown switch"):
		return verdict{reason: "this perf lacks an option: " + said, remedy: "perf 5.10 or newer", unsupported: true}
	case e.Said("branch stack sampling"):
		return verdict{reason: "the CPU gives no last branch records: " + said, remedy: "--call-graph fp or dwarf; lbr needs an Intel CPU and a hardware event, outside a virtual machine", unsupported: true}
	case e.Said("Maximum frequency", "max_sample_rate") && !e.Clean():
		return verdict{reason: said, remedy: "fewer samples a second, or sysctl kernel.perf_event_max_sample_rate=100000", unsupported: true}
	case e.Said("perf_event_mlock_kb", "failed to mmap"):
		return verdict{reason: "perf may not map its buffers: " + said, remedy: "run as root, or sysctl kernel.perf_event_mlock_kb=8192", unsupported: true}
	case e.Said("Too many open files", "too many open files"):
		return verdict{reason: "perf needs a file descriptor a thread, event and CPU: " + said, remedy: "ulimit -n 65536 as root, or LimitNOFILE=65536 in the service", unsupported: true}
	case e.Said("Access to performance monitoring", "No permission", "Permission denied", "permission to collect", "Operation not permitted"):
		return verdict{
			reason: "perf may not sample this process: " + said, unsupported: true,
			remedy: "run as root (CAP_PERFMON, and CAP_SYS_PTRACE for another user's process), or sysctl kernel.perf_event_paranoid=1",
		}
	case e.Said("is not supported", "doesn't support", "not supported"):
		return verdict{reason: said, remedy: "opcost doctor says what this machine can sample", unsupported: true, event: true}
	case e.Code == perfproc.ExitUsage:
		return verdict{reason: "perf does not know the event: " + said, remedy: "perf list", unsupported: true, event: true}
	case e.Said("perf size limit reached"):
		return verdict{reason: "the raw data reached their limit of size before the window's end", remedy: "a shorter window, fewer samples a second, or call_graph fp"}
	case e.Code == perfproc.ExitRefused:
		return verdict{reason: "perf could not open its events: " + said, retry: true}
	case e.Signal() != 0:
		return verdict{reason: fmt.Sprintf("perf was ended by a signal: %v", e.Signal())}
	case e.Code != 0:
		return verdict{reason: fmt.Sprintf("perf ended with exit status %d: %s", e.Code, said)}
	}
	return verdict{reason: "perf ended by itself, as it does when the process has ended"}
}
