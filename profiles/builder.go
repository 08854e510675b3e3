package profiles

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Builder adds up samples into a profile. It keeps each string, frame and stack
// once, so its memory grows with what is distinct, not with the input. The
// slices and strings it is given may be reused by the caller.
type Builder struct {
	p       *Profile
	frames  map[Frame]int32
	stacks  map[string]int
	arcs    map[arcKey]int
	strings map[string]string
	key     []byte
}

type arcKey struct {
	thread         string
	caller, callee int32
}

// NewBuilder begins a profile of an event.
func NewBuilder(e Event) *Builder {
	return &Builder{
		p: &Profile{Event: e}, frames: map[Frame]int32{}, stacks: map[string]int{},
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
	b.key = append(b.key[:0], thread...)
	b.key = append(b.key, 0)
	for _, f := range frames {
		b.key = binary.LittleEndian.AppendUint32(b.key, uint32(f))
	}
	i, ok := b.stacks[string(b.key)]
	if !ok {
		i = len(b.p.Stacks)
		b.stacks[string(b.key)] = i
		b.p.Stacks = append(b.p.Stacks, Stack{Thread: b.text(thread), Frames: append([]int32(nil), frames...)})
	}
	s := &b.p.Stacks[i]
	if weight > math.MaxInt64-s.Weight || samples > math.MaxInt64-s.Samples {
		return fmt.Errorf("the sum of weights is over %d", int64(math.MaxInt64))
	}
	s.Weight += weight
	s.Samples += samples
	return nil
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
func (b *Builder) Profile() *Profile { return b.p }
