package probe

import (
	"errors"
	"fmt"
	"syscall"
)

// counter is the PMU as the kernel gives it to us. It is asked without perf,
// because a loop of our own has a number of instructions that can be judged,
// and because a group that fits is found by opening it.
type counter interface {
	// instructions counts user instructions of a loop of so many turns.
	instructions(turns int) (uint64, error)
	// fits reports whether a group of n hardware events counts all the time.
	fits(n int) (bool, error)
}

// A turn of the loop is a few instructions on every CPU; the exact number is the
// compiler's. So two lengths are counted, and what a turn costs must agree.
const (
	shortLoop   = 200_000
	longLoop    = 3 * shortLoop
	minPerTurn  = 2
	maxPerTurn  = 32
	tolerance   = 0.05
	maxCounters = 16
)

// selfTest counts a known loop. A machine can say that it has the event and
// count nothing: VMware gives plain zeros (rr-debugger/rr#3510).
func (a asker) selfTest(c Caps) (Ability, int) {
	q := question{asker: a, who: c}
	if e, ok := hardwareEvent(c); !ok {
		return e.Ability, 0
	}
	short, err := a.pmu.instructions(shortLoop)
	var long uint64
	if err == nil {
		long, err = a.pmu.instructions(longLoop)
	}
	switch {
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		return no("no permission to count instructions", q.permission()), 0
	case err != nil:
		return no(fmt.Sprintf("counting a known loop failed: %v", err), q.pmuRemedy()), 0
	}
	if reason := plausible(short, long); reason != "" {
		return no(reason, q.pmuRemedy()), 0
	}
	return yes(), a.counters()
}

// hardwareEvent is the instructions event that perf counted, or one that says
// why it did not.
func hardwareEvent(c Caps) (Event, bool) {
	names := []string{"instructions:u"}
	if c.Host.Hybrid() {
		names = nil
		for _, pmu := range c.Host.PMUs {
			names = append(names, HybridName(pmu, "instructions:u"))
		}
	}
	var e Event
	for _, n := range names {
		if e = c.Perf.Events[n]; e.OK {
			return e, true
		}
	}
	return e, false
}

// plausible judges two counts of the loop; "" is a pass.
func plausible(short, long uint64) string {
	if short == 0 || long == 0 {
		return "the instructions counter stays at 0 while a loop runs"
	}
	turn := (float64(long) - float64(short)) / (longLoop - shortLoop)
	whole := float64(short) / shortLoop
	if turn < minPerTurn || turn > maxPerTurn || whole < turn*(1-tolerance) || whole > turn*(1+tolerance) {
		return fmt.Sprintf("the instructions counter is wrong: a loop of %d turns counts %d, one of %d counts %d", shortLoop, short, longLoop, long)
	}
	return ""
}

// counters is the largest group that counts all the time; 0 when unknown.
func (a asker) counters() int {
	for n := 1; n <= maxCounters; n++ {
		if ok, err := a.pmu.fits(n); err != nil || !ok {
			return n - 1
		}
	}
	return maxCounters
}
