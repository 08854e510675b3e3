package compare

import (
	"fmt"
	"slices"
	"strings"

	"opcost/perfctl/result"
)

// notes collects warnings about cells, so that one that many cells share is
// said once, with where it was seen.
type notes struct {
	order []result.Warning
	where map[result.Warning][]string
}

func (n *notes) add(where string, ws ...result.Warning) {
	if n.where == nil {
		n.where = map[result.Warning][]string{}
	}
	for _, w := range ws {
		if n.where[w] == nil {
			n.order = append(n.order, w)
		}
		if !slices.Contains(n.where[w], where) {
			n.where[w] = append(n.where[w], where)
		}
	}
}

// merge adds another's notes, behind those that are there.
func (n *notes) merge(m notes) {
	for _, w := range m.order {
		for _, where := range m.where[w] {
			n.add(where, w)
		}
	}
}

func (n *notes) clone() notes {
	c := notes{order: slices.Clone(n.order), where: make(map[result.Warning][]string, len(n.where))}
	for w, cells := range n.where {
		c.where[w] = slices.Clone(cells)
	}
	return c
}

func (n *notes) warnings() []result.Warning {
	ws := make([]result.Warning, 0, len(n.order))
	for _, w := range n.order {
		text := fmt.Sprintf("%s (%s)", w.Text, n.where[w][0])
		if more := len(n.where[w]) - 1; more > 0 {
			text = fmt.Sprintf("%s (%s, and %d more)", w.Text, n.where[w][0], more)
		}
		ws = append(ws, result.Warning{Code: w.Code, Text: text})
	}
	return ws
}

// recorded gives what was doubtful already when the runs were made: their
// warnings, passes and windows that are not whole, and checks that did not hold.
func recorded(all []*cell) []result.Warning {
	var ns notes
	cs := checks{}
	for _, c := range all {
		where := c.String()
		for _, r := range c.runs {
			checked := map[string]bool{}
			for _, p := range r.Passes {
				if p.State != result.OK {
					ns.add(where, result.Warning{Code: "pass", Text: fmt.Sprintf("the %s pass is %s: %s", p.Kind, p.State, p.Reason)})
				}
				for _, w := range p.Windows {
					if w.State != result.OK && w.Reason != p.Reason {
						ns.add(where, result.Warning{Code: "window", Text: fmt.Sprintf("a window is %s: %s", w.State, w.Reason)})
					}
					for _, q := range w.Quality {
						if isSampled(p) {
							continue // no value is of this window
						}
						cs.add(where, q)
						checked[q.Name] = true
					}
				}
			}
			for _, w := range r.Warnings {
				if !checked[w.Code] { // else it is said once for all windows below
					ns.add(where, w)
				}
			}
		}
	}
	return append(ns.warnings(), cs.warnings()...)
}

// checks sums up each quality check over all windows: how many did not hold,
// and the worst of them.
type checks map[string]*checked

type checked struct {
	windows, broken int
	worst           result.Quality
	where           string
}

func (cs checks) add(where string, q result.Quality) {
	c := cs[q.Name]
	if c == nil {
		c = &checked{}
		cs[q.Name] = c
	}
	c.windows++
	if q.OK {
		return
	}
	c.broken++
	if c.broken == 1 || q.Value > c.worst.Value {
		c.worst, c.where = q, where
	}
}

func (cs checks) warnings() (ws []result.Warning) {
	for name, c := range cs {
		if c.broken == 0 {
			continue
		}
		text := c.worst.Text
		if text == "" {
			text = fmt.Sprintf("%s is %.4g, above %.4g", strings.ReplaceAll(name, "_", " "), c.worst.Value, c.worst.Limit)
		}
		if c.windows > 1 {
			text = fmt.Sprintf("%s (%d of %d windows; the worst: %s)", text, c.broken, c.windows, c.where)
		} else {
			text = fmt.Sprintf("%s (%s)", text, c.where)
		}
		ws = append(ws, result.Warning{Code: name, Text: text})
	}
	slices.SortFunc(ws, func(a, b result.Warning) int { return strings.Compare(a.Code, b.Code) })
	return ws
}

func joined(names []string) string { return strings.Join(names, ", ") }
