package compare

import (
	"math"
)

// linePlace is where single runs share their noise.
type linePlace struct {
	host, driver string
	clients      int
}

func (l SeriesLine) place() linePlace { return linePlace{l.Host, l.Driver, l.Clients} }

// logs of the line's values, without the releases that lack one; where is the
// place of each among the points.
func (l SeriesLine) logs() (line []float64, where []int) {
	for i, p := range l.Points {
		if p.Value != nil && *p.Value > 0 {
			line, where = append(line, math.Log(*p.Value)), append(where, i)
		}
	}
	return line, where
}

// limits gives what a change between single runs has to exceed.
func (s Series) limits() map[linePlace]float64 {
	of := map[linePlace][][]float64{}
	for _, l := range s.Lines {
		line, _ := l.logs()
		of[l.place()] = append(of[l.place()], line)
	}
	limits := map[linePlace]float64{}
	for p, lines := range of {
		limits[p] = oddLimit(lines)
	}
	return limits
}

// markSteps marks the releases that changed the metric, and the odd ones among
// them: a change that a neighbouring release takes back.
func (l *SeriesLine) markSteps(limit float64, m Metric) {
	for i := range l.Points {
		p := &l.Points[i]
		switch {
		case p.VsPrevious == nil:
		case single(p.VsPrevious):
			p.Changed = math.Abs(math.Log(p.VsPrevious.Ratio)) > limit
		default:
			p.Changed = p.VsPrevious.Verdict == Slower || p.VsPrevious.Verdict == Faster ||
				m.Sense == Neither && beyondThreshold(*p.VsPrevious)
		}
	}
	line, where := l.logs()
	for i, at := range where {
		d := beyondNeighbours(line, i)
		if d == 0 {
			continue
		}
		p, next := &l.Points[at], l.Points[where[i+1]]
		odd := math.Abs(d) > limit
		if !single(p.VsPrevious) && !single(next.VsPrevious) {
			odd = p.Changed && next.Changed
		}
		if odd && p.Changed {
			p.Odd = math.Expm1(d)
		}
	}
}

// takenBack: the step to release i is one side of an odd release.
func (l SeriesLine) takenBack(i int) bool {
	if l.Points[i].Odd != 0 {
		return true
	}
	for j := i - 1; j >= 0; j-- {
		if l.Points[j].Value != nil {
			return l.Points[j].Odd != 0
		}
	}
	return false
}

func single(r *R) bool { return r == nil || r.Low == nil || r.High == nil || r.Method == EdgesMethod }

func beyondThreshold(r R) bool { return *r.Low > 1+r.Threshold || *r.High < 1-r.Threshold }

// evidence gives the other metrics of two releases.
func evidence(to, from Row, metric string) (es []Beside) {
	for _, name := range evidenceMetrics {
		v, ok := to.VsBase[name]
		if name == metric || !ok {
			continue
		}
		es = append(es, Beside{Metric: name, Value: to.Metrics[name].Value, Base: from.Metrics[name].Value, Ratio: &v.Ratio})
	}
	return es
}
