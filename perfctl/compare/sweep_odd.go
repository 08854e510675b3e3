package compare

import (
	"math"
)

// markOdd finds the points that neither neighbour shares, see [oddLimit]; where
// there are intervals, the point's must lie beyond both neighbours' and the
// point by more than the metric's threshold.
func markOdd(lines []SweepLine, m Metric) {
	type key struct{ host, driver, version string }
	logs := make([][]float64, len(lines))
	of := map[key][][]float64{}
	for i, l := range lines {
		for _, p := range l.Points {
			logs[i] = append(logs[i], math.Log(p.Ratio))
		}
		if l.Workload != "" {
			k := key{l.Host, l.Driver, l.Version}
			of[k] = append(of[k], logs[i])
		}
	}
	limits := map[key]float64{}
	for k, ls := range of {
		limits[k] = oddLimit(ls)
	}
	for i, l := range lines {
		if l.Workload == "" {
			continue
		}
		within := make([]bounds, 0, len(l.Points))
		for _, p := range l.Points {
			if p.Low != nil && p.High != nil && *p.Low > 0 {
				within = append(within, bounds{math.Log(*p.Low), math.Log(*p.High)})
			}
		}
		for j := range l.Points {
			d := beyondNeighbours(logs[i], j)
			odd := math.Abs(d) > limits[key{l.Host, l.Driver, l.Version}]
			if len(within) == len(l.Points) {
				odd = beyondInterval(logs[i], within, j, math.Log1p(m.Threshold))
			}
			if odd {
				lines[i].Points[j].Odd = math.Expm1(d)
			}
		}
	}
}

// beside gives the costs in one place, of a version and the base.
func beside(row, base Row) (bs []Beside) {
	for _, name := range besideMetrics {
		m, mb := row.Metrics[name], base.Metrics[name]
		if m.Value == nil {
			continue
		}
		b := Beside{Metric: name, Value: m.Value, Base: mb.Value}
		if v, ok := row.VsBase[name]; ok {
			b.Ratio = &v.Ratio
		}
		bs = append(bs, b)
	}
	return bs
}
