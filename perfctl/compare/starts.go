package compare

import (
	"iter"
	"maps"
	"math"
	"slices"

	"opcost/perfctl/result"
)

// StartValues is what one server start says of a cell: the values whose medians
// a report gives.
type StartValues struct {
	Host, Version, Workload, Group, Protocol, Driver string
	Clients                                          int
	Operations                                       int64 // of its windows together
	Values                                           []StartValue
}

// StartValue is one metric of a start.
type StartValue struct {
	Metric string
	Value  float64
	Unit   string
	Per    string
	Source result.Source
	Scope  result.Scope
	Sense  Sense
}

// Starts gives the values of each server start, cell by cell in a report's
// order, as they are asked for. A metric that a cell has from several sources or
// scopes comes from the one that its report shows, and partial values are left out.
func Starts(runs []result.Run, o Options) iter.Seq[StartValues] {
	b := sorted(runs, o)
	keep := keptMetrics(o)
	return func(yield func(StartValues) bool) {
		for starts := range inOrder(len(b.all), func() func(int) []StartValues {
			return func(i int) []StartValues { return b.starts(b.all[i], keep) }
		}) {
			for _, s := range starts {
				if !yield(s) {
					return
				}
			}
		}
	}
}

func (b *builder) starts(c *cell, keep func(metric string) bool) (all []StartValues) {
	g := c.gather(b.options.Whole)
	c.summarise(g, keep) // its notes are of a report
	names := slices.Sorted(maps.Keys(c.metrics))
	for _, k := range g.order {
		s := StartValues{Host: c.host, Version: c.version, Workload: c.workload, Group: c.group, Protocol: c.protocol, Driver: c.driver,
			Clients: c.clients, Operations: g.starts[k].operations}
		for _, name := range names {
			e := c.metrics[name]
			t := g.starts[k].of(e.measure(name))
			if t == nil || !t.usable() || t.state == result.Partial {
				continue
			}
			if v := t.value(); !math.IsNaN(v) && !math.IsInf(v, 0) {
				s.Values = append(s.Values, StartValue{name, v, e.Unit, e.Per, e.Source, e.Scope, b.table.of(name).Sense})
			}
		}
		if len(s.Values) > 0 {
			all = append(all, s)
		}
	}
	c.metrics = nil
	return all
}
