// Package priority lets the reading of an edge go before other work on a busy
// machine. It changes opcost's own thread and nothing else.
//
// On a server with more runnable threads than CPUs a reader waits for its turn
// as they do, tens of milliseconds at each edge of a live window (seen: 90 ms
// for what takes 12), and all that the server does meanwhile is uncertain.
package priority

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// highest is the lowest niceness of Linux.
const highest = -20

// Raise puts the calling goroutine on a thread of the highest priority until
// back is called, by the same goroutine. Without the right to do so (root, or
// CAP_SYS_NICE) nothing changes: readings are as good as without, and their
// uncertainty says how good that is.
func Raise() (back func()) {
	runtime.LockOSThread()
	tid := unix.Gettid()
	// The system call gives 20 minus the niceness, so that it is never below 0.
	was, err := unix.Getpriority(unix.PRIO_PROCESS, tid)
	if err == nil {
		err = unix.Setpriority(unix.PRIO_PROCESS, tid, highest)
	}
	if err != nil {
		return runtime.UnlockOSThread
	}
	return func() {
		if unix.Setpriority(unix.PRIO_PROCESS, tid, 20-was) == nil {
			runtime.UnlockOSThread()
		}
		// Else the thread stays locked, and ends with the goroutine: no other work
		// gets its priority.
	}
}
