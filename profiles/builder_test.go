package profiles

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBuilderKeepsManyStacks: each stack is there once, in the order in which it
// was first seen, whatever else was added in between.
func TestBuilderKeepsManyStacks(t *testing.T) {
	const many = 3*pieceLen + 7
	b := NewBuilder(Event{Name: "cycles", Unit: Cycles})
	var want []Stack
	frames := []int32{b.Frame(Frame{Function: "a"}), b.Frame(Frame{Function: "b"})}
	key := make([]int32, 0, 20)
	stack := func(i int) []int32 { // i in binary, with its length: no two are equal
		key = key[:0]
		for ; i > 0; i >>= 1 {
			key = append(key, frames[i&1])
		}
		return key
	}
	for round := range 2 {
		for i := range many {
			thread := []string{"x", "yy"}[i%2]
			if err := b.Add(thread, stack(i), int64(i+1), 1); err != nil {
				t.Fatal(err)
			}
			if round == 0 {
				want = append(want, Stack{Thread: thread, Frames: append([]int32(nil), stack(i)...), Weight: 2 * int64(i+1), Samples: 2})
			}
		}
	}
	p := b.Profile()
	if len(p.Stacks) != len(want) {
		t.Fatalf("%d stacks, want %d", len(p.Stacks), len(want))
	}
	for i, s := range p.Stacks {
		if !reflect.DeepEqual(s, want[i]) {
			t.Fatalf("stack %d is %+v, want %+v", i, s, want[i])
		}
	}
	// Longer by one, a stack must not reach into the next one's memory.
	next := p.Stacks[5].Frames[0]
	_ = append(p.Stacks[4].Frames, next+1)
	if p.Stacks[5].Frames[0] != next {
		t.Error("two stacks share memory")
	}
}

// TestBuilderTellsKeysApart: the name of a thread, and frames, that in a row are
// the same bytes as those of another stack.
func TestBuilderTellsKeysApart(t *testing.T) {
	b := NewBuilder(Event{Name: "cycles", Unit: Cycles})
	f := b.Frame(Frame{Function: "a"}) // index 0
	for i, s := range []Stack{{Thread: "z", Frames: []int32{f, f}}, {Thread: "z\x00\x00\x00\x00", Frames: []int32{f}}, {Thread: "z\x00\x00\x00\x00\x00\x00\x00\x00"}} {
		if err := b.Add(s.Thread, s.Frames, int64(i+1), 1); err != nil {
			t.Fatal(err)
		}
	}
	want := []Stack{
		{Thread: "z", Frames: []int32{f, f}, Weight: 1, Samples: 1},
		{Thread: "z\x00\x00\x00\x00", Frames: []int32{f}, Weight: 2, Samples: 1},
		{Thread: "z\x00\x00\x00\x00\x00\x00\x00\x00", Weight: 3, Samples: 1},
	}
	if diff := cmp.Diff(want, b.Profile().Stacks); diff != "" {
		t.Error(diff)
	}
}
