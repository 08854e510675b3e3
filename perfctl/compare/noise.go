package compare

import (
	"fmt"
	"math"
	"slices"
)

// spread is the noise between server starts that intervals are made of: the
// variance of the logarithm of a start's value.
type spread struct {
	variance float64
	df       float64 // +Inf: known
	how      string  // for the reader: "variance pooled over 8 cells, 24 df"
}

// group is the spread of one family's cells: the squares of the deviations of
// logs from their cell's mean, and their degrees of freedom.
type group struct {
	squares, df float64
	cells       int
}

func (g group) variance() float64 { return g.squares / g.df }

// newNoise learns from all cells how much starts differ where nothing differs. A
// cell's own few starts say little about it, so the cells of the experiment lend
// each other theirs.
//
// They do so only as far as they agree: workloads differ in noise (writes vary
// 7-9% where reads vary 0.05%), and one variance for all would call a noisy
// workload slower. So a family's variance is the weighted mean of its own and
// the experiment's, the weight of the latter being estimated from how much the
// families' variances scatter beyond chance: the moderated t of G. K. Smyth,
// Linear models and empirical Bayes methods, Stat. Appl. Genet. Mol. Biol. 3(1)
// (2004), sections 4 and 6. Families that scatter by chance alone are pooled outright.
//
// A stored noise floor is the least that is believed, and stands alone where no
// cell has two starts.
func newNoise(all []*kin, floor map[NoiseKey]Noise) noise {
	// Always in the same order, so that sums round in the same way.
	sorted := slices.SortedFunc(slices.Values(all), func(a, b *kin) int { return a.family.compare(b.family) })
	groups := map[measure][]group{}
	for _, k := range sorted {
		for m, g := range k.own {
			groups[m] = append(groups[m], g)
		}
	}
	n := noise{map[measure]prior{}, floor}
	for m, by := range groups {
		n.priors[m] = fitPrior(by)
	}
	return n
}

// noise is what all cells say of how much starts differ.
type noise struct {
	priors map[measure]prior
	floor  map[NoiseKey]Noise
}

// of gives the spread of a metric's measure in a family of cells.
func (n noise) of(m measure, k *kin) (spread, bool) {
	s, ok := spread{}, false
	if p, has := n.priors[m]; has {
		s, ok = p.spread(k.own[m]), true
	}
	if len(n.floor) == 0 {
		return s, ok
	}
	if f, has := n.floor[NoiseKey{k.host, m.name, m.source, m.scope, k.kind(), k.clients}]; has && (!ok || f.SD*f.SD > s.variance) {
		return f.spread(), true
	}
	return s, ok
}

// learn adds what the starts of a cell say of the family's noise.
func (k *kin) learn(c *cell, common packing) {
	for name, e := range c.metrics {
		if len(e.logs) < 2 {
			continue
		}
		m := e.measure(common.name(name))
		g := k.own[m]
		g.squares += squares(e.logs)
		g.df += float64(len(e.logs) - 1)
		g.cells++
		k.own[m] = g
	}
}

// prior is what the families of an experiment say together.
type prior struct {
	all      group
	variance float64
	df       float64            // +Inf: the families differ by chance alone
	how      map[float64]string // for the reader, by the degrees of freedom of a family's own
}

// spread of one family, given the prior. g may be empty: the family has no two
// starts of one cell.
func (p prior) spread(g group) spread {
	if math.IsInf(p.df, 1) {
		return spread{p.all.variance(), p.all.df, p.how[0]}
	}
	df := p.df + g.df
	return spread{(p.df*p.variance + g.squares) / df, df, p.how[g.df]}
}

// words are made once for all the families that have the same.
func (p *prior) words(by []group) {
	if math.IsInf(p.df, 1) {
		p.how = map[float64]string{0: fmt.Sprintf("variance pooled over %d cells, %g df", p.all.cells, p.all.df)}
		return
	}
	p.how = map[float64]string{}
	for _, g := range append(by, group{}) {
		if _, ok := p.how[g.df]; !ok {
			p.how[g.df] = fmt.Sprintf("variance of its own cells (%g df) moderated by all %d cells (as %.3g df)", g.df, p.all.cells, p.df)
		}
	}
}

// fitPrior estimates the experiment's variance and its weight by the moments of
// the logarithms of the families' variances (Smyth 2004, section 6.2).
func fitPrior(by []group) (p prior) {
	defer func() { p.words(by) }()
	p.df = math.Inf(1)
	for _, g := range by {
		p.all.squares += g.squares
		p.all.df += g.df
		p.all.cells += g.cells
	}
	p.variance = p.all.variance()
	if len(by) < 2 || p.variance == 0 {
		return p
	}
	// A family without any spread has no logarithm; it counts as one with very little.
	least := 1e-5 * p.variance
	var es []float64
	chance := 0.0
	for _, g := range by {
		half := g.df / 2
		es = append(es, math.Log(max(g.variance(), least))-digamma(half)+math.Log(half))
		chance += trigamma(half)
	}
	n := float64(len(es))
	excess := squares(es)/(n-1) - chance/n
	if excess <= 0 {
		return p
	}
	p.df = 2 * inverseTrigamma(excess)
	p.variance = math.Exp(mean(es) + digamma(p.df/2) - math.Log(p.df/2))
	return p
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// squares is the sum of the squared deviations from the mean.
func squares(xs []float64) float64 {
	m, sum := mean(xs), 0.0
	for _, x := range xs {
		sum += (x - m) * (x - m)
	}
	return sum
}
