package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

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

// summarise reads the cell's windows: values by server start, then for each
// metric the measure that is kept, its median and its state. Where the runs
// hold a metric from several sources or scopes, the better one is kept and the
// others are named in the notes.
func (c *cell) summarise(keep func(metric string) bool) (notes []result.Warning) {
	perStart := map[startKey]tallies{}
	kinds := map[result.PassKind]map[startKey]bool{}
	for _, r := range c.runs {
		k := startOf(r)
		if perStart[k] == nil {
			perStart[k] = tallies{}
		}
		perStart[k].addRun(r)
		for _, p := range costly(r) {
			if kinds[p.Kind] == nil {
				kinds[p.Kind] = map[startKey]bool{}
			}
			kinds[p.Kind][k] = true
		}
	}
	for _, starts := range kinds {
		c.starts = max(c.starts, len(starts))
	}
	found := map[string]map[measure][]*tally{}
	for _, ts := range perStart {
		for m, t := range ts {
			if keep != nil && !keep(m.name) {
				continue
			}
			if found[m.name] == nil {
				found[m.name] = map[measure][]*tally{}
			}
			found[m.name][m] = append(found[m.name][m], t)
		}
	}
	c.metrics = make(map[string]*estimate, len(found))
	for name, by := range found {
		kept, dropped := choose(by)
		c.metrics[name] = estimateOf(kept, by[kept])
		if c.driver != Attached { // between starts there is more noise than at the edges
			c.metrics[name].edges = nil
		}
		for _, d := range dropped {
			notes = append(notes, result.Warning{Code: "source", Text: fmt.Sprintf("%s: %s is shown; %s was measured too and is left out, since the two are never mixed", name, kept, d)})
		}
	}
	c.explainLacking(keep)
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
func choose(by map[measure][]*tally) (kept measure, dropped []measure) {
	values := func(m measure) (n int) {
		for _, t := range by[m] {
			if t.usable() {
				n++
			}
		}
		return n
	}
	all := make([]measure, 0, len(by))
	for m := range by {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b measure) int {
		return cmp.Or(
			cmp.Compare(min(values(b), 1), min(values(a), 1)),
			cmp.Compare(betterSource[a.source], betterSource[b.source]),
			cmp.Compare(betterScope[a.scope], betterScope[b.scope]),
			cmp.Compare(values(b), values(a)),
			cmp.Compare(a.per, b.per))
	})
	for _, m := range all[1:] {
		if values(m) > 0 {
			dropped = append(dropped, m)
		}
	}
	return all[0], dropped
}

// estimateOf makes the metric of one measure: the median of the starts that
// have a value. A doubt of one start is a doubt of the metric.
func estimateOf(m measure, starts []*tally) *estimate {
	e := &estimate{M: M{Per: m.per, Source: m.source, Scope: m.scope, State: result.OK}}
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
	if e.values[0] > 0 {
		for _, v := range e.values {
			e.logs = append(e.logs, math.Log(v))
		}
	}
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
