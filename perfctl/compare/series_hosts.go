package compare

import (
	"math"
	"slices"
)

// disagreements finds where hosts differ: their ratios' intervals do not meet,
// or ratios of single runs differ by more than both hosts' limits. Hosts are
// compared at the same number of clients, or each at its own where it has one.
func (s Series) disagreements(limits map[linePlace]float64) (ds []Disagreement) {
	counts := map[string]map[int]bool{}
	for _, l := range s.Lines {
		if counts[l.Host] == nil {
			counts[l.Host] = map[int]bool{}
		}
		counts[l.Host][l.Clients] = true
	}
	ownClients := len(counts) > 1
	for _, c := range counts {
		ownClients = ownClients && len(c) == 1
	}
	type key struct {
		workload, driver string
		clients          int
	}
	of := map[key][]SeriesLine{}
	var order []key
	for _, l := range s.Lines {
		k := key{l.Workload, l.Driver, l.Clients}
		if ownClients {
			k.clients = 0
		}
		if of[k] == nil {
			order = append(order, k)
		}
		of[k] = append(of[k], l)
	}
	for _, k := range order {
		lines := of[k]
		for i, v := range s.Versions {
			d := Disagreement{Workload: k.workload, Version: v}
			limit := 0.0
			for _, l := range lines {
				if r := l.Points[i].VsBase; r != nil && !slices.ContainsFunc(d.Hosts, func(h HostRatio) bool { return h.Host == l.Host }) {
					d.Hosts = append(d.Hosts, HostRatio{l.Host, l.Clients, *r})
					d.Single = d.Single || single(r)
					limit = max(limit, limits[l.place()])
				}
			}
			if d.differ(limit) {
				ds = append(ds, d)
			}
		}
	}
	return ds
}

func (d Disagreement) differ(limit float64) bool {
	for i, a := range d.Hosts {
		for _, b := range d.Hosts[:i] {
			far := math.Abs(math.Log(a.R.Ratio / b.R.Ratio))
			switch {
			case d.Single && far > limit,
				!d.Single && far > math.Log1p(a.R.Threshold) && (*a.R.Low > *b.R.High || *b.R.Low > *a.R.High):
				return true
			}
		}
	}
	return false
}
