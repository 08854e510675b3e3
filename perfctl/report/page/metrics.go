package page

import (
	"cmp"
	"slices"

	"opcost/perfctl/compare"
	"opcost/perfctl/report"
)

// metricNames are the report's metrics, those that people look at most first:
// the chosen one, those of the tables, their parts, Small Datum's costs of the
// whole host, and the others by name.
func metricNames(r compare.Report, chosen string) []string {
	rank := map[string]int{chosen: -1}
	for i, name := range slices.Concat(report.TableMetrics(), report.CostsHost.Metrics()) {
		place := i
		if report.Part(name) {
			place += 1000
		}
		if _, ok := rank[name]; !ok {
			rank[name] = place
		}
	}
	seen := map[string]bool{}
	var names []string
	for _, row := range r.Rows {
		for name := range row.Metrics {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	place := func(name string) int {
		if i, ok := rank[name]; ok {
			return i
		}
		return 2000
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b)) })
	return names
}

func senseOf(name string) (sense int, known compare.Sense) {
	for _, m := range compare.Metrics {
		if m.Name == name {
			known = m.Sense
		}
	}
	switch known {
	case compare.Cost:
		return -1, known
	case compare.Gain:
		return 1, known
	}
	return 0, known
}

// columns makes metrics, and keeps what their values share.
type columns struct {
	in     Input
	look   *lookup
	facts  list[factKey]
	judged list[judged]
}

// factKey is a fact whose fraction can be compared.
type factKey struct {
	fact
	multiplexed bool
	fraction    float64
}

// metric is one column of the report.
func (c *columns) metric(name string) dataMetric {
	m := dataMetric{Name: name, Part: report.Part(name)}
	m.Sense, _ = senseOf(name)
	per := ""
	for i, row := range c.in.Report.Rows {
		v, ok := row.Metrics[name]
		if !ok {
			continue
		}
		per = cmp.Or(per, v.Per)
		m.At = append(m.At, i)
		m.Value, m.Low, m.High = append(m.Value, v.Value), append(m.Low, v.Low), append(m.High, v.High)
		m.Fact = append(m.Fact, c.facts.of(keyOf(v)))
		r, ok := row.VsBase[name]
		if !ok {
			m.Ratio, m.RLow, m.RHigh, m.Judged = append(m.Ratio, nil), append(m.RLow, nil), append(m.RHigh, nil), append(m.Judged, -1)
			continue
		}
		m.Ratio, m.RLow, m.RHigh = append(m.Ratio, &r.Ratio), append(m.RLow, r.Low), append(m.RHigh, r.High)
		m.Judged = append(m.Judged, c.judged.of(judged{string(r.Verdict), r.Method, r.Threshold, r.Level, r.MoreStarts, r.Reason}))
	}
	if len(m.At) == len(c.in.Report.Rows) {
		m.At = nil
	}
	m.Label = report.Label(name, per)
	m.Medians = c.medians(name)
	m.Sweep = c.sweep(name)
	m.Series = c.series(name)
	return m
}

// medians sum the groups up.
func (c *columns) medians(name string) (all []numbers) {
	for _, t := range compare.RelativeOf(c.in.Report, name).Tables {
		for _, g := range t.Groups {
			for i, s := range g.Summary {
				if s.N == 0 {
					continue
				}
				all = append(all, numbers{whole(c.look.places.of(place(t.Host, t.Driver, t.Protocol))), whole(t.Clients), whole(c.look.groups.of(g.Group)),
					whole(c.look.versions.of(t.Versions[i])), whole(s.N), s.Median, s.Minimum, s.Maximum})
			}
		}
	}
	return all
}

func whole(n int) *float64 {
	x := float64(n)
	return &x
}

func keyOf(v compare.M) factKey {
	k := factKey{fact: fact{v.N, v.Unit, v.Per, string(v.Source), string(v.Scope), string(v.State), v.Reason, v.Remedy, v.Method, nil}}
	if v.RunningFraction != nil {
		k.multiplexed, k.fraction = true, *v.RunningFraction
	}
	return k
}

func (k factKey) whole() fact {
	f := k.fact
	if k.multiplexed {
		f.Fraction = &k.fraction
	}
	return f
}
