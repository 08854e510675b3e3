package perfstat

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"

	"opcost/collectors/internal/perfproc"
)

// ending is how perf ended.
type ending struct {
	early  bool  // before it was told to
	hung   error // it did not end when told to, and was killed
	code   int   // exit status, -1 for a signal
	err    error
	stderr string
}

// The exit statuses of perf stat, as seen with 6.1; stderr tells the rest.
const (
	exitUsage   = 129 // an event or option that it does not know
	exitInt     = 130 // ended by SIGINT, the counts are valid
	exitNoPID   = 234 // -EINVAL: no such process
	exitRefused = 255 // -1: an event could not be opened
)

// clean: perf did what it was told, and printed its counts. perf ends itself by
// the signal that it was sent.
func (e ending) clean() bool {
	if e.hung != nil {
		return false
	}
	return e.code == 0 || e.code == exitInt || e.signal() == syscall.SIGINT
}

func (e ending) signal() syscall.Signal {
	var exit *exec.ExitError
	if errors.As(e.err, &exit) {
		if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() {
			return s.Signal()
		}
	}
	return 0
}

// verdict is an ending in words.
type verdict struct {
	reason, remedy string
	unsupported    bool // and not just failed
	retry          bool // another attempt may work
}

func (e ending) explain(pid int) verdict {
	said := said(e.stderr)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(e.stderr, w) {
				return true
			}
		}
		return false
	}
	switch {
	case e.hung != nil:
		return verdict{reason: "perf hung: " + e.hung.Error()}
	case e.code == exitNoPID, has("Problems finding threads of monitor"):
		return verdict{reason: fmt.Sprintf("process %d is gone", pid)}
	case has("unknown option", "unknown switch"):
		return verdict{reason: "this perf lacks an option: " + said, remedy: "perf 5.10 or newer", unsupported: true}
	case e.code == exitUsage:
		return verdict{reason: "perf does not know an event: " + said, remedy: "perf list", unsupported: true}
	case has("Access to performance monitoring", "No permission", "Permission denied", "permission to collect", "Operation not permitted"):
		return verdict{
			reason: "perf may not count this process: " + said, unsupported: true,
			remedy: "run as root (CAP_PERFMON, and CAP_SYS_PTRACE for another user's process), or sysctl kernel.perf_event_paranoid=1",
		}
	case has("is not supported"):
		return verdict{reason: said, remedy: "opcost doctor says what this machine counts", unsupported: true}
	case e.code == exitRefused:
		return verdict{reason: "perf could not open its counters: " + said, retry: true}
	case e.signal() != 0:
		return verdict{reason: fmt.Sprintf("perf was ended by a signal: %v", e.signal())}
	case e.code != 0:
		return verdict{reason: fmt.Sprintf("perf ended with exit status %d: %s", e.code, said)}
	}
	return verdict{reason: "perf ended by itself, as it does when the process has ended"}
}

// said is the first line of perf's stderr that says something, fit to be printed.
func said(stderr string) string { return perfproc.Ending{Stderr: stderr}.FirstLine() }
