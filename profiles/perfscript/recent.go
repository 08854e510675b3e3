package perfscript

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// recent is the frame lines that were read last, each in the one place that its
// address gives it. A profile's stacks are made of few distinct lines, and to
// compare one is ten times as fast as to take it apart.
type recent struct {
	slots      []recentLine
	generation int // of what frames without a name mean; a changed mapping ends it
}

// recentLine is a line, and what it was when it was read.
type recentLine struct {
	line  []byte
	event *event
	frame int32
	// A frame without a name is the same only in the same process, as long as
	// no mapping changed. 0: the frame has a name.
	generation int
	process    *mapping
}

// Bounds on what is kept: at most 16 MB. A short text needs less.
const (
	fewSlots   = 1 << 8
	manySlots  = 1 << 15
	manyLines  = 1 << 12
	recentText = 512 // a longer line is taken apart each time
	addressEnd = 17  // of a line: a tab and 16 digits, or spaces, of an address
)

func newRecent() recent {
	return recent{slots: make([]recentLine, fewSlots), generation: 1}
}

// slot is the place for the nth line, nil for one that is not kept. The zero
// value keeps none.
func (r *recent) slot(e *event, line []byte, n int) *recentLine {
	if len(line) < addressEnd || len(line) > recentText || len(r.slots) == 0 {
		return nil
	}
	if n > manyLines && len(r.slots) == fewSlots {
		r.slots = make([]recentLine, manySlots)
	}
	high, low := binary.LittleEndian.Uint64(line[1:]), binary.LittleEndian.Uint64(line[addressEnd-8:])
	// The middle of a product of 128 bits depends on all bits of its factors,
	// the digits that differ most among them, which are the last of the address.
	const odd = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio
	above, below := bits.Mul64(low^bits.RotateLeft64(high, 28)+e.number, odd)
	return &r.slots[(above^below>>32)&uint64(len(r.slots)-1)]
}

// holds tells whether the line is the one in its slot and still means the same.
func (r *recent) holds(s *recentLine, e *event, process *mapping, line []byte) bool {
	return s.event == e && (s.generation == 0 || s.generation == r.generation && s.process == process) && bytes.Equal(s.line, line)
}

// forget ends what is known of frames without a name.
func (r *recent) forget() { r.generation++ }
