package cost

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/profiles"
)

// build makes a profile of functions named by letters.
type build struct {
	t *testing.T
	b *profiles.Builder
}

func newBuild(t *testing.T, counted bool) build {
	return build{t, profiles.NewBuilder(profiles.Event{Name: "Ir", Unit: profiles.Instructions, Counted: counted})}
}

// frame takes "f" or, for a recursion's inner calls, "f'2".
func (b build) frame(name string) int32 {
	f := profiles.Frame{Function: name}
	if n := len(name); n > 2 && name[n-2] == '\'' {
		f.Function, f.Recursion = name[:n-2], uint16(name[n-1]-'0')
	}
	return b.b.Frame(f)
}

func (b build) add(thread string, weight, samples int64, names ...string) {
	b.t.Helper()
	var frames []int32
	for _, n := range names {
		frames = append(frames, b.frame(n))
	}
	if err := b.b.Add(thread, frames, weight, samples); err != nil {
		b.t.Fatal(err)
	}
}

func (b build) call(thread, caller, callee string, calls, weight int64) {
	b.t.Helper()
	if err := b.b.Call(thread, b.frame(caller), b.frame(callee), calls, weight); err != nil {
		b.t.Fatal(err)
	}
}

// short is a table as "self/total" a function, with ≤ before a bound, and the
// calls where they are known.
func short(t *Table[profiles.Frame]) map[string]string {
	m := map[string]string{}
	for _, r := range t.Rows {
		s := fmt.Sprintf("%d/", r.Self)
		if r.Bound {
			s += "≤"
		}
		s += fmt.Sprint(r.Total)
		if t.Counted {
			s += fmt.Sprintf(" x%d", r.Calls)
		}
		m[r.Key.Function] = s
	}
	return m
}

func TestOfStacks(t *testing.T) {
	b := newBuild(t, false)
	b.add("a", 10, 1, "f", "main")
	b.add("b", 5, 2, "f", "g", "f", "g", "main") // recursion counts once
	b.add("a", 3, 1, "main")
	b.add("a", 2, 1)
	got := Of(b.b.Profile())
	want := &Table[profiles.Frame]{
		Weight: 20, Samples: 5, NoStack: 2,
		Rows: []Row[profiles.Frame]{
			{Key: profiles.Frame{Function: "f"}, Self: 15, Total: 15, SelfSamples: 3, TotalSamples: 3,
				Callers: []Edge{{Row: 1, Weight: 10}, {Row: 2, Weight: 5}}, Callees: []Edge{{Row: 2, Weight: 5}}},
			{Key: profiles.Frame{Function: "main"}, Self: 3, Total: 18, SelfSamples: 1, TotalSamples: 4,
				Callees: []Edge{{Row: 0, Weight: 10}, {Row: 2, Weight: 5}}},
			{Key: profiles.Frame{Function: "g"}, Total: 5, TotalSamples: 2,
				Callers: []Edge{{Row: 0, Weight: 5}, {Row: 1, Weight: 5}}, Callees: []Edge{{Row: 0, Weight: 5}}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestByObject(t *testing.T) {
	b := profiles.NewBuilder(profiles.Event{})
	f := b.Frame(profiles.Frame{Function: "f", Object: "a"})
	g := b.Frame(profiles.Frame{Function: "g", Object: "a"})
	h := b.Frame(profiles.Frame{Function: "h", Object: "b"})
	for _, frames := range [][]int32{{f, g, h}, {g, h}, {h}} {
		if err := b.Add("", frames, 10, 1); err != nil {
			t.Fatal(err)
		}
	}
	got := By(b.Profile(), func(f profiles.Frame) string { return f.Object })
	want := []Row[string]{
		{Key: "a", Self: 20, Total: 20, SelfSamples: 2, TotalSamples: 2, Callers: []Edge{{Row: 1, Weight: 20}, {Row: 0, Weight: 10}}, Callees: []Edge{{Row: 0, Weight: 10}}},
		{Key: "b", Self: 10, Total: 30, SelfSamples: 1, TotalSamples: 3, Callees: []Edge{{Row: 0, Weight: 20}}},
	}
	if diff := cmp.Diff(want, got.Rows); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Each by hand: who runs when is in the comment.
func TestOfCalls(t *testing.T) {
	tests := []struct {
		name  string
		build func(b build)
		want  map[string]string
	}{
		{"no cycle", func(b build) { // main 1 { f 10 { g 5 } g 7 }
			b.add("", 1, 0, "main")
			b.add("", 10, 0, "f")
			b.add("", 12, 0, "g")
			b.call("", "main", "f", 1, 15)
			b.call("", "f", "g", 1, 5)
			b.call("", "main", "g", 2, 7)
		}, map[string]string{"main": "1/23 x0", "f": "10/15 x1", "g": "12/12 x3"}},
		{"itself", func(b build) { // main 1 { f 10 { f 10 { f 10 { g 5 } } } }, depths not told apart
			b.add("", 1, 0, "main")
			b.add("", 30, 0, "f")
			b.add("", 5, 0, "g")
			b.call("", "main", "f", 1, 35)
			b.call("", "f", "f", 2, 25+15)
			b.call("", "f", "g", 1, 5)
		}, map[string]string{"main": "1/36 x0", "f": "30/35 x3", "g": "5/5 x1"}},
		{"itself, by depth", func(b build) { // the same
			b.add("", 1, 0, "main")
			b.add("", 10, 0, "f")
			b.add("", 20, 0, "f'2")
			b.add("", 5, 0, "g")
			b.call("", "main", "f", 1, 35)
			b.call("", "f", "f'2", 1, 25)
			b.call("", "f'2", "f'2", 1, 15)
			b.call("", "f'2", "g", 1, 5)
		}, map[string]string{"main": "1/36 x0", "f": "30/35 x3", "g": "5/5 x1"}},
		{"a cycle of two", func(b build) { // main 1 { f 10 { g 5 { f 10 { g 5 } h 2 } } }
			b.add("", 1, 0, "main")
			b.add("", 20, 0, "f")
			b.add("", 10, 0, "g")
			b.add("", 2, 0, "h")
			b.call("", "main", "f", 1, 32)
			b.call("", "f", "g", 2, 22+5)
			b.call("", "g", "f", 1, 15)
			b.call("", "g", "h", 1, 2)
			// f is under way for 32; g for 22, but 10+15+2 and 32 are all that is
			// known of it.
		}, map[string]string{"main": "1/33 x0", "f": "20/≤32 x2", "g": "10/≤27 x2", "h": "2/2 x1"}},
		{"a cycle of two, by depth", func(b build) {
			b.add("", 1, 0, "main")
			b.add("", 10, 0, "f")
			b.add("", 10, 0, "f'2")
			b.add("", 5, 0, "g")
			b.add("", 5, 0, "g'2")
			b.add("", 2, 0, "h")
			b.call("", "main", "f", 1, 32)
			b.call("", "f", "g", 1, 22)
			b.call("", "g", "f'2", 1, 15)
			b.call("", "f'2", "g'2", 1, 5)
			b.call("", "g", "h", 1, 2)
		}, map[string]string{"main": "1/33 x0", "f": "20/32 x2", "g": "10/22 x2", "h": "2/2 x1"}},
		{"no cycle across threads", func(b build) { // t1: f 10 { g 5 }; t2: g 5 { f 10 }
			b.add("t1", 10, 0, "f")
			b.add("t1", 5, 0, "g")
			b.add("t2", 10, 0, "f")
			b.add("t2", 5, 0, "g")
			b.call("t1", "f", "g", 1, 5)
			b.call("t2", "g", "f", 1, 10)
		}, map[string]string{"f": "20/25 x1", "g": "10/20 x1"}},
		{"calls that cost more than there is", func(b build) {
			b.add("", 10, 0, "f")
			b.call("", "main", "f", 1, math.MaxInt64)
			b.call("", "main", "g", 1, math.MaxInt64)
		}, map[string]string{"f": "10/10 x1", "g": "0/0 x1", "main": "0/10 x0"}},
		{"under way", func(b build) { // the counting began within main's call of loop
			b.add("", 10, 0, "loop")
			b.call("", "main", "loop", 0, 10)
		}, map[string]string{"loop": "10/10 x0", "main": "0/10 x0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuild(t, true)
			tt.build(b)
			if diff := cmp.Diff(tt.want, short(Of(b.b.Profile()))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
