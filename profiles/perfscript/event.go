package perfscript

import (
	"strings"

	"opcost/profiles"
)

// event is what is being read of one event.
type event struct {
	name     string
	number   uint64 // of the events, by their first samples
	builder  *profiles.Builder
	periods  int64 // samples with a period
	callers  bool  // some sample has more than one frame
	buildIDs map[string]string
	// known finds what is behind an address without taking it apart again: by
	// the text, apart for the two halves of memory, since an object's name
	// does not always tell the kernel's code.
	known [2]map[string]known
	bytes int // of the keys of known
	names map[string]string
}

// known is what a text behind an address means: a frame's index, or, where the
// function has no name, the object, for then each address is a frame.
type known struct {
	frame   int32
	unnamed bool
	object  string
}

// maxKnown bounds the texts kept for [event.known]: with offsets printed, each
// place in the code is a text.
const maxKnown = 16 << 20

func newEvent(name string, buildIDs map[string]string) *event {
	e := &event{name: name, buildIDs: buildIDs, names: map[string]string{}}
	e.builder = profiles.NewBuilder(profiles.Event{Name: name, Unit: unitOf(name)})
	e.forget()
	return e
}

func (e *event) forget() {
	e.known = [2]map[string]known{{}, {}}
	e.bytes = 0
}

// lookup is what the text means, from memory or by taking it apart. A frame
// that is inlined is known nowhere: it gets its object from the next one.
func (e *event) lookup(addr uint64, text []byte) (k known, isNew bool) {
	half := 0
	if inKernelHalf(addr) {
		half = 1
	}
	if k, ok := e.known[half][string(text)]; ok {
		return k, false
	}
	pl := parsePlace(text)
	k = known{object: e.text(pl.object)}
	if len(pl.symbol) == 0 {
		k.unnamed = true
	} else {
		k.frame = e.builder.Frame(profiles.Frame{
			Function: e.text(pl.symbol), Object: k.object, BuildID: e.buildIDs[k.object],
			Space: spaceOf(k.object, addr),
		})
	}
	if e.bytes += len(text) + 64; e.bytes > maxKnown {
		e.forget()
		e.bytes = len(text) + 64
	}
	e.known[half][string(text)] = k
	return k, true
}

// text is a string kept once.
func (e *event) text(b []byte) string {
	if s, ok := e.names[string(b)]; ok {
		return s
	}
	s := string(b)
	e.names[s] = s
	return s
}

// unitOf is the unit of an event's periods, by the event's name as perf prints
// it: with modifiers (cycles:ppp), and in a hybrid CPU's PMU (cpu_core/cycles/u).
func unitOf(event string) string {
	name := strings.ToLower(event)
	if pmu, inner, ok := strings.Cut(name, "/"); ok && pmu != "" {
		name, _, _ = strings.Cut(inner, "/")
	}
	if base, mods, ok := strings.Cut(name, ":"); ok && strings.Trim(mods, "ukhipsdewg") == "" {
		name = base
	}
	switch name {
	case "instructions", "inst_retired", "inst_retired.any", "inst_retired.any_p", "inst_retired.prec_dist":
		return profiles.Instructions
	case "cycles", "cpu-cycles", "cpu_cycles", "cpu_clk_unhalted.thread", "cpu_clk_unhalted.thread_p", "cpu_clk_unhalted.core":
		return profiles.Cycles
	case "cpu-clock", "task-clock":
		// Their period is in nanoseconds (kernel/events/core.c, perf_swevent_hrtimer).
		return profiles.Nanoseconds
	}
	return profiles.Events
}
