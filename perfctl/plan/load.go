package plan

import (
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// workloads resolves ids and groups. Each name is asked for by itself, so that
// every unknown one gets its line; the order is that of all of them together.
func (r *reader) workloads(root ast.Node, m map[string]entry, p *Plan) {
	e, ok := m["workloads"]
	if !ok {
		r.bad(root, "workloads: [point-query, update-index]", "the plan has no workloads")
		return
	}
	items, ok := r.list(e, false)
	if !ok {
		return
	}
	var names []string
	for _, it := range items {
		name, ok := r.text(it, "a workload", "point-query")
		switch {
		case !ok:
			continue
		case slices.Contains(names, name):
			r.bad(it, "each workload once", "workload %q is named twice", name)
			continue
		}
		if _, err := r.known.Workloads([]string{name}); err != nil {
			instead, _ := nearest(name, r.allWorkloads())
			r.bad(it, instead, "%v", err)
			continue
		}
		names = append(names, name)
	}
	if len(names) < len(items) {
		return
	}
	ids, err := r.known.Workloads(names)
	if err != nil {
		r.bad(e.value, "", "%v", err)
	}
	p.Workloads = ids
}

func (r *reader) allWorkloads() []string {
	ids, err := r.known.Workloads([]string{"all"})
	if err != nil {
		return nil // no suggestion, then
	}
	return append(ids, "point", "range", "range-agg", "write", "all", "set-27", "set-32", "set-42")
}

func (r *reader) clients(m map[string]entry, p *Plan) {
	e, ok := m["clients"]
	if !ok {
		return
	}
	items, ok := r.list(e, false)
	if !ok {
		return
	}
	p.Clients = nil
	for _, it := range items {
		n, ok := r.integer(it, "a number of clients", "{}", 1, 65_536)
		switch {
		case !ok:
		case slices.Contains(p.Clients, int(n)):
			r.bad(it, "each number once", "%d clients are named twice; `repeats` is how often each is measured", n)
		default:
			p.Clients = append(p.Clients, int(n))
		}
	}
}

// minWindow is the shortest window in which reading the edges is not most of
// the work.
const minWindow = 10 * time.Millisecond

// length reads duration or operations. A number of operations is shared out
// among the clients, so each needs at least one.
func (r *reader) length(m map[string]entry, p *Plan) {
	r.duration(m, "duration", &p.Duration, minWindow, longest)
	ops, ok := m["operations"]
	if !ok {
		return
	}
	number(r, m, "operations", &p.Operations, 1, 1e15)
	p.Duration = 0
	if d, both := m["duration"]; both {
		later := ops
		if line(d) > line(ops) {
			later = d
		}
		r.bad(later.key, "one of the two", "both duration and operations: a window ends after a time or after a number of operations")
	}
	if most := slices.Max(append(slices.Clone(p.Clients), 0)); p.Operations > 0 && p.Operations < int64(most) {
		r.bad(ops.value, "", "operations: %d for %d clients leaves some with nothing to do; write a larger number", p.Operations, most)
	}
}

// screen is the starts of each version that a plan with a budget makes before
// it looks at verdicts: with fewer there is no noise to judge by.
const screen = 2

// budget reads the time a run may take.
func (r *reader) budget(m map[string]entry, p *Plan) {
	r.duration(m, "budget", &p.Budget, time.Second, patience)
	if e, ok := m["budget"]; ok && p.Budget > 0 && p.Repeats <= screen {
		r.bad(e.key, "repeats: 8", "budget: with repeats: %d there is nothing to spend it on, since %d starts of every cell are made anyway", p.Repeats, screen)
	}
}

// patience is the longest that a plan may take: a year.
const patience = 365 * 24 * time.Hour

// bearable refuses a plan that cannot end: what is sure to take time, with
// little for each operation and row, adds up to more than a year.
func (r *reader) bearable(root ast.Node, p *Plan) {
	const operation, row = 20e-6, 2e-6 // seconds
	cells := float64(len(p.Versions)) * float64(len(p.Workloads)) * float64(len(p.Clients)) * float64(p.Repeats)
	windows := 1.0
	if p.Profile {
		windows++
	}
	each := p.Warmup.Seconds() + windows*(p.Duration.Seconds()+float64(p.Operations+p.WriteOperations)*operation) + float64(p.Tables)*float64(p.Rows)*row
	if years := cells * each / patience.Seconds(); years > 1 {
		r.bad(root, "smaller numbers", "this plan takes more than %.0f years: %d versions x %d workloads x %d numbers of clients x %d repeats, each of %.0f s and more",
			years, len(p.Versions), len(p.Workloads), len(p.Clients), p.Repeats, each)
	}
}

func line(e entry) int {
	l, _ := position(e.key)
	return l
}

// cpus reads `auto`, or a list of CPU numbers and ranges (0-3), all online.
func (r *reader) cpus(m map[string]entry, name string, dst *[]int) {
	e, ok := m[name]
	if !ok {
		return
	}
	if s, ok := scalar(r.resolve(e.value)); ok && s == "auto" {
		return
	}
	items, ok := r.list(e, false)
	if !ok {
		return
	}
	online, err := r.machine.CPUs()
	if err != nil {
		r.bad(e.value, name+": auto", "%s: which CPUs this machine has cannot be read: %v", name, err)
		return
	}
	for _, it := range items {
		s, ok := r.text(it, "a CPU", "0")
		if !ok {
			continue
		}
		cpus, err := parseCPUs(s)
		if err != nil {
			r.bad(it, "0 or 0-3", "%s: %v", name, err)
		}
		missing := slices.DeleteFunc(slices.Clone(cpus), func(c int) bool { return slices.Contains(online, c) })
		if len(missing) > 0 {
			r.bad(it, "numbers of "+listCPUs(online), "%s: there is no CPU %s, or it is offline", name, listCPUs(missing))
			continue
		}
		for _, c := range cpus {
			if slices.Contains(*dst, c) {
				r.bad(it, "each CPU once", "%s: CPU %d is named twice", name, c)
				break
			}
			*dst = append(*dst, c)
		}
	}
	slices.Sort(*dst)
}

// restore reads a word, or {command: TEXT}.
func (r *reader) restore(m map[string]entry, p *Plan) {
	e, ok := m["restore"]
	if !ok {
		return
	}
	n := r.resolve(e.value)
	if n == nil {
		return
	}
	s, isText := scalar(n)
	command, isCommand := strings.CutPrefix(s, "command:")
	switch {
	case isText && (isCommand || s == "command"):
		if command = strings.TrimSpace(command); command == "" {
			command = "/path/of/a/program"
		}
		r.bad(e.value, "restore: {command: "+command+"}", "restore: a command is given as a mapping")
	case isText:
		enum(r, m, "restore", &p.Restore.Kind, "auto", "copy", "reflink", replay)
	default:
		sub, ok := r.keyed(e.value, inRestore, "restore", "restore: auto | copy | reflink | replay | {command: TEXT}")
		if !ok {
			return
		}
		c, ok := sub["command"]
		if !ok {
			r.bad(e.value, "restore: {command: TEXT}", "restore names no command")
			return
		}
		if text, ok := r.text(c.value, "command", c.like()); ok {
			p.Restore = Restore{Kind: "command", Command: text}
			r.noSecret(c, "restore: command", text)
		}
	}
}
