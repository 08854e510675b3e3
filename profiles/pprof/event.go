package pprof

import (
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"opcost/profiles"
)

// event is an event and its columns in the samples' values; -1 where there is
// none.
type event struct {
	event profiles.Event
	unit  string // as the file says it
	scale int64  // from that unit to the event's

	weight, samples, calls, inclusive int
}

// eventsOf finds the events among the sample types, in the file's order for
// ours, else the default one first.
func eventsOf(p *profile.Profile, ours bool) []event {
	index := map[string]int{}
	for i, t := range p.SampleType {
		if _, ok := index[t.Type]; !ok {
			index[t.Type] = i
		}
	}
	column := func(name string) int {
		if i, ok := index[name]; ok {
			return i
		}
		return -1
	}
	var events []event
	for i, t := range p.SampleType {
		if belongs(t.Type, column) || !ours && countsSamples(t) && len(p.SampleType) > 1 {
			continue
		}
		e := newEvent(t)
		e.weight = i
		base := strings.TrimSuffix(t.Type, "_event")
		e.samples, e.calls, e.inclusive = column(base+"_samples"), column(base+"_calls"), column(base+"_inclusive")
		if base != t.Type {
			e.samples = column(base + "_sample")
			e.event.Name = base
		}
		if e.samples < 0 && !ours {
			e.samples = slices.IndexFunc(p.SampleType, countsSamples)
		}
		events = append(events, e)
	}
	if events == nil { // nothing but counts of samples
		e := newEvent(p.SampleType[0])
		e.samples, e.calls, e.inclusive = 0, -1, -1
		events = append(events, e)
	}
	if ours {
		return events
	}
	first := max(0, slices.IndexFunc(events, func(e event) bool { return p.SampleType[e.weight].Type == p.DefaultSampleType }))
	if p.DefaultSampleType == "" {
		first = len(events) - 1 // so says pprof's format
	}
	e := events[first]
	return slices.Insert(slices.Delete(events, first, first+1), 0, e)
}

// countsSamples tells Go's and others' first column: how many samples, not what
// of.
func countsSamples(t *profile.ValueType) bool {
	return (t.Type == "samples" || t.Type == "sample" || t.Type == "sample_count") && t.Unit == "count"
}

// belongs tells a column that is no event but another number of one.
func belongs(name string, column func(string) int) bool {
	for _, kind := range []string{columnSamples, columnCalls, columnInclusive} {
		if base, ok := strings.CutSuffix(name, "_"+kind); ok && column(base) >= 0 {
			return true
		}
	}
	base, ok := strings.CutSuffix(name, "_sample") // perf_to_profile's
	return ok && column(base+"_event") >= 0
}

// units are pprof's names of units, and how many nanoseconds they are.
var units = map[string]int64{
	"nanoseconds": 1, "ns": 1, "microseconds": 1e3, "us": 1e3,
	"milliseconds": 1e6, "ms": 1e6, "seconds": 1e9, "s": 1e9,
}

func newEvent(t *profile.ValueType) event {
	e := event{event: profiles.Event{Name: t.Type, Unit: profiles.Events}, unit: t.Unit, scale: 1}
	switch ns := units[t.Unit]; {
	case ns > 0:
		e.event.Unit, e.scale = profiles.Nanoseconds, ns
	case countsSamples(t):
		e.event.Unit = profiles.Samples
	case strings.HasPrefix(t.Type, "instructions"):
		e.event.Unit = profiles.Instructions
	case strings.HasPrefix(t.Type, "cycles"), strings.HasPrefix(t.Type, "cpu-cycles"):
		e.event.Unit = profiles.Cycles
	}
	return e
}

// comments takes from the comments of a file of ours what a sample type cannot
// say.
func (e *event) comments(c comments, i int) {
	if name, ok := c.values[eventKey(i, "name")]; ok {
		e.event.Name = name
	}
	if unit := c.values[eventKey(i, "unit")]; unit != "" {
		e.event.Unit = unit
	}
	e.event.Counted = c.values[eventKey(i, "counted")] == "true"
}

func (e *event) values(s *profile.Sample) (weight, samples, calls, inclusive int64) {
	get := func(column int) int64 {
		if column < 0 {
			return 0
		}
		return s.Value[column]
	}
	return get(e.weight), get(e.samples), get(e.calls), get(e.inclusive)
}

// named tells whether a sample of zeros says that it is of this event.
func (e *event) named(s *profile.Sample) bool {
	return slices.Contains(s.Label[labelEvent], e.event.Name)
}
