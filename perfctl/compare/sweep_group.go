package compare

import (
	"cmp"
	"slices"
)

// groupLines are the median and the least good of each group, host and version
// at each number of clients. Their bounds are the same of the workloads' bounds:
// if all of these hold, so do they.
func groupLines(lines []SweepLine, m Metric) (groups []SweepLine) {
	type key struct{ host, group, driver, protocol, version string }
	at := map[key]map[int][]SweepPoint{}
	var order []key
	measured := func(workload string) bool {
		return slices.ContainsFunc(lines, func(l SweepLine) bool { return l.Workload == workload })
	}
	for _, l := range lines {
		if l.Group == "" || again(l.Workload, measured) {
			continue
		}
		k := key{l.Host, l.Group, l.Driver, l.Protocol, l.Version}
		if at[k] == nil {
			at[k] = map[int][]SweepPoint{}
			order = append(order, k)
		}
		for _, p := range l.Points {
			at[k][p.Clients] = append(at[k][p.Clients], p)
		}
	}
	for _, k := range order {
		for _, stat := range []string{OfMost, OfAll} {
			of := median
			switch {
			case stat == OfAll && m.Sense == Cost:
				of = func(sorted []float64) float64 { return sorted[len(sorted)-1] } // the costliest
			case stat == OfAll:
				of = func(sorted []float64) float64 { return sorted[0] }
			}
			l := SweepLine{Host: k.host, Group: k.group, Stat: stat, Driver: k.driver, Protocol: k.protocol, Version: k.version}
			for clients, ps := range at[k] {
				l.Points = append(l.Points, groupPoint(clients, ps, of))
			}
			slices.SortFunc(l.Points, func(a, b SweepPoint) int { return cmp.Compare(a.Clients, b.Clients) })
			groups = append(groups, l)
		}
	}
	return groups
}

func groupPoint(clients int, ps []SweepPoint, of func(sorted []float64) float64) SweepPoint {
	var ratios, lows, highs []float64
	for _, p := range ps {
		ratios = append(ratios, p.Ratio)
		if p.Low != nil && p.High != nil {
			lows, highs = append(lows, *p.Low), append(highs, *p.High)
		}
	}
	stat := func(xs []float64) float64 {
		slices.Sort(xs)
		return of(xs)
	}
	g := SweepPoint{Clients: clients, Ratio: stat(ratios), Workloads: len(ps)}
	if len(lows) == len(ps) {
		lo, hi := stat(lows), stat(highs)
		g.Low, g.High = &lo, &hi
	}
	return g
}
