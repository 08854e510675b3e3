package record

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"opcost/collectors/probe"
)

// Options say how to sample. Zero values are the defaults.
type Options struct {
	// Hz is the samples wanted a second and CPU; 0 is [UsualHz].
	Hz int
	// CallGraph is how stacks are walked; "" is FP.
	CallGraph CallGraph
	// Event as perf names it; "" is the best that this machine can sample:
	// instructions, else cycles, else cpu-clock.
	Event string
	// MaxBytes ends the recording when the raw data have grown so large; 0 is
	// [UsualMaxBytes].
	MaxBytes int64
}

// CallGraph is a way to walk stacks (man perf-record, --call-graph).
type CallGraph string

// FP follows frame pointers: about 155 bytes a sample. DWARF copies the top of
// each stack, to be unwound later: about 8.4 kB a sample. LBR reads the CPU's
// record of its last branches (Intel, no virtual machine).
const (
	FP    CallGraph = "fp"
	DWARF CallGraph = "dwarf"
	LBR   CallGraph = "lbr"
)

// CallGraphs are all of them.
func CallGraphs() []CallGraph { return []CallGraph{FP, DWARF, LBR} }

const (
	// UsualHz is no divisor of what servers do each 10 or 100 ms, so that samples
	// do not meet the same work again and again.
	UsualHz = 499
	// MaxHz is far above what a server stands: at 20 kHz its samples take longer
	// than its queries.
	MaxHz = 20_000
	// UsualMaxBytes is two hours of one busy CPU by frame pointers, and two minutes by dwarf.
	UsualMaxBytes = 512 << 20
)

// Filled is the options with their defaults.
func (o Options) Filled() Options {
	if o.Hz == 0 {
		o.Hz = UsualHz
	}
	if o.CallGraph == "" {
		o.CallGraph = FP
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = UsualMaxBytes
	}
	return o
}

// Check tells what is wrong with the options.
func (o Options) Check() error {
	switch {
	case o.Hz < 0 || o.Hz > MaxHz:
		return fmt.Errorf("%d samples a second: between 1 and %d; %d is usual", o.Hz, MaxHz, UsualHz)
	case o.CallGraph != "" && !slices.Contains(CallGraphs(), o.CallGraph):
		return fmt.Errorf("call graph %q: give fp, dwarf or lbr", o.CallGraph)
	case o.MaxBytes < 0:
		return fmt.Errorf("a limit of %d bytes", o.MaxBytes)
	}
	return CheckEvent(o.Event)
}

// CheckEvent tells whether a text is the name of one event, or "". perf would
// take several, or an option.
func CheckEvent(name string) error {
	slashed := false
	for i, r := range name {
		switch {
		case r == '/':
			slashed = !slashed
		case i == 0 && r == '-', unicode.IsSpace(r), unicode.IsControl(r), r == ',' && !slashed, strings.ContainsRune(`{}'"\`, r):
			return notOne(name)
		}
	}
	if slashed {
		return notOne(name)
	}
	return nil
}

func notOne(name string) error {
	return fmt.Errorf("event %q: give the name of one event, as perf list shows it", name)
}

// candidate is an event to try.
type candidate struct {
	event string
	note  string // why it is not a better one; "" where it is the best there is
}

// Event is what will be sampled here, and why nothing better is, as far as the
// probe can tell: a PMU can count and yet not sample.
func Event(c probe.Caps) (event, note string) {
	first := candidates(Options{}, c)[0]
	return first.event, first.note
}

// candidates are the events to try, best first.
func candidates(o Options, c probe.Caps) []candidate {
	if o.Event != "" {
		return []candidate{{event: o.Event}}
	}
	var all []candidate
	note := ""
	if c.Perf.PMU.OK {
		for _, e := range []string{"instructions", "cycles"} {
			if counts(c, e) {
				all = append(all, candidate{e, note})
				note = ""
			} else if note == "" {
				note = e + " cannot be counted here"
			}
		}
	} else {
		note = "no instructions or cycles: " + c.Perf.PMU.Reason
	}
	return append(all, candidate{ClockEvent, note})
}

// ClockEvent samples by a timer of the kernel, on any machine.
const ClockEvent = "cpu-clock"

// counts: in user space at least, and on some kind of core; perf itself leaves
// out the kernel where it may not be looked at.
func counts(c probe.Caps, event string) bool {
	for _, e := range []string{event, event + ":u"} {
		if c.Perf.Events[e].OK {
			return true
		}
		for _, pmu := range c.Host.PMUs {
			if c.Perf.Events[probe.HybridName(pmu, e)].OK {
				return true
			}
		}
	}
	return false
}
