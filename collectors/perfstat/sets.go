package perfstat

import (
	"strings"

	"opcost/collectors"
	"opcost/collectors/probe"
)

// EventSet is what one window counts. Each inner list is one perf event group:
// its events are on the PMU at the same time or not at all, so their ratio means
// something.
type EventSet struct {
	Name   string // core, branches, software, syscalls, ...
	Groups [][]string
}

// events are all of a set, in order.
func (s EventSet) events() []string {
	var all []string
	for _, g := range s.Groups {
		all = append(all, g...)
	}
	return all
}

var (
	softwareEvents = []string{"task-clock", "context-switches", "cpu-migrations", "page-faults"}
	// furtherEvents are counted beside instructions:u, in windows after the first.
	furtherEvents = []string{"branches", "branch-misses", "cache-misses"}
)

// countersUnknown is how many hardware counters are taken for granted: every
// PMU with counters of its own has as many.
const countersUnknown = 2

// Sets are the event sets that fit this machine's PMU, the most important
// first; each wants a window of its own. Without a PMU there is one, of software
// events; without a usable perf there is none. What the machine lacks is left
// out: caps says why.
func Sets(caps probe.Caps) []EventSet {
	if !caps.Perf.OK || !caps.Perf.Control.OK {
		return nil
	}
	m := menu{caps.Perf.Events, []string{""}}
	software := m.singles(softwareEvents)
	if !caps.Perf.PMU.OK {
		if len(software) == 0 {
			return nil
		}
		return []EventSet{{Name: "software", Groups: software}}
	}
	if caps.Host.Hybrid() {
		m.pmus = caps.Host.PMUs
	}
	counters := caps.Perf.Counters
	if counters == 0 {
		counters = countersUnknown
	}
	sets := append(m.core(counters), m.further(counters)...)
	for i := range sets {
		if i == 0 {
			sets[i].Groups = append(sets[i].Groups, software...)
		} else {
			// Tells whether the process ran at all.
			sets[i].Groups = append(sets[i].Groups, m.singles([]string{"task-clock"})...)
		}
	}
	return sets
}

// SyscallSet counts system calls by a tracepoint, which slows every system call
// of the whole machine: for a window of its own, and only when asked for. The
// error is a *collectors.Unsupported.
func SyscallSet(caps probe.Caps) (EventSet, error) {
	lacks := func(a probe.Ability) error {
		return &collectors.Unsupported{What: "system calls", Reason: a.Reason, Remedy: a.Remedy}
	}
	for _, a := range []probe.Ability{caps.Perf.Ability, caps.Perf.Control, caps.Perf.Events[probe.SyscallEvent].Ability} {
		if !a.OK {
			return EventSet{}, lacks(a)
		}
	}
	return EventSet{Name: "syscalls", Groups: [][]string{{probe.SyscallEvent}, {"task-clock"}}}, nil
}

// menu is what can be counted here, on which kinds of core ("" where there is
// one kind).
type menu struct {
	tried map[string]probe.Event
	pmus  []string
}

// core is instructions and cycles: user and kernel apart in one group where four
// counters are free, else as one number, so that their quotient is one of
// equal moments, and user space in a further window.
func (m menu) core(counters int) []EventSet {
	whole := m.groups("instructions", "cycles")
	user := m.groups("instructions:u", "cycles:u")
	if apart := m.groups("instructions:u", "instructions:k", "cycles:u", "cycles:k"); apart != nil && counters >= 4 {
		return []EventSet{{"core", apart}}
	}
	kernelToo := whole != nil && !m.narrowed("instructions") && !m.narrowed("cycles")
	switch {
	case counters >= 2 && kernelToo && user != nil:
		return []EventSet{{"core", whole}, {"core-user", user}}
	case counters >= 2 && kernelToo:
		return []EventSet{{"core", whole}}
	case counters >= 2 && user != nil:
		return []EventSet{{"core", user}}
	}
	// One counter, or one of the two events is missing.
	var sets []EventSet
	for _, e := range []string{"instructions", "cycles"} {
		if m.narrowed(e) || m.groups(e) == nil {
			e += ":u"
		}
		if g := m.groups(e); g != nil {
			sets = append(sets, EventSet{strings.TrimSuffix(e, ":u"), g})
		}
	}
	return sets
}

// further are sets of what is left, as many a window as fit beside
// instructions:u, which ties these windows to the first.
func (m menu) further(counters int) []EventSet {
	const anchor = "instructions:u"
	if counters < 2 || m.groups(anchor) == nil {
		return nil
	}
	var left []string
	for _, e := range furtherEvents {
		if m.groups(e) == nil {
			continue
		}
		if m.narrowed(e) {
			e += ":u"
		}
		left = append(left, e)
	}
	var sets []EventSet
	for len(left) > 0 {
		n := min(len(left), counters-1)
		sets = append(sets, EventSet{strings.TrimSuffix(left[0], ":u"), m.named(append([]string{anchor}, left[:n]...))})
		left = left[n:]
	}
	return sets
}

// groups makes one group a kind of core; nil when an event does not count on
// each of them.
func (m menu) groups(events ...string) [][]string {
	named := m.named(events)
	for _, g := range named {
		for _, e := range g {
			if !m.tried[e].OK {
				return nil
			}
		}
	}
	return named
}

func (m menu) named(events []string) [][]string {
	var groups [][]string
	for _, pmu := range m.pmus {
		var g []string
		for _, e := range events {
			if pmu != "" {
				e = probe.HybridName(pmu, e)
			}
			g = append(g, e)
		}
		groups = append(groups, g)
	}
	return groups
}

// narrowed: asked for user and kernel, perf counted user space alone, because
// more is not allowed here.
func (m menu) narrowed(event string) bool {
	for _, g := range m.named([]string{event}) {
		if ParseName(m.tried[g[0]].Name).Modifier == "u" {
			return true
		}
	}
	return false
}

// singles are software events, each a group by itself.
func (m menu) singles(events []string) [][]string {
	var groups [][]string
	for _, e := range events {
		if m.tried[e].OK {
			groups = append(groups, []string{e})
		}
	}
	return groups
}
