package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"opcost/perfctl/result"
)

// estimate is a metric of a cell with the values behind it.
type estimate struct {
	M
	values []float64 // one a server start, sorted
	logs   []float64 // their logarithms; nil when a value is 0 or less
	// edges bound the value of one window of a load that is not ours; nil where
	// there are several starts, or the bounds are not known.
	edges *[2]float64
}

func (e *estimate) measure(name string) measure { return measure{name, e.Source, e.Scope, e.Per} }

// gathered is what the windows of a cell say, by server start.
type gathered struct {
	*layout
	order  []startKey
	starts map[startKey]*startTallies
}

type startTallies struct {
	tallies
	operations int64 // of its windows together
}

// gather reads the cell's windows. Whole gives runs their readings; nil: they
// have them.
func (c *cell) gather(whole func(result.Run) result.Run) gathered {
	g := gathered{layout: &layout{}, starts: map[startKey]*startTallies{}}
	kinds := map[result.PassKind]map[startKey]bool{}
	for _, r := range c.runs {
		k := startOf(r)
		s := g.starts[k]
		if whole != nil {
			one := whole(*r)
			r = &one
		}
		if s == nil {
			if g.places == nil {
				g.places = make(map[measure]int, room(r))
				g.measures = make([]measure, 0, room(r))
			}
			s = &startTallies{tallies: tallies{layout: g.layout, in: make([]tally, 0, room(r))}}
			g.starts[k] = s
			g.order = append(g.order, k)
		}
		s.addRun(r)
		for _, p := range costly(r) {
			if kinds[p.Kind] == nil {
				kinds[p.Kind] = map[startKey]bool{}
			}
			kinds[p.Kind][k] = true
			for _, w := range p.Windows {
				if w.State != result.Failed {
					s.operations += w.Ops.N()
				}
			}
		}
	}
	c.starts = 0
	for _, starts := range kinds {
		c.starts = max(c.starts, len(starts))
	}
	return g
}

// room is about how many metrics a run has.
func room(r *result.Run) int {
	n := 32 // those that follow from others
	for _, p := range r.Passes {
		for _, w := range p.Windows {
			n += len(w.Readings)
		}
	}
	return n
}

// counted is a metric as one source counted it, in each start that has it.
type counted struct {
	measure
	starts []*tally
}

// byMetric are the measures of all starts, those of a metric beside each other.
func (g gathered) byMetric(keep func(metric string) bool) []*counted {
	all := make([]*counted, 0, len(g.measures))
	for i, m := range g.measures {
		if keep != nil && !keep(m.name) {
			continue
		}
		c := &counted{measure: m, starts: make([]*tally, 0, len(g.order))}
		for _, k := range g.order {
			if t := g.starts[k].at(i); t != nil {
				c.starts = append(c.starts, t)
			}
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *counted) int { return strings.Compare(a.name, b.name) })
	return all
}

// summarise works out the cell's metrics: for each the measure that is kept, its
// median and its state. Where the runs hold a metric from several sources or
// scopes, the better one is kept and the others are named in the notes.
func (c *cell) summarise(g gathered, keep func(metric string) bool) (notes []result.Warning) {
	all := g.byMetric(keep)
	c.metrics = make(map[string]*estimate, len(all))
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].name == all[0].name {
			n++
		}
		kept, dropped := choose(all[:n])
		all = all[n:]
		e := estimateOf(kept.measure, kept.starts)
		if c.driver != Attached { // between starts there is more noise than at the edges
			e.edges = nil
		}
		c.metrics[kept.name] = e
		for _, d := range dropped {
			notes = append(notes, result.Warning{Code: "source", Text: fmt.Sprintf("%s: %s is shown; %s was measured too and is left out, since the two are never mixed", kept.name, kept.measure, d.measure)})
		}
	}
	notes = append(notes, c.explainLacking(keep)...)
	slices.SortFunc(notes, func(a, b result.Warning) int { return cmp.Compare(a.Text, b.Text) })
	return notes
}

// betterSource orders sources from best to least.
var betterSource = map[result.Source]int{
	result.SourcePerf: 0, result.SourceCallgrind: 1, result.SourceProc: 2, result.SourceServer: 3,
	result.SourceClient: 4, result.SourceHost: 5, result.SourceImport: 6,
}

var betterScope = map[result.Scope]int{result.UserKernel: 0, result.User: 1, result.Kernel: 2, "": 3}

// choose gives the measure that is kept: one with a value before one without,
// then the better source, the wider scope, the more starts. The dropped ones
// had values too.
func choose(all []*counted) (kept *counted, dropped []*counted) {
	if len(all) == 1 {
		return all[0], nil
	}
	slices.SortFunc(all, func(a, b *counted) int {
		return cmp.Or(
			cmp.Compare(min(b.values(), 1), min(a.values(), 1)),
			cmp.Compare(betterSource[a.source], betterSource[b.source]),
			cmp.Compare(betterScope[a.scope], betterScope[b.scope]),
			cmp.Compare(b.values(), a.values()),
			cmp.Compare(a.per, b.per))
	})
	for _, c := range all[1:] {
		if c.values() > 0 {
			dropped = append(dropped, c)
		}
	}
	return all[0], dropped
}

// values is how many starts have one.
func (c *counted) values() (n int) {
	for _, t := range c.starts {
		if t.usable() {
			n++
		}
	}
	return n
}

// estimateOf makes the metric of one measure: the median of the starts that
// have a value. A doubt of one start is a doubt of the metric.
func estimateOf(m measure, starts []*tally) *estimate {
	e := &estimate{M: M{Per: m.per, Source: m.source, Scope: m.scope, State: result.OK}}
	e.values = make([]float64, 0, len(starts))
	var lacking *tally
	fraction := 0.0
	for _, t := range starts {
		e.Unit = cmp.Or(e.Unit, t.unit)
		v := 0.0
		if t.usable() {
			v = t.value()
		}
		if !t.usable() || math.IsNaN(v) || math.IsInf(v, 0) {
			if lacking == nil || t.reason < lacking.reason { // one of them, whatever the order
				lacking = t
			}
			continue
		}
		e.values = append(e.values, v)
		e.edges = t.bounds()
		if severity(t.state) > severity(e.State) {
			e.State, e.Reason, e.Remedy = t.state, t.reason, t.remedy
		} else if t.state == e.State && t.reason != "" && (e.Reason == "" || t.reason < e.Reason) {
			e.Reason, e.Remedy = t.reason, t.remedy
		}
		fraction = smaller(fraction, t.fraction)
	}
	e.N = len(e.values)
	if e.N != 1 {
		e.edges = nil
	}
	if e.N == 0 {
		e.State, e.Reason, e.Remedy = lacking.state, cmp.Or(lacking.reason, "no reason was stored"), lacking.remedy
		if e.State.Usable() {
			e.State = result.Failed
		}
		return e
	}
	if fraction > 0 && fraction < 1 {
		e.RunningFraction = &fraction
	}
	slices.Sort(e.values)
	v := median(e.values)
	e.Value = &v
	e.logs = logsOf(e.values)
	return e
}

// median of sorted values.
func median(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return sorted[n/2-1]/2 + sorted[n/2]/2
}
