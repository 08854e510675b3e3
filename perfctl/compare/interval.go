package compare

import (
	"math"

	"golang.org/x/perf/benchmath"
)

// alpha is the chance that a single interval misses.
const alpha = 0.05

// exactStarts is the number of starts a side from which intervals assume
// nothing of the noise's shape: fewer cannot give 95% that way.
const exactStarts = 6

// interval gives the metric's 95% interval, or for a single window of a live
// server its edges' bounds. With six or more starts it is that
// of the median by order statistics, which assumes nothing of the noise's shape.
// Below that it is a t-interval of the mean logarithm, with the given noise. A
// median may lie outside the latter when one start is far off: then the interval
// is widened up to it.
func (e *estimate) interval(t *tables, s spread, known bool) {
	if e.N == 0 {
		return
	}
	if e.N >= exactStarts {
		sum := benchmath.AssumeNothing.Summary(benchmath.NewSample(e.values, &benchmath.DefaultThresholds), 1-alpha)
		e.setInterval(sum.Lo, sum.Hi)
		e.Method = "median, order statistics"
		return
	}
	switch {
	case e.edges != nil && !known:
		e.setInterval(e.edges[0], e.edges[1])
		e.Method = EdgesMethod
	case e.logs == nil:
		e.Method = "none: a start has 0 or less, which has no logarithm"
	case !known:
		e.Method = "none: one start, and no noise is known from others"
	default:
		m := mean(e.logs)
		half := t.t(s.df, alpha) * math.Sqrt(s.variance/float64(e.N))
		e.setInterval(math.Exp(m-half), math.Exp(m+half))
		e.Method = "t, " + s.how
	}
}

// EdgesMethod is the Method of bounds that are no 95% interval: how far off the
// value may be because a live server's counters and its operations were not
// read at the same moment.
const EdgesMethod = "edges"

// setInterval keeps finite bounds, and the value between them.
func (e *estimate) setInterval(lo, hi float64) {
	lo, hi = min(lo, *e.Value), max(hi, *e.Value)
	if !finite(lo) || !finite(hi) {
		return
	}
	e.Low, e.High = &lo, &hi
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
