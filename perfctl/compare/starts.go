package compare

import (
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
// order. A metric that a cell has from several sources or scopes comes from the
// one that its report shows, and partial values are left out.
func Starts(runs []result.Run, o Options) (all []StartValues) {
	b := newBuilder(runs, o)
	for _, c := range b.all {
		perStart := map[startKey]tallies{}
		ops := map[startKey]int64{}
		var order []startKey
		for _, r := range c.runs {
			k := startOf(r)
			if perStart[k] == nil {
				perStart[k] = tallies{}
				order = append(order, k)
			}
			perStart[k].addRun(r)
			for _, p := range costly(r) {
				for _, w := range p.Windows {
					if w.State != result.Failed {
						ops[k] += w.Ops.N()
					}
				}
			}
		}
		for _, k := range order {
			s := StartValues{Host: c.host, Version: c.version, Workload: c.workload, Group: c.group, Protocol: c.protocol, Driver: c.driver,
				Clients: c.clients, Operations: ops[k]}
			for _, name := range slices.Sorted(maps.Keys(c.metrics)) {
				e := c.metrics[name]
				t := perStart[k][e.measure(name)]
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
	}
	return all
}
