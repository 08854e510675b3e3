package diff

import (
	"maps"

	"opcost/profiles/granularity"
	"opcost/profiles/subsystem"
)

// cell is a row while it is added up.
type cell struct {
	key    granularity.Key
	place  string       // of a subsystem's row
	rates  [2][]float64 // per operation, by side and repeat
	square [2][]float64 // the sum of the samples' squared periods, per squared operation
	places map[subsystem.Placed]float64
}

const (
	baseSide = 0
	newSide  = 1
)

// cells are the rows of a comparison by their keys.
type cells[K comparable] struct {
	at    map[K]*cell
	order []*cell
	sides [2]int // repeats of each
}

func newCells[K comparable](base, new int) *cells[K] {
	return &cells[K]{at: map[K]*cell{}, sides: [2]int{base, new}}
}

// add adds a stack's own cost, already per operation.
func (cs *cells[K]) add(k K, side, repeat int, rate, square float64, place subsystem.Placed) *cell {
	c := cs.at[k]
	if c == nil {
		c = &cell{places: map[subsystem.Placed]float64{}}
		for s, n := range cs.sides {
			c.rates[s], c.square[s] = make([]float64, n), make([]float64, n)
		}
		cs.at[k] = c
		cs.order = append(cs.order, c)
	}
	c.rates[side][repeat] += rate
	c.square[side][repeat] += square
	// Both sides count alike for the place, however many repeats they have.
	c.places[place] += rate / float64(cs.sides[side])
	return c
}

func mean(vs []float64) float64 {
	sum := 0.0
	for _, v := range vs {
		sum += v
	}
	return sum / float64(len(vs))
}

// mostly is the place with the most cost, the first by name of equal ones, and
// the share of the cost that was placed by a caller.
func (c *cell) mostly() (place string, inherited float64) {
	sum, most := 0.0, -1.0
	for p, w := range c.places {
		sum += w
		if p.Inherited {
			inherited += w
		}
		if w > most || w == most && p.Subsystem < place {
			place, most = p.Subsystem, w
		}
	}
	if sum > 0 {
		return place, inherited / sum
	}
	return place, 0
}

// join is the cell of several.
func join(cs []*cell) *cell {
	out := &cell{places: map[subsystem.Placed]float64{}}
	for s := range out.rates {
		out.rates[s], out.square[s] = make([]float64, len(cs[0].rates[s])), make([]float64, len(cs[0].rates[s]))
	}
	for _, c := range cs {
		for s := range c.rates {
			for i := range c.rates[s] {
				out.rates[s][i] += c.rates[s][i]
				out.square[s][i] += c.square[s][i]
			}
		}
		for p, w := range maps.All(c.places) {
			out.places[p] += w
		}
	}
	return out
}
