package threads

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"opcost/perfctl/result"
)

// event is one that perf_event_open(2) counts.
type event struct {
	kind   uint32
	config uint64
}

var hardware = [2]event{
	{unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS},
	{unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CPU_CYCLES},
}

// count is a thread's since its counters were opened.
type count struct {
	values           [2]uint64
	enabled, running uint64 // nanoseconds in which it ran, and was counted
}

// counters are the open ones, by thread: one group of both events for each kind
// of core. A nil *counters counts nothing.
type counters struct {
	groups  map[int][]group
	scope   result.Scope
	lack    string // why there are none
	remedy  string
	dropped string // why some threads have none
}

// group is a leader and its sibling.
type group [2]int

// open opens a thread's groups, counting from now on. Only what this thread
// does is counted: what it starts has counters of its own, or none.
func open(tid int, events [2]event, pmus []uint64, userOnly bool) (gs []group, err error) {
	for _, pmu := range pmus {
		g := group{-1, -1}
		for i, e := range events {
			attr := unix.PerfEventAttr{Type: e.kind, Config: e.config | pmu<<32,
				Read_format: unix.PERF_FORMAT_GROUP | unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
				Bits:        unix.PerfBitExcludeHv}
			attr.Size = uint32(unsafe.Sizeof(attr))
			if userOnly {
				attr.Bits |= unix.PerfBitExcludeKernel
			}
			if g[i], err = unix.PerfEventOpen(&attr, tid, -1, g[0], unix.PERF_FLAG_FD_CLOEXEC); err != nil {
				g[i] = -1
				closeAll(append(gs, g))
				return nil, os.NewSyscallError("perf_event_open", err)
			}
		}
		gs = append(gs, g)
	}
	return gs, nil
}

func closeAll(gs []group) {
	for _, g := range gs {
		for _, fd := range g {
			if fd >= 0 {
				_ = unix.Close(fd)
			}
		}
	}
}

// read gives the counts of all threads; those that have ended keep theirs.
func (c *counters) read() map[int]count {
	if c == nil {
		return nil
	}
	counts := make(map[int]count, len(c.groups))
	for tid, gs := range c.groups {
		if n, err := sum(gs); err == nil {
			counts[tid] = n
		}
	}
	return counts
}

// sum adds up over the kinds of core. A thread runs on one at a time: its time
// is counted as enabled by each, and as running by one.
func sum(gs []group) (count, error) {
	var total count
	for _, g := range gs {
		var b [5 * 8]byte // number of values, time enabled, time running, the values
		n, err := unix.Read(g[0], b[:])
		if err == nil && n != len(b) {
			err = fmt.Errorf("read %d bytes of counters, not %d", n, len(b))
		}
		if err != nil {
			return count{}, err
		}
		word := func(i int) uint64 { return binary.NativeEndian.Uint64(b[8*i:]) }
		total.enabled = max(total.enabled, word(1))
		total.running += word(2)
		total.values[0] += word(3)
		total.values[1] += word(4)
	}
	return total, nil
}

func (c *counters) close() {
	if c == nil {
		return
	}
	for _, gs := range c.groups {
		closeAll(gs)
	}
	c.groups = nil
}

// pmuTypes are the numbers of the kinds of core; 0, the machine's only one,
// where there are no several.
func pmuTypes(names []string) ([]uint64, error) {
	if len(names) < 2 {
		return []uint64{0}, nil
	}
	var types []uint64
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join("/sys/bus/event_source/devices", name, "type"))
		if err != nil {
			return nil, err
		}
		n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 32)
		if err != nil {
			return nil, fmt.Errorf("type of %s: %w", name, err)
		}
		types = append(types, n)
	}
	return types, nil
}

func refused(err error) bool { return errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) }
