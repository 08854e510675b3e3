package pprof

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/pprof/profile"

	"opcost/profiles"
)

// The labels of samples.
const (
	labelThread = "thread"
	labelEvent  = "event"
	labelArc    = "arc"
)

// Write writes a set as a compressed pprof file.
//
// Comments of the file, each key=value:
//
//	opcost.format=1
//	opcost.version, .workload, .clients, .protocol, .repeat, .operations, .per,
//	.seconds, .cpu_us, .binary, .server, .call_graph, .hz: profiles.About of the
//	first event; of event N, where that differs, opcost.event.N.version …
//	opcost.event.N.name, .unit, .counted, .columns: the event, and which of weight,
//	samples, calls and inclusive its sample types are
//	opcost.event.N.lost, .throttled, .no_stack, .broken, .periods: its Problems
//	opcost.warning: one each
func Write(w io.Writer, set *profiles.Set) error {
	p, err := encode(set)
	if err != nil {
		return err
	}
	return p.Write(w)
}

func encode(set *profiles.Set) (*profile.Profile, error) {
	if len(set.Profiles) == 0 {
		return nil, errors.New("a set without a profile cannot be written")
	}
	e := &encoder{p: &profile.Profile{}, mappings: map[mappingKey]*profile.Mapping{}, functions: map[functionKey]*profile.Function{}, locations: map[profiles.Frame]*profile.Location{}}
	e.comment(keyFormat, "1")
	names := map[string]int{}
	total := 0
	for _, p := range set.Profiles {
		total += len(columnsOf(p))
	}
	for i, p := range set.Profiles {
		e.event(i, p, set.Profiles[0].About, names, total)
	}
	for _, text := range set.Warnings {
		e.comment(keyWarning, text)
	}
	first := set.Profiles[0]
	e.p.DefaultSampleType = e.p.SampleType[0].Type
	e.p.DurationNanos = int64(first.About.Seconds * 1e9)
	if first.Event.Unit == profiles.Nanoseconds && first.About.Hz > 0 {
		e.p.PeriodType = &profile.ValueType{Type: first.Event.Name, Unit: "nanoseconds"}
		e.p.Period = 1e9 / int64(first.About.Hz)
	}
	if err := e.p.CheckValid(); err != nil {
		return nil, fmt.Errorf("write as pprof: %w", err)
	}
	return e.p, nil
}

type encoder struct {
	p         *profile.Profile
	columns   int // written so far
	mappings  map[mappingKey]*profile.Mapping
	functions map[functionKey]*profile.Function
	locations map[profiles.Frame]*profile.Location
}

type mappingKey struct {
	object, buildID string
	space           profiles.Space
}

type functionKey struct{ name, system, file string }

// columnsOf are the kinds of numbers that a profile has.
func columnsOf(p *profiles.Profile) []string {
	columns := []string{columnWeight}
	if !p.Event.Counted {
		columns = append(columns, columnSamples)
	}
	if p.Arcs != nil {
		columns = append(columns, columnCalls, columnInclusive)
	}
	return columns
}

func (e *encoder) event(i int, p *profiles.Profile, common profiles.About, names map[string]int, total int) {
	// Sample types are chosen by their name, so each name is there once.
	name := p.Event.Name
	if name == "" {
		name = "event"
	}
	names[name]++
	if n := names[name]; n > 1 {
		name = fmt.Sprintf("%s#%d", name, n)
	}
	at := e.columns
	columns := columnsOf(p)
	e.columns += len(columns)
	of := map[string]int{}
	for j, c := range columns {
		of[c] = at + j
		t := &profile.ValueType{Type: name + "_" + c, Unit: "count"}
		if c == columnWeight {
			t.Type = name
		}
		if (c == columnWeight || c == columnInclusive) && p.Event.Unit == profiles.Nanoseconds {
			t.Unit = "nanoseconds"
		}
		e.p.SampleType = append(e.p.SampleType, t)
	}
	e.aboutEvent(i, p, columns)
	e.about(i, p.About, common)
	add := func(thread string, frames []int32, labels map[string][]string) []int64 {
		s := &profile.Sample{Value: make([]int64, total), Label: labels}
		labels[labelEvent] = []string{p.Event.Name}
		if thread != "" {
			labels[labelThread] = []string{thread}
		}
		for _, f := range frames {
			s.Location = append(s.Location, e.location(p.Frames[f]))
		}
		e.p.Sample = append(e.p.Sample, s)
		return s.Value
	}
	for _, st := range p.Stacks {
		v := add(st.Thread, st.Frames, map[string][]string{})
		v[at] = st.Weight
		if j, ok := of[columnSamples]; ok {
			v[j] = st.Samples
		}
	}
	for _, a := range p.Arcs {
		v := add(a.Thread, []int32{a.Callee, a.Caller}, map[string][]string{labelArc: {"call"}})
		v[of[columnCalls]], v[of[columnInclusive]] = a.Calls, a.Weight
	}
}

func (e *encoder) location(f profiles.Frame) *profile.Location {
	l, ok := e.locations[f]
	if !ok {
		address := f.Address
		if f.Start != 0 {
			address = f.Start
		}
		l = &profile.Location{ID: uint64(len(e.p.Location) + 1), Address: address, Mapping: e.mapping(f), Line: []profile.Line{{Function: e.function(f)}}}
		e.p.Location = append(e.p.Location, l)
		e.locations[f] = l
	}
	return l
}

func (e *encoder) mapping(f profiles.Frame) *profile.Mapping {
	k := mappingKey{f.Object, f.BuildID, f.Space}
	m, ok := e.mappings[k]
	if !ok {
		// HasFunctions and so on keep pprof from asking the object for names.
		m = &profile.Mapping{ID: uint64(len(e.p.Mapping) + 1), File: f.Object, BuildID: f.BuildID,
			HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true}
		switch f.Space {
		case profiles.Kernel:
			m.Start, m.Limit = kernelStart, ^uint64(0)
		case profiles.User:
			m.Limit = kernelStart - 1
		}
		e.p.Mapping = append(e.p.Mapping, m)
		e.mappings[k] = m
	}
	return m
}

func (e *encoder) function(f profiles.Frame) *profile.Function {
	k := functionKey{name: f.Function, system: f.Function, file: f.Object}
	if f.Inlined {
		k.file += inlined
	}
	if !f.Named() {
		k.name, k.system = unnamed(f), ""
	}
	if f.Recursion != 0 {
		k.name = fmt.Sprintf("%s'%d", k.name, f.Recursion)
	}
	fn, ok := e.functions[k]
	if !ok {
		fn = &profile.Function{ID: uint64(len(e.p.Function) + 1), Name: k.name, SystemName: k.system, Filename: k.file}
		e.p.Function = append(e.p.Function, fn)
		e.functions[k] = fn
	}
	return fn
}

const inlined = " (inlined)"

// kernelStart is where the kernel's half of the address space begins.
const kernelStart = 1 << 63

// unnamed is what stands for a function that has no name.
func unnamed(f profiles.Frame) string {
	object := short(f.Object)
	switch {
	case f.Start != 0 && f.Address == 0:
		return fmt.Sprintf("%s fn 0x%x", object, f.Start)
	case f.Start != 0 && f.InFile:
		return fmt.Sprintf("%s fn 0x%x+0x%x", object, f.Start, f.Address)
	case f.Start != 0:
		return fmt.Sprintf("%s fn 0x%x 0x%x", object, f.Start, f.Address)
	case f.InFile:
		return fmt.Sprintf("%s+0x%x", object, f.Address)
	}
	return fmt.Sprintf("%s 0x%x", object, f.Address)
}

// short is an object's name without its folder.
func short(object string) string {
	if name := object[strings.LastIndexByte(object, '/')+1:]; name != "" {
		return name
	}
	return "?"
}
