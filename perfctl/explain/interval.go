package explain

import (
	"math"

	"github.com/aclements/go-moremath/stats"

	"opcost/perfctl/compare"
)

// confidence of the intervals of what compare gives none for.
const confidence = 0.95

// bound is an interval; nil ends where the starts are too few to say.
type bound struct{ low, high *float64 }

// around makes the interval hold the value that it is of.
func around(low, high, value float64) bound {
	low, high = min(low, value), max(high, value)
	if math.IsNaN(low) || math.IsInf(low, 0) || math.IsNaN(high) || math.IsInf(high, 0) {
		return bound{}
	}
	return bound{&low, &high}
}

// difference is the t-interval of a difference of means, with the variance
// pooled over both sides, made to hold value.
func difference(bases, news []float64, value float64) bound {
	df := len(bases) + len(news) - 2
	if len(bases) == 0 || len(news) == 0 || df < 1 {
		return bound{}
	}
	mb, sb := meanAndSquares(bases)
	mn, sn := meanAndSquares(news)
	t := stats.InvCDF(stats.TDist{V: float64(df)})(0.5 + confidence/2)
	half := t * math.Sqrt((sb+sn)/float64(df)*(1/float64(len(bases))+1/float64(len(news))))
	return around(mn-mb-half, mn-mb+half, value)
}

func meanAndSquares(vs []float64) (mean, squares float64) {
	for _, v := range vs {
		mean += v / float64(len(vs))
	}
	for _, v := range vs {
		squares += (v - mean) * (v - mean)
	}
	return mean, squares
}

// delta is the interval of a metric's difference, by that of its ratio, else by
// its starts. The base counts as known: what is asked is how far the new side
// is from it.
func (c change) delta() bound {
	if c.r != nil && c.r.Low != nil && c.r.High != nil && c.r.Method != compare.EdgesMethod {
		return around(c.base*(*c.r.Low-1), c.base*(*c.r.High-1), c.new-c.base)
	}
	return difference(c.bases, c.news, c.new-c.base)
}

// logs is the interval of the logarithm of a factor's ratio, likewise.
func (c change) logs() bound {
	value := math.Log(c.new / c.base)
	if c.r != nil && c.r.Low != nil && c.r.High != nil && *c.r.Low > 0 && c.r.Method != compare.EdgesMethod {
		return around(math.Log(*c.r.Low), math.Log(*c.r.High), value)
	}
	return difference(logsOf(c.bases), logsOf(c.news), value)
}

// logsOf is nil where one has no logarithm.
func logsOf(vs []float64) []float64 {
	out := make([]float64, len(vs))
	for i, v := range vs {
		if v <= 0 {
			return nil
		}
		out[i] = math.Log(v)
	}
	return out
}

// derived is a quantity made of several metrics of one start, start by start.
func derived(starts []compare.StartValues, metrics []string, from func(vs []float64) float64) (out []float64) {
	for _, s := range starts {
		vs := make([]float64, len(metrics))
		found := 0
		for _, v := range s.Values {
			for i, m := range metrics {
				if v.Metric == m {
					vs[i] = v.Value
					found++
				}
			}
		}
		if found < len(metrics) {
			continue
		}
		if x := from(vs); !math.IsNaN(x) && !math.IsInf(x, 0) {
			out = append(out, x)
		}
	}
	return out
}

// derive makes such a quantity of both sides, of the medians of its metrics.
func (f *facts) derive(name string, metrics []string, from func(vs []float64) float64) (change, bool) {
	bases, news := make([]float64, len(metrics)), make([]float64, len(metrics))
	for i, m := range metrics {
		c, ok := f.of(m)
		if !ok {
			return change{}, false
		}
		bases[i], news[i] = c.base, c.new
	}
	return change{name: name, base: from(bases), new: from(news),
		bases: derived(f.baseStarts, metrics, from), news: derived(f.newStarts, metrics, from)}, true
}
