package plan

import (
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/ast"
)

// The defaults, and the most that a server stands; the collector's are the same.
const (
	usualHz = 499
	maxHz   = 20_000
)

// profile reads a boolean, or how to sample.
func (r *reader) profile(m map[string]entry, p *Plan) {
	e, ok := m["profile"]
	if !ok {
		return
	}
	n := r.resolve(e.value)
	if n == nil {
		return
	}
	s := Sampling{Hz: usualHz, CallGraph: CallGraphFP}
	switch t := n.(type) {
	case *ast.BoolNode:
		if p.Profile = t.Value; p.Profile {
			p.Sampling = s
		}
		return
	case *ast.MappingNode:
	default:
		r.bad(e.value, "profile: true | false", "profile must be true, false or a mapping (hz, call_graph, event), not %s", kindOf(n))
		return
	}
	const example = "profile: {hz: 499, call_graph: fp}"
	sub, ok := r.keyed(e.value, inProfile, "profile", example)
	if !ok {
		return
	}
	number(r, sub, "hz", &s.Hz, 1, maxHz)
	enum(r, sub, "call_graph", &s.CallGraph, CallGraphFP, CallGraphDWARF, CallGraphLBR)
	if ev, ok := sub["event"]; ok {
		if text, ok := r.text(ev.value, "event", ev.like()); ok {
			if !oneEvent(text) {
				r.bad(ev.value, ev.like(), "event: %q is not the name of one event as perf list shows it", text)
			}
			s.Event = text
		}
	}
	p.Profile, p.Sampling = true, s
}

// oneEvent: perf would take several, or an option.
func oneEvent(s string) bool {
	slashed := false
	for i, c := range s {
		switch {
		case c == '/':
			slashed = !slashed
		case i == 0 && c == '-', unicode.IsSpace(c), c == ',' && !slashed, strings.ContainsRune(`{}'"\`, c):
			return false
		}
	}
	return !slashed
}
