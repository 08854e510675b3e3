package compare

import (
	"math"

	"github.com/aclements/go-moremath/mathx"
	"github.com/aclements/go-moremath/stats"
)

// tables remembers quantiles and distributions within one comparison: a report
// asks for the same few thousands of times.
type tables struct {
	quantiles map[[2]float64]float64
	ranks     map[[3]int]float64
}

func newTables() *tables {
	return &tables{quantiles: map[[2]float64]float64{}, ranks: map[[3]int]float64{}}
}

// t is the two-sided quantile of Student's distribution: |T| is below it with
// probability 1-alpha. Infinite degrees of freedom: the normal distribution.
func (t *tables) t(df, alpha float64) float64 {
	key := [2]float64{df, alpha}
	q, ok := t.quantiles[key]
	if !ok {
		// Bisection on tail, which keeps its digits far out, where a quantile of
		// 1-alpha/2 would lose them.
		lo, hi := 0.0, 1.0
		for tail(df, hi) > alpha && hi < 1e12 {
			hi *= 2
		}
		for range 100 {
			mid := (lo + hi) / 2
			if tail(df, mid) > alpha {
				lo = mid
			} else {
				hi = mid
			}
		}
		q = (lo + hi) / 2
		t.quantiles[key] = q
	}
	return q
}

// tail is the probability that |T| is above x.
func tail(df, x float64) float64 {
	switch {
	case math.IsInf(x, 1):
		return 0
	case df > 1e6: // +Inf included
		return math.Erfc(x / math.Sqrt2)
	}
	return mathx.BetaInc(df/(df+x*x), df/2, 0.5)
}

// rank is the probability that the shift between two samples of n and m lies
// outside the k-th smallest and the k-th largest of their n*m differences, k
// from 1: 2 P(U <= k-1) by the Mann-Whitney distribution.
func (t *tables) rank(n, m, k int) float64 {
	key := [3]int{n, m, k}
	p, ok := t.ranks[key]
	if !ok {
		p = min(1, 2*stats.UDist{N1: n, N2: m}.CDF(float64(k-1)))
		t.ranks[key] = p
	}
	return p
}
