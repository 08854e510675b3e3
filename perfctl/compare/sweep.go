package compare

import (
	"cmp"
	"fmt"
	"slices"

	"opcost/perfctl/result"
)

// Sweep is how ratios to the base change with the number of clients.
type Sweep struct {
	Schema   int              `json:"schema"`
	Base     string           `json:"base"`
	Metric   string           `json:"metric"`
	Lines    []SweepLine      `json:"lines"`
	Warnings []result.Warning `json:"warnings"`
}

// Stats of a sweep's line.
const (
	OfWorkload = ""        // one workload
	OfMost     = "median"  // the median of a group: what most of it does
	OfAll      = "minimum" // the least good ratio of a group: what all of it does
)

// SweepLine is one version of one workload, or of a whole group, over the
// numbers of clients.
type SweepLine struct {
	Host      string       `json:"host"`
	Group     string       `json:"group"`
	Workload  string       `json:"workload"` // "" for a group
	Stat      string       `json:"stat"`
	Driver    string       `json:"driver"`
	Protocol  string       `json:"protocol"`
	Version   string       `json:"version"`
	Points    []SweepPoint `json:"points"`
	Crossover Crossover    `json:"crossover"`
}

// SweepPoint is one number of clients.
type SweepPoint struct {
	Clients int      `json:"clients"`
	Ratio   float64  `json:"ratio"`
	Low     *float64 `json:"low"` // null for single runs
	High    *float64 `json:"high"`
	// Odd is by how much the ratio lies beyond those of both neighbouring numbers
	// of clients (0.1: 10% above the higher one), where that is odd; else 0.
	Odd float64 `json:"odd,omitempty"`
	// Beside are the costs at an odd point.
	Beside []Beside `json:"beside,omitempty"`
	// Workloads stand behind a group's ratio; 0 for a workload.
	Workloads int `json:"workloads,omitempty"`

	// middle are a group's ratios that bound what its standing is judged by.
	middle   [2]float64
	standing standing
	row      Row
}

// Beside is another metric where something is odd: in this version and in the base.
type Beside struct {
	Metric string   `json:"metric"`
	Value  *float64 `json:"value"`
	Base   *float64 `json:"base"`
	Ratio  *float64 `json:"ratio"`
}

// anyProtocol stands for the only one that the base has, see pairs.
const anyProtocol = "*"

// besideMetrics explain a fall or a rise: ours, then those of the whole host.
var besideMetrics = []string{"cpu_us_per_query", "context_switches_per_query", "cpu/o", "cs/o"}

// SweepMetrics are the metrics that a report must hold for SweepOf.
func SweepMetrics(metric string) []string { return append([]string{metric}, besideMetrics...) }

// SweepOf takes one metric's ratios from a report over the numbers of clients. A
// metric of which more is neither faster nor slower is an error.
func SweepOf(r Report, metric string) (Sweep, error) {
	known := newMetricTable().of(metric)
	if known.Sense == Neither {
		return Sweep{}, fmt.Errorf("of the metric %q more is neither faster nor slower: take qps, response_us, instructions_per_query or cpu_us_per_query", metric)
	}
	s := Sweep{Schema: Schema, Base: r.Base, Metric: metric, Warnings: r.Warnings}
	type key struct{ host, group, workload, driver, protocol, version string }
	type at struct {
		host, workload, driver, protocol string
		clients                          int
	}
	lines := map[key]*SweepLine{}
	bases := map[at]Row{}
	var order []key
	for _, row := range r.Rows {
		if row.Version == r.Base {
			bases[at{row.Host, row.Workload, row.Driver, row.Protocol, row.Clients}] = row
			bases[at{row.Host, row.Workload, row.Driver, anyProtocol, row.Clients}] = row
		}
		v, ok := row.VsBase[metric]
		if !ok || row.Clients < 1 {
			continue
		}
		k := key{row.Host, row.Group, row.Workload, row.Driver, row.Protocol, row.Version}
		l := lines[k]
		if l == nil {
			l = &SweepLine{Host: row.Host, Group: row.Group, Workload: row.Workload, Driver: row.Driver, Protocol: row.Protocol, Version: row.Version}
			lines[k] = l
			order = append(order, k)
		}
		p := SweepPoint{Clients: row.Clients, Ratio: v.Ratio, row: row}
		if v.Method != EdgesMethod {
			p.Low, p.High = v.Low, v.High
		}
		l.Points = append(l.Points, p)
	}
	for _, k := range order {
		slices.SortFunc(lines[k].Points, func(a, b SweepPoint) int { return cmp.Compare(a.Clients, b.Clients) })
		s.Lines = append(s.Lines, *lines[k])
	}
	s.Lines = append(s.Lines, groupLines(s.Lines, known)...)
	places := map[string]int{}
	for i, v := range r.Versions {
		places[v] = i
	}
	hosts := map[string]int{}
	for i := range r.Rows {
		if _, ok := hosts[r.Rows[i].Host]; !ok {
			hosts[r.Rows[i].Host] = len(hosts)
		}
	}
	slices.SortStableFunc(s.Lines, func(a, b SweepLine) int {
		return cmp.Or(cmp.Compare(hosts[a.Host], hosts[b.Host]), cmp.Compare(a.Driver, b.Driver), cmp.Compare(a.Protocol, b.Protocol),
			cmp.Compare(place(groupOrder, a.Group), place(groupOrder, b.Group)), cmp.Compare(a.Group, b.Group),
			cmp.Compare(min(1, len(a.Workload)), min(1, len(b.Workload))), // a group before its workloads
			workloadOrder(a.Group, a.Workload, b.Group, b.Workload), cmp.Compare(a.Stat, b.Stat),
			cmp.Compare(places[a.Version], places[b.Version]))
	})
	markOdd(s.Lines, known)
	for i := range s.Lines {
		l := &s.Lines[i]
		for j := range l.Points {
			p := &l.Points[j]
			p.standing = stand(*p, known)
			if p.Odd != 0 && l.Workload != "" {
				base, ok := bases[at{l.Host, l.Workload, l.Driver, l.Protocol, p.Clients}]
				if !ok {
					base = bases[at{l.Host, l.Workload, l.Driver, anyProtocol, p.Clients}]
				}
				p.Beside = beside(p.row, base)
			}
		}
		l.Crossover = crossover(*l, r.Base, metric)
	}
	return s, nil
}
