package child

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime is the CPU time of all threads that a process has or had, user and
// kernel. It needs not be our child, nor our user's. The clock's number is made of
// the pid as clock_getcpuclockid(3) does: the complement shifted by 3, and 2 for
// the scheduler's time.
func CPUTime(pid int) (time.Duration, error) {
	const sched = 2
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|sched), &ts); err != nil {
		return 0, fmt.Errorf("CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(ts.Nano()), nil
}
