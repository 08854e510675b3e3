package record

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"

	"golang.org/x/sys/unix"

	"opcost/perfctl/result"
)

// contents is what perf's raw data hold, as they say themselves.
type contents struct {
	event     event
	samples   int64
	weight    uint64 // the periods of all samples
	lost      uint64 // samples, or records, that the kernel dropped for want of room
	throttled int64  // times that the kernel stopped sampling for a while
}

// event is what was sampled: perf takes another than it was asked for where the
// machine lacks that, and leaves out the kernel where it may not be looked at.
type event struct {
	kind, config     uint64 // perf_event_attr: type and config
	layout           uint64 // sample_type
	period           uint64 // of each sample, where they carry none
	noUser, noKernel bool
}

// number is the event's in its type. With several kinds of core the upper half
// of a hardware event's config says which kind.
func (e event) number() uint64 {
	if e.kind == unix.PERF_TYPE_HARDWARE {
		return e.config & 0xffffffff
	}
	return e.config
}

func (e event) scope() result.Scope {
	switch {
	case e.noKernel:
		return result.User
	case e.noUser:
		return result.Kernel
	}
	return result.UserKernel
}

// The file's layout: Linux, tools/perf/Documentation/perf.data-file-format.txt
// and include/uapi/linux/perf_event.h. The numbers are this machine's own, since
// the file was made on it.
const (
	magic         = "PERFILE2"
	fileHeader    = 104
	attrAtLeast   = 64 // PERF_ATTR_SIZE_VER0
	recordHeader  = 8
	dummyConfig   = 9 // PERF_COUNT_SW_DUMMY: it is there for other records than samples
	excludeUser   = 1 << 4
	excludeKernel = 1 << 5
	freqBit       = 1 << 10
)

var order = binary.NativeEndian

// readContents reads a file that perf record has written on this machine.
func readContents(path string) (contents, error) {
	f, err := os.Open(path)
	if err != nil {
		return contents{}, err
	}
	defer f.Close()
	c, err := parseData(f)
	if err != nil {
		return contents{}, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

var errUnfinished = errors.New("perf did not finish the file (disk full, or it was killed)")

func parseData(r io.ReaderAt) (c contents, err error) {
	head := make([]byte, fileHeader)
	if _, err := r.ReadAt(head, 0); err != nil {
		if errors.Is(err, io.EOF) {
			return c, errUnfinished
		}
		return c, err
	}
	if string(head[:8]) != magic {
		return c, fmt.Errorf("it begins with %q, not with %q", head[:8], magic)
	}
	if c.event, err = mainEvent(r, order.Uint64(head[16:]), order.Uint64(head[24:]), order.Uint64(head[32:])); err != nil {
		return c, err
	}
	offset, size := order.Uint64(head[40:]), order.Uint64(head[48:])
	switch {
	case size == 0:
		return c, errUnfinished
	case offset > math.MaxInt64 || size > math.MaxInt64-offset:
		return c, fmt.Errorf("its data are %d bytes from byte %d", size, offset)
	}
	err = c.walk(io.NewSectionReader(r, int64(offset), int64(size)), offset, size)
	return c, err
}

// mainEvent is the one event that was asked for; on a CPU with two kinds of core
// perf makes an event of each, alike in all that is read here.
func mainEvent(r io.ReaderAt, each, at, size uint64) (event, error) {
	const most = 1024
	if each < attrAtLeast+16 || each > 4096 || size/each == 0 || size/each > most || at > math.MaxInt64-size {
		return event{}, fmt.Errorf("its table of events has %d bytes, %d each", size, each)
	}
	b := make([]byte, each)
	for i := range size / each {
		if _, err := r.ReadAt(b, int64(at+i*each)); err != nil {
			return event{}, fmt.Errorf("its table of events ends too soon: %w", err)
		}
		e := event{kind: uint64(order.Uint32(b)), config: order.Uint64(b[8:]), layout: order.Uint64(b[24:])}
		flags := order.Uint64(b[40:])
		e.noUser, e.noKernel = flags&excludeUser != 0, flags&excludeKernel != 0
		if flags&freqBit == 0 {
			e.period = order.Uint64(b[16:])
		}
		if e.kind == unix.PERF_TYPE_SOFTWARE && e.config == dummyConfig {
			continue
		}
		return e, nil
	}
	return event{}, errors.New("it has no event that is sampled")
}

// walk adds up the records.
func (c *contents) walk(r io.Reader, at, left uint64) error {
	in := bufio.NewReaderSize(r, 256<<10)
	var dropped, samplesLost uint64
	for left > 0 {
		head, err := in.Peek(recordHeader)
		if err != nil {
			return fmt.Errorf("its data end within a record at byte %d: %w", at, errUnfinished)
		}
		kind, size := order.Uint32(head), uint64(order.Uint16(head[6:]))
		if size < recordHeader || size > left {
			return fmt.Errorf("the record at byte %d has %d bytes, of %d that are left", at, size, left)
		}
		b, err := in.Peek(int(size))
		if err != nil {
			return fmt.Errorf("its data end within a record at byte %d: %w", at, errUnfinished)
		}
		switch kind {
		case unix.PERF_RECORD_SAMPLE:
			if err := c.sample(b[recordHeader:]); err != nil {
				return fmt.Errorf("the sample at byte %d: %w", at, err)
			}
		case unix.PERF_RECORD_LOST:
			if size >= recordHeader+16 {
				dropped += order.Uint64(b[recordHeader+8:])
			}
		case unix.PERF_RECORD_LOST_SAMPLES:
			if size >= recordHeader+8 {
				samplesLost += order.Uint64(b[recordHeader:])
			}
		case unix.PERF_RECORD_THROTTLE:
			c.throttled++
		}
		if _, err := in.Discard(int(size)); err != nil {
			return err
		}
		at, left = at+size, left-size
	}
	// Newer kernels count a lost sample in both.
	c.lost = max(dropped, samplesLost)
	return nil
}

// What a sample has before its period, eight bytes each: identifier, ip, tid,
// time, addr, id, stream id, cpu.
const beforePeriod = unix.PERF_SAMPLE_IDENTIFIER | unix.PERF_SAMPLE_IP | unix.PERF_SAMPLE_TID | unix.PERF_SAMPLE_TIME |
	unix.PERF_SAMPLE_ADDR | unix.PERF_SAMPLE_ID | unix.PERF_SAMPLE_STREAM_ID | unix.PERF_SAMPLE_CPU

func (c *contents) sample(b []byte) error {
	period := c.event.period
	if c.event.layout&unix.PERF_SAMPLE_PERIOD != 0 {
		at := 8 * bits.OnesCount64(c.event.layout&beforePeriod)
		if len(b) < at+8 {
			return fmt.Errorf("it has %d bytes and no room for its period", len(b))
		}
		period = order.Uint64(b[at:])
	}
	if period > math.MaxInt64-c.weight {
		return fmt.Errorf("the sum of periods is over %d", int64(math.MaxInt64))
	}
	c.samples++
	c.weight += period
	return nil
}
