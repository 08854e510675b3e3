package compare

import (
	"fmt"
	"math"

	"opcost/perfctl/result"
)

// NoiseKey names what a stored noise is of: workloads of one group differ less
// from each other than from those of another.
type NoiseKey struct {
	Host    string
	Metric  string
	Source  result.Source
	Scope   result.Scope
	Group   string
	Clients int
}

// Noise is the noise of one metric between server starts where nothing differs.
type Noise struct {
	// SD is the standard deviation of the natural logarithm of a start's value.
	// (The log ratio of two single starts has √2 times that.)
	SD float64
	// DF is its degrees of freedom; 0: so many that SD counts as known.
	DF float64
	// Cells is how many cells it was pooled over.
	Cells int
}

// FloorMethod is in the Method of what was found with a stored noise.
const FloorMethod = "this machine's noise floor"

func (n Noise) spread() spread {
	s := spread{n.SD * n.SD, n.DF, fmt.Sprintf("%s (%.2g%%", FloorMethod, 100*n.SD)}
	if n.DF <= 0 {
		s.df = math.Inf(1)
		s.how += ")"
		return s
	}
	s.how += fmt.Sprintf(", %g df)", n.DF)
	return s
}

// FloorOf estimates the noise between server starts from A/A measurements: for
// each cell (one version, workload and number of clients) the scatter of its
// starts' logarithms around their mean, pooled over the cells of a group. It
// leaves out what has no two starts, what is partial, and what did not scatter
// at all: a noise of 0 is more than some starts can show.
func FloorOf(runs []result.Run) map[NoiseKey]Noise {
	sums := map[NoiseKey]group{}
	for _, c := range cells(runs, nil) {
		c.summarise(c.gather(nil), nil) // its notes are about the values, which no one is shown here
		for name, e := range c.metrics {
			if e.State == result.Partial || len(e.logs) < 2 {
				continue
			}
			k := NoiseKey{c.host, name, e.Source, e.Scope, c.group, c.clients}
			g := sums[k]
			g.squares += squares(e.logs)
			g.df += float64(len(e.logs) - 1)
			g.cells++
			sums[k] = g
		}
	}
	floor := map[NoiseKey]Noise{}
	for k, g := range sums {
		if g.squares > 0 {
			floor[k] = Noise{SD: math.Sqrt(g.variance()), DF: g.df, Cells: g.cells}
		}
	}
	return floor
}
