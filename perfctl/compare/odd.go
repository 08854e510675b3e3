package compare

import (
	"math"
	"slices"
)

// singleRunLimit is the least change between single runs that is called one: a
// restart of the server alone moves point queries by 3%.
const singleRunLimit = 0.05

// beyondNeighbours says how far the i-th of a line's values lies outside what
// its two neighbours span: above 0 a rise, below 0 a fall that neither shares; 0
// where it lies between them, and at a line's ends, which have one neighbour. So
// a line that only rises, or only falls, has nothing odd in it.
func beyondNeighbours(line []float64, i int) float64 {
	if i < 1 || i > len(line)-2 {
		return 0
	}
	lo, hi := min(line[i-1], line[i+1]), max(line[i-1], line[i+1])
	switch y := line[i]; {
	case y > hi:
		return y - hi
	case y < lo:
		return y - lo
	}
	return 0
}

// leastToJudge is the number of inner values from which lines tell their noise.
const leastToJudge = 8

// oddLimit is how far beyond its neighbours a value of single runs must lie, as
// a logarithm: 5%, or three times the noise that the lines themselves show, if
// that is more. That noise is 1.4826 times the median of how far the inner
// values of all lines lie beyond their neighbours, less what most lines do at
// the same place (which is no noise): most lines are smooth, and where they are
// not, it is noise that makes them zigzag.
func oddLimit(lines [][]float64) float64 {
	at := map[int][]float64{}
	for _, line := range lines {
		for i := 1; i < len(line)-1; i++ {
			at[i] = append(at[i], beyondNeighbours(line, i))
		}
	}
	var beyond []float64
	for _, ds := range at {
		slices.Sort(ds)
		shared := median(ds)
		for _, d := range ds {
			beyond = append(beyond, math.Abs(d-shared))
		}
	}
	limit := math.Log1p(singleRunLimit)
	if len(beyond) < leastToJudge {
		return limit
	}
	slices.Sort(beyond)
	return max(limit, 3*1.4826*median(beyond))
}

// bounds of a value on a line, as logarithms.
type bounds struct{ lo, hi float64 }

// beyondInterval tells whether the i-th value's whole interval lies on the one
// side of both its neighbours' intervals, by more than limit in the middle.
func beyondInterval(line []float64, within []bounds, i int, limit float64) bool {
	d := beyondNeighbours(line, i)
	switch {
	case math.Abs(d) <= limit:
		return false
	case d > 0:
		return within[i].lo > max(within[i-1].hi, within[i+1].hi)
	}
	return within[i].hi < min(within[i-1].lo, within[i+1].lo)
}
