package compare

import (
	"math"
	"slices"
)

// shift is the difference of two cells' logarithms, and how far it can be
// trusted: by ranks with six or more starts a side, else by t.
type shift struct {
	center float64 // logarithm of the ratio of the medians
	sigma  float64 // SD between starts, for the number of further starts
	starts int     // of the side that has fewer
	method string
	// pairs are all differences of a start of one side and one of the other,
	// sorted; nil when the interval is by t.
	pairs []float64
	n, m  int
	// the t-interval is around mean, with a standard error
	mean, se, df float64
	known        bool // there is an interval at all
	// edges bound the ratio of two single windows of a live server; nil
	// otherwise. They are no interval of any probability.
	edges *[2]float64
	t     *tables
}

// newShift compares two estimates of one measure. It needs both medians above 0.
// Without logarithms, or without any knowledge of the noise (ok), there is no
// interval.
//
// strictest is the smallest alpha that may be asked for, see verdicts: where so
// few starts cannot reach it by ranks whatever their values, t is used.
func newShift(e, base *estimate, sp spread, ok bool, strictest float64, t *tables) *shift {
	s := &shift{center: math.Log(*e.Value / *base.Value), starts: min(e.N, base.N), n: e.N, m: base.N, t: t}
	if e.edges != nil && base.edges != nil && base.edges[0] > 0 {
		s.method = EdgesMethod
		s.edges = &[2]float64{e.edges[0] / base.edges[1], e.edges[1] / base.edges[0]}
		return s
	}
	if e.logs == nil || base.logs == nil {
		s.method = "none: a start has 0 or less, which has no logarithm"
		return s
	}
	if ok {
		s.sigma = math.Sqrt(sp.variance)
	}
	if s.starts >= exactStarts && e.N*base.N <= 10_000 {
		if t.rank(e.N, base.N, 1) <= strictest {
			s.pairs, s.known, s.method = pairs(e.logs, base.logs), true, "Mann-Whitney, Hodges-Lehmann"
			return s
		}
	}
	if !ok {
		s.method = "none: one start a side, and no noise is known"
		return s
	}
	s.known, s.method = true, "t, "+sp.how
	s.mean, s.df = mean(e.logs)-mean(base.logs), sp.df
	s.se = math.Sqrt(sp.variance * (1/float64(e.N) + 1/float64(base.N)))
	return s
}

func pairs(xs, ys []float64) []float64 {
	ds := make([]float64, 0, len(xs)*len(ys))
	for _, x := range xs {
		for _, y := range ys {
			ds = append(ds, x-y)
		}
	}
	slices.Sort(ds)
	return ds
}

// interval of the ratio that misses with probability alpha at most. It always
// holds the ratio of the medians.
func (s *shift) interval(alpha float64) (lo, hi float64, ok bool) {
	switch {
	case s.edges != nil:
		return s.edges[0], s.edges[1], true
	case !s.known:
		return 0, 0, false
	case s.pairs != nil:
		k := s.ranked(func(k int) bool { return s.t.rank(s.n, s.m, k) <= alpha })
		if k == 0 {
			return 0, 0, false
		}
		lo, hi = s.pairs[k-1], s.pairs[len(s.pairs)-k]
	default:
		half := s.t.t(s.df, alpha) * s.se
		lo, hi = s.mean-half, s.mean+half
	}
	lo, hi = math.Exp(min(lo, s.center)), math.Exp(max(hi, s.center))
	return lo, hi, finite(lo) && finite(hi)
}

// ranked is the largest k for which a condition holds that holds up to some k.
func (s *shift) ranked(holds func(k int) bool) int {
	lo, hi := 0, (len(s.pairs)+1)/2
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if holds(mid) {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

// p is the smallest alpha whose interval does not hold 1: the two-sided p-value
// of "there is no change". 1: all of them hold it.
func (s *shift) p() float64 {
	switch {
	case !s.known:
		return 1
	case s.pairs != nil:
		n := len(s.pairs)
		k := 1
		if s.center > 0 {
			for k <= (n+1)/2 && s.pairs[k-1] <= 0 {
				k++
			}
		} else {
			for k <= (n+1)/2 && s.pairs[n-k] >= 0 {
				k++
			}
		}
		if s.center == 0 || k > (n+1)/2 {
			return 1
		}
		return s.t.rank(s.n, s.m, k)
	case s.mean*s.center <= 0: // the interval is widened up to the medians' ratio
		return 1
	case s.se == 0:
		return 0
	}
	return tail(s.df, math.Abs(s.mean)/s.se)
}

// more is about how many further starts a side would tell, if the median and
// the noise stay as they are; 0 when that cannot be said, or is above 999.
func (s *shift) more(threshold, alpha float64) int {
	room := min(math.Abs(s.center-math.Log(1-threshold)), math.Abs(s.center-math.Log(1+threshold)))
	if s.sigma == 0 || room == 0 {
		return 0
	}
	// The half-width t σ √(2/n) falls with n, also through the t of more degrees
	// of freedom, so the answer is found by bisection.
	reaches := func(n int) bool {
		df := max(s.df, float64(2*n-2))
		return tail(df, room/(s.sigma*math.Sqrt(2/float64(n)))) <= alpha
	}
	lo, hi := s.starts, s.starts+999
	if !reaches(hi) {
		return 0
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; reaches(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi - s.starts
}
