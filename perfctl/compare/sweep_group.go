package compare

import (
	"cmp"
	"slices"
)

// groupLines are the median and the least good of each group, host and version
// at each number of clients. Their bounds are the same of the workloads' bounds:
// if all of these hold, so do they. Of an even number of workloads the median
// lies between two, and half of them is not most: its bounds are the lower one's
// low and the upper one's high.
func groupLines(lines []SweepLine, m Metric) (groups []SweepLine) {
	type key struct{ host, group, driver, protocol, version string }
	at := map[key]map[int][]SweepPoint{}
	var order []key
	type line struct{ host, driver, protocol, version, workload string }
	have := map[line]bool{}
	for _, l := range lines {
		have[line{l.Host, l.Driver, l.Protocol, l.Version, l.Workload}] = true
	}
	for _, l := range lines {
		measured := func(workload string) bool { return have[line{l.Host, l.Driver, l.Protocol, l.Version, workload}] }
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
			from := func(n int) (below, above int) { return (n - 1) / 2, n / 2 }
			switch {
			case stat == OfAll && m.Sense == Cost:
				from = func(n int) (int, int) { return n - 1, n - 1 } // the costliest
			case stat == OfAll:
				from = func(int) (int, int) { return 0, 0 }
			}
			l := SweepLine{Host: k.host, Group: k.group, Stat: stat, Driver: k.driver, Protocol: k.protocol, Version: k.version}
			for clients, ps := range at[k] {
				l.Points = append(l.Points, groupPoint(clients, ps, from))
			}
			slices.SortFunc(l.Points, func(a, b SweepPoint) int { return cmp.Compare(a.Clients, b.Clients) })
			groups = append(groups, l)
		}
	}
	return groups
}

// groupPoint sums a group up at one number of clients by the ratios that from
// names of so many in order; two, where their middle is meant.
func groupPoint(clients int, ps []SweepPoint, from func(n int) (below, above int)) SweepPoint {
	var ratios, lows, highs []float64
	for _, p := range ps {
		ratios = append(ratios, p.Ratio)
		if p.Low != nil && p.High != nil {
			lows, highs = append(lows, *p.Low), append(highs, *p.High)
		}
	}
	slices.Sort(ratios)
	below, above := from(len(ps))
	g := SweepPoint{Clients: clients, Ratio: ratios[below]/2 + ratios[above]/2, Workloads: len(ps), middle: [2]float64{ratios[below], ratios[above]}}
	if below == above {
		g.Ratio = ratios[below]
	}
	if len(lows) == len(ps) {
		slices.Sort(lows)
		slices.Sort(highs)
		g.Low, g.High = &lows[below], &highs[above]
	}
	return g
}
