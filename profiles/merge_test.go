package profiles

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func two(t *testing.T, event string, first, second int64) *Profile {
	t.Helper()
	b := NewBuilder(Event{Name: event, Unit: Cycles})
	main, f := b.Frame(Frame{Function: "main"}), b.Frame(Frame{Function: "f", Object: "a.so"})
	for _, err := range []error{b.Add("t", []int32{f, main}, first, 1), b.Add("t", []int32{main}, second, 2), b.Call("t", main, f, 3, first)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	b.Problems().Lost = 1
	p := b.Profile()
	p.About = About{Version: "a", Workload: "scan", Clients: 4, Operations: 10, Seconds: 2, CPUUS: 5}
	return p
}

func TestMerge(t *testing.T) {
	a, b := two(t, "cycles", 5, 7), two(t, "cycles", 1, 2)
	// The same stack by other indexes.
	b.Frames[0], b.Frames[1] = b.Frames[1], b.Frames[0]
	for i := range b.Stacks {
		for j := range b.Stacks[i].Frames {
			b.Stacks[i].Frames[j] = 1 - b.Stacks[i].Frames[j]
		}
	}
	b.Arcs[0].Caller, b.Arcs[0].Callee = 1, 0
	b.About.Version, b.About.CPUUS = "b", 0
	m, err := Merge(a, b)
	if err != nil {
		t.Fatal(err)
	}
	weight, samples := m.Total()
	if weight != 15 || samples != 6 || len(m.Stacks) != 2 || len(m.Frames) != 2 || m.Stacks[0].Weight != 6 {
		t.Errorf("%d in %d samples; %+v", weight, samples, m.Stacks)
	}
	if d := cmp.Diff([]Arc{{Thread: "t", Caller: 0, Callee: 1, Calls: 6, Weight: 6}}, m.Arcs); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(About{Workload: "scan", Clients: 4, Operations: 20, Seconds: 4}, m.About); d != "" {
		t.Error(d)
	}
	if m.Problems.Lost != 2 {
		t.Errorf("%+v", m.Problems)
	}
	if _, err := Merge(a, two(t, "instructions", 1, 1)); err == nil {
		t.Error("two events were added up")
	}
	a.Stacks[0].Weight = math.MaxInt64
	if _, err := Merge(a, b); err == nil {
		t.Error("the sum does not fit, and there was no error")
	}
}
