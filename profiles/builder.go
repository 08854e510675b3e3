package profiles

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
)

// Builder adds up samples into a profile. It keeps each string, frame and stack
// once, so its memory grows with what is distinct, not with the input. The
// slices and strings it is given may be reused by the caller.
type Builder struct {
	p      *Profile
	frames map[Frame]int32
	// The profile's stacks, in pieces of pieceLen but for the last: a slice of
	// many that grows is copied over and over, into new memory each time.
	pieces [][]Stack
	// stacks finds one by the hash of its key: the last that has it. earlier is,
	// by stack, the one before it with the same hash, -1 for none.
	stacks  map[uint64]int32
	earlier []int32
	seed    maphash.Seed
	room    []int32 // for stacks' frames: memory of its own costs more than most of them
	arcs    map[arcKey]int
	strings map[string]string
	key     []byte
}

const pieceLen = 1 << 12

type arcKey struct {
	thread         string
	caller, callee int32
}

// NewBuilder begins a profile of an event.
func NewBuilder(e Event) *Builder {
	return &Builder{
		p: &Profile{Event: e}, frames: map[Frame]int32{}, stacks: map[uint64]int32{}, seed: maphash.MakeSeed(),
		arcs: map[arcKey]int{}, strings: map[string]string{},
	}
}

// Frame is the index of a frame, new or known.
func (b *Builder) Frame(f Frame) int32 {
	if i, ok := b.frames[f]; ok {
		return i
	}
	f.Function, f.Object, f.BuildID = b.text(f.Function), b.text(f.Object), b.text(f.BuildID)
	i := int32(len(b.p.Frames))
	b.frames[f] = i
	b.p.Frames = append(b.p.Frames, f)
	return i
}

// text is a copy of a string that is not part of a longer one, kept once.
func (b *Builder) text(s string) string {
	if kept, ok := b.strings[s]; ok {
		return kept
	}
	s = string([]byte(s))
	b.strings[s] = s
	return s
}

// Add adds a weight to a stack, the leaf first. A sum that no longer fits is an
// error, and so is a weight below 0.
func (b *Builder) Add(thread string, frames []int32, weight, samples int64) error {
	if weight < 0 || samples < 0 {
		return fmt.Errorf("a weight of %d in %d samples: below 0", weight, samples)
	}
	s := b.stack(thread, frames)
	if weight > math.MaxInt64-s.Weight || samples > math.MaxInt64-s.Samples {
		return fmt.Errorf("the sum of weights is over %d", int64(math.MaxInt64))
	}
	s.Weight += weight
	s.Samples += samples
	return nil
}

// stack is the one with these frames, new or known.
func (b *Builder) stack(thread string, frames []int32) *Stack {
	b.key = append(b.key[:0], thread...)
	for _, f := range frames {
		b.key = binary.LittleEndian.AppendUint32(b.key, uint32(f))
	}
	hash := maphash.Bytes(b.seed, b.key)
	last, ok := b.stacks[hash]
	if !ok {
		last = -1
	}
	for i := last; i >= 0; i = b.earlier[i] {
		if s := &b.pieces[i/pieceLen][i%pieceLen]; s.Thread == thread && slices.Equal(s.Frames, frames) {
			return s
		}
	}
	n := len(b.earlier)
	b.stacks[hash] = int32(n)
	b.earlier = append(b.earlier, last)
	if n%pieceLen == 0 {
		var piece []Stack
		if n > 0 { // most profiles have few
			piece = make([]Stack, 0, pieceLen)
		}
		b.pieces = append(b.pieces, piece)
	}
	piece := &b.pieces[len(b.pieces)-1]
	*piece = append(*piece, Stack{Thread: b.text(thread), Frames: b.keep(frames)})
	return &(*piece)[len(*piece)-1]
}

// keep is a copy of a stack's frames, nil for none.
func (b *Builder) keep(frames []int32) []int32 {
	if len(frames) == 0 {
		return nil
	}
	if len(frames) > cap(b.room)-len(b.room) {
		b.room = make([]int32, 0, max(len(frames), min(1<<14, 16*len(b.earlier))))
	}
	n := len(b.room)
	b.room = append(b.room, frames...)
	return b.room[n:len(b.room):len(b.room)]
}

// Call adds counted calls.
func (b *Builder) Call(thread string, caller, callee int32, calls, weight int64) error {
	if calls < 0 || weight < 0 {
		return fmt.Errorf("%d calls of weight %d: below 0", calls, weight)
	}
	k := arcKey{b.text(thread), caller, callee}
	i, ok := b.arcs[k]
	if !ok {
		i = len(b.p.Arcs)
		b.arcs[k] = i
		b.p.Arcs = append(b.p.Arcs, Arc{Thread: k.thread, Caller: caller, Callee: callee})
	}
	a := &b.p.Arcs[i]
	if calls > math.MaxInt64-a.Calls || weight > math.MaxInt64-a.Weight {
		return fmt.Errorf("the sum of calls is over %d", int64(math.MaxInt64))
	}
	a.Calls += calls
	a.Weight += weight
	return nil
}

// Problems are the profile's, to be counted up while reading.
func (b *Builder) Problems() *Problems { return &b.p.Problems }

// Profile is what was added so far. The builder must not be used afterwards.
func (b *Builder) Profile() *Profile {
	switch len(b.pieces) {
	case 0:
	case 1:
		b.p.Stacks = b.pieces[0]
	default:
		b.p.Stacks = slices.Concat(b.pieces...)
	}
	return b.p
}
