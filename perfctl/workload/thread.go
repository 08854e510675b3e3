package workload

import (
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// thread is the client's operating system thread.
type thread struct {
	tid   int
	begun time.Duration // its CPU time when it became the client's
	total atomic.Int64  // its CPU time when it ended; 0 while it runs
}

func (t *thread) begin(cpus []int) error {
	t.tid = unix.Gettid()
	if len(cpus) > 0 {
		var set unix.CPUSet
		for _, n := range cpus {
			set.Set(n)
		}
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			return fmt.Errorf("pin a client thread to CPUs %v: %w", cpus, err)
		}
	}
	var err error
	t.begun, err = threadCPU(t.tid)
	return err
}

func (t *thread) end() {
	if d, err := threadCPU(t.tid); err == nil {
		t.total.Store(int64(d))
	}
}

func (t *thread) cpu() (time.Duration, error) {
	if d := t.total.Load(); d > 0 {
		return time.Duration(d) - t.begun, nil
	}
	d, err := threadCPU(t.tid)
	return d - t.begun, err
}

// threadCPU reads the CPU clock of a thread of this process. The clock's
// number is made as MAKE_THREAD_CPUCLOCK in linux/include/linux/posix-timers.h:
// ^tid in the upper bits, 4 for a thread, 2 for the scheduler's clock.
func threadCPU(tid int) (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^tid<<3|4|2), &ts); err != nil {
		return 0, fmt.Errorf("CPU clock of thread %d: %w", tid, err)
	}
	return time.Duration(ts.Nano()), nil
}
