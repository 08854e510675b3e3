package diff

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

// The intervals by which a change is told from noise. There are hundreds of rows:
// at 95% a dozen would stand out by chance alone. The whole change is one number.
const (
	ofRows  = 0.99
	ofTotal = 0.95
)

// noise knows how far costs move by themselves.
type noise struct {
	counted    bool
	confidence float64
	// one is the square of one sample's mean period per operation, for each side.
	// It stands for the sample that might have come: without it a function that
	// was seen once would be known exactly, and one never seen too.
	one [2]float64
}

// of is the same at another confidence.
func (n noise) of(confidence float64) noise {
	n.confidence = confidence
	return n
}

// uncertainty is half the width of the interval of a cell's change; known is false
// where neither repeats nor samples tell.
func (n noise) uncertainty(c *cell) (half float64, known bool) {
	if h, ok := n.spread(c.rates); ok {
		half, known = h, true
	}
	if h, ok := n.sampled(c); ok {
		half, known = max(half, h), true
	}
	return half, known
}

// spread is a t-interval of the difference of the means, with the variance pooled
// over both sides. It takes a side with a single profile too, if the other has
// more.
func (n noise) spread(rates [2][]float64) (half float64, known bool) {
	df, ss, width := 0, 0.0, 0.0
	for _, side := range rates {
		m := mean(side)
		for _, v := range side {
			ss += (v - m) * (v - m)
		}
		df += len(side) - 1
		width += 1 / float64(len(side))
	}
	if df < 1 {
		return 0, false
	}
	return n.student(df) * math.Sqrt(ss/float64(df)*width), true
}

// sampled is the interval that the numbers of samples give: each sample is a draw
// of its period, so the variance of a sum is the sum of the squared periods.
func (n noise) sampled(c *cell) (half float64, known bool) {
	if n.counted {
		return 0, false
	}
	variance := 0.0
	for s, squares := range c.square {
		k := float64(len(squares))
		sum := 0.0
		for _, v := range squares {
			sum += v
		}
		variance += (sum + n.one[s]) / (k * k)
	}
	return n.normal() * math.Sqrt(variance), n.one[baseSide] > 0 || n.one[newSide] > 0
}

// normal is the two-sided quantile of the normal distribution.
func (n noise) normal() float64 { return stats.StdNormal.InvCDF(0.5 + n.confidence/2) }

// student is the two-sided quantile of Student's distribution.
func (n noise) student(df int) float64 {
	if df > 200 {
		return n.normal()
	}
	return stats.InvCDF(stats.TDist{V: float64(df)})(0.5 + n.confidence/2)
}
