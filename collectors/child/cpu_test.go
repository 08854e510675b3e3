package child

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// TestCPUTime compares with what the kernel tells a process of itself.
func TestCPUTime(t *testing.T) {
	own := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	for began := own(); own()-began < 50*time.Millisecond; { // it shall not be next to nothing
	}
	before := own()
	got, err := CPUTime(os.Getpid())
	if after := own(); err != nil || got < before-20*time.Millisecond || got > after+20*time.Millisecond {
		t.Errorf("%v, %v; getrusage says %v to %v", got, err, before, after)
	}
	if d, err := CPUTime(1 << 22); err == nil { // above the largest pid
		t.Errorf("%v of a process that is not there", d)
	}
}
