package cost

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"opcost/profiles"
)

// machine runs a random program and counts its calls as callgrind would. What
// each function cost with all it called it knows otherwise: by the clock, when
// the outermost call of it ends.
type machine struct {
	build
	rand      *rand.Rand
	functions int
	depths    bool // recursion is told apart by its depth
	clock     int64
	active    []int
	self      map[string]int64
	total     map[string]int64
	calls     map[string]int64
}

// name is a function as the profile names it, with its depth (callgrind's
// default tells the outermost call from all others).
func (m *machine) name(f int) string {
	if m.depths && m.active[f] > 1 {
		return m.plain(f) + "'2"
	}
	return m.plain(f)
}

func (m *machine) plain(f int) string { return fmt.Sprintf("f%02d", f) }

func (m *machine) run(f, depth int) {
	began := m.clock
	m.active[f]++
	name := m.name(f)
	for range 1 + m.rand.IntN(4) {
		w := 1 + m.rand.Int64N(100)
		m.clock += w
		m.self[m.plain(f)] += w
		m.add("", w, 0, name)
		if depth < 12 && m.clock < 20000 && m.rand.IntN(3) > 0 {
			callee := m.rand.IntN(m.functions)
			at := m.clock
			m.active[callee]++
			calleeName := m.name(callee)
			m.active[callee]--
			m.run(callee, depth+1)
			m.call("", name, calleeName, 1, m.clock-at)
			m.calls[m.plain(callee)]++
		}
	}
	m.active[f]--
	if m.active[f] == 0 {
		m.total[m.plain(f)] += m.clock - began
	}
}

func simulate(t *testing.T, seed uint64, functions int, depths bool) (*profiles.Profile, *machine) {
	m := &machine{build: newBuild(t, true), rand: rand.New(rand.NewPCG(seed, 1)), functions: functions, depths: depths,
		active: make([]int, functions), self: map[string]int64{}, total: map[string]int64{}, calls: map[string]int64{}}
	for m.clock < 5000 {
		m.run(0, 0)
	}
	return m.b.Profile(), m
}

// Random programs full of recursion: with depths told apart every total is
// exact; without, it is exact or a bound that is not too low.
func TestOfSimulated(t *testing.T) {
	exact, bounds := 0, 0
	for seed := range uint64(300) {
		for _, depths := range []bool{true, false} {
			p, m := simulate(t, seed, 1+int(seed%30), depths)
			table := Of(p)
			if table.Weight != m.clock {
				t.Fatalf("weight %d, %d passed", table.Weight, m.clock)
			}
			var self int64
			for _, r := range table.Rows {
				f := r.Key.Function
				self += r.Self
				if r.Self != m.self[f] || r.Calls != m.calls[f] {
					t.Errorf("seed %d: %s: self %d, calls %d, want %d, %d", seed, f, r.Self, r.Calls, m.self[f], m.calls[f])
				}
				switch {
				case r.Total < m.total[f], r.Total > m.clock, (depths || !r.Bound) && r.Total != m.total[f]:
					t.Errorf("seed %d, depths told apart %v: %s: total %d (bound %v) of %d, want %d", seed, depths, f, r.Total, r.Bound, m.clock, m.total[f])
				case r.Bound:
					bounds++
				default:
					exact++
				}
			}
			if self != table.Weight {
				t.Errorf("seed %d: selfs %d, whole %d", seed, self, table.Weight)
			}
		}
	}
	if exact < 1000 || bounds < 1000 {
		t.Errorf("%d exact totals, %d bounds: the programs do not try both", exact, bounds)
	}
}
