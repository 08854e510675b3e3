package probe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kernelCounter counts on the calling thread through perf_event_open(2).
type kernelCounter struct{}

// spin is the known loop: a dependent chain that no compiler can shorten.
//
//go:noinline
func spin(turns int) uint64 {
	x := uint64(88172645463325252)
	for range turns {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

func (kernelCounter) instructions(turns int) (n uint64, err error) {
	onOwnThread(func() {
		var g group
		if g, err = openGroup(hardware(unix.PERF_COUNT_HW_INSTRUCTIONS), 1); err == nil {
			defer g.close()
			n, _, err = g.count(turns)
		}
	})
	return n, err
}

// fits opens a group of equal events. A group that the kernel opens but never
// runs (the NMI watchdog holds a counter) does not fit either.
func (kernelCounter) fits(n int) (ok bool, err error) {
	onOwnThread(func() {
		var g group
		g, err = openGroup(general(), n)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSPC) {
			err = nil // the kernel says that so many do not fit
			return
		}
		if err != nil {
			return
		}
		defer g.close()
		_, ok, err = g.count(shortLoop)
	})
	return ok, err
}

// general is an event that takes a general counter: branches, because CPUs with
// counters reserved for instructions and cycles have none for branches. A PMU
// without branches (QEMU's for arm64) has no reserved counters for instructions.
func general() unix.PerfEventAttr {
	branches := hardware(unix.PERF_COUNT_HW_BRANCH_INSTRUCTIONS)
	g, err := openGroup(branches, 1)
	if err != nil {
		return hardware(unix.PERF_COUNT_HW_INSTRUCTIONS)
	}
	g.close()
	return branches
}

// onOwnThread runs f on a thread that is then thrown away, pinned to one kind
// of core where there are several.
func onOwnThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with us, and its mask with it
		if _, cpus := oneKind(); len(cpus) > 0 {
			var set unix.CPUSet
			for _, c := range cpus {
				set.Set(c)
			}
			// Where this fails the counts are too small, which the self-test says.
			_ = unix.SchedSetaffinity(0, &set)
		}
		f()
	}()
	<-done
}

// oneKind is the PMU to test on a hybrid CPU, the last by name (cpu_core after
// cpu_atom): its type number and its CPUs. 0 and nil where there is one kind.
func oneKind() (pmu uint64, cpus []int) {
	a := here()
	pmus := a.corePMUs()
	if len(pmus) < 2 {
		return 0, nil
	}
	dir := "sys/bus/event_source/devices/" + pmus[len(pmus)-1]
	pmu, err := strconv.ParseUint(a.word(dir+"/type"), 10, 32)
	if err != nil {
		return 0, nil
	}
	return pmu, cpuList(a.word(dir + "/cpus"))
}

// group is counters that are on the PMU together or not at all.
type group []int

// hardware is a general event. With several kinds of core the upper half of the
// number says which PMU is meant (perf_event_open(2), PERF_PMU_TYPE_SHIFT).
func hardware(event uint64) unix.PerfEventAttr {
	pmu, _ := oneKind()
	return unix.PerfEventAttr{Type: unix.PERF_TYPE_HARDWARE, Config: event | pmu<<32}
}

// openGroup opens n counters of one event, in user space, on this thread.
func openGroup(event unix.PerfEventAttr, n int) (group, error) {
	var g group
	for len(g) < n {
		attr := event
		attr.Size = uint32(unsafe.Sizeof(attr))
		attr.Read_format = unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING
		attr.Bits = unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv
		leader := -1
		if len(g) > 0 {
			leader = g[0]
		} else {
			attr.Bits |= unix.PerfBitDisabled
		}
		fd, err := unix.PerfEventOpen(&attr, 0, -1, leader, unix.PERF_FLAG_FD_CLOEXEC)
		if err != nil {
			g.close()
			return nil, os.NewSyscallError("perf_event_open", err)
		}
		g = append(g, fd)
	}
	return g, nil
}

// count runs the loop, and gives the leader's count and whether it was on the
// PMU all the time.
func (g group) count(turns int) (value uint64, always bool, err error) {
	if err := unix.IoctlSetInt(g[0], unix.PERF_EVENT_IOC_ENABLE, unix.PERF_IOC_FLAG_GROUP); err != nil {
		return 0, false, os.NewSyscallError("ioctl", err)
	}
	runtime.KeepAlive(spin(turns))
	if err := unix.IoctlSetInt(g[0], unix.PERF_EVENT_IOC_DISABLE, unix.PERF_IOC_FLAG_GROUP); err != nil {
		return 0, false, os.NewSyscallError("ioctl", err)
	}
	var b [24]byte // value, time enabled, time running
	if n, err := unix.Read(g[0], b[:]); err != nil || n != len(b) {
		return 0, false, fmt.Errorf("read of a counter: %d bytes, %w", n, err)
	}
	order := binary.NativeEndian
	return order.Uint64(b[0:]), order.Uint64(b[16:]) > 0 && order.Uint64(b[16:]) == order.Uint64(b[8:]), nil
}

func (g group) close() {
	for _, fd := range g {
		_ = unix.Close(fd)
	}
}
