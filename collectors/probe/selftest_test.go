package probe

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// odd is a PMU that does what the test says.
type odd struct {
	count func(turns int) (uint64, error)
	fit   func(n int) (bool, error)
}

func (o odd) instructions(turns int) (uint64, error) { return o.count(turns) }
func (o odd) fits(n int) (bool, error)               { return o.fit(n) }

func counts(perTurn, fixed float64) func(int) (uint64, error) {
	return func(turns int) (uint64, error) { return uint64(perTurn*float64(turns) + fixed), nil }
}

func TestSelfTest(t *testing.T) {
	tests := []struct {
		name   string
		count  func(int) (uint64, error)
		reason string // "" is a pass
	}{
		{"seven a turn", counts(7, 300), ""},
		{"zeros, as VMware gives", counts(0, 0), "stays at 0"},
		{"a constant", counts(0, 5000), "wrong"},
		{"every thousandth", counts(0.007, 0), "wrong"},
		{"far too many", counts(700, 0), "wrong"},
		{"a large part does not depend on the loop", counts(7, 1e6), "wrong"},
		{"it falls", func(turns int) (uint64, error) { return uint64(10_000_000 - turns), nil }, "wrong"},
		{"no permission", func(int) (uint64, error) { return 0, fmt.Errorf("open: %w", syscall.EACCES) }, "no permission"},
		{"no device", func(int) (uint64, error) { return 0, syscall.ENODEV }, "no such device"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := asker{root: t.TempDir(), pmu: odd{tt.count, func(n int) (bool, error) { return n <= 4, nil }}}
			var c Caps
			c.Perf.Events = map[string]Event{"instructions:u": {Ability: yes()}}
			got, n := a.selfTest(c)
			if got.OK != (tt.reason == "") || !strings.Contains(got.Reason, tt.reason) || (n == 4) != got.OK || (!got.OK && got.Remedy == "") {
				t.Errorf("%+v, %d counters", got, n)
			}
		})
	}
}

// perf and the kernel must both count; on a hybrid CPU one kind of core is enough
// to know that the machine has a PMU.
func TestSelfTestNeedsPerfsCount(t *testing.T) {
	a := asker{root: t.TempDir(), pmu: works(4)}
	var c Caps
	c.Perf.Events = map[string]Event{"instructions:u": {Ability: no("unknown event", "a newer perf")}}
	if got, n := a.selfTest(c); got.OK || got.Reason != "unknown event" || n != 0 {
		t.Errorf("%+v", got)
	}
	c.Host.PMUs = []string{"cpu_atom", "cpu_core"}
	c.Perf.Events[HybridName("cpu_core", "instructions:u")] = Event{Ability: yes()}
	if got, _ := a.selfTest(c); !got.OK {
		t.Errorf("%+v", got)
	}
}

func TestCountersStopAtAnError(t *testing.T) {
	a := asker{pmu: odd{fit: func(n int) (bool, error) {
		if n == 3 {
			return true, errors.New("too many open files")
		}
		return true, nil
	}}}
	if n := a.counters(); n != 2 {
		t.Errorf("%d counters", n)
	}
}
