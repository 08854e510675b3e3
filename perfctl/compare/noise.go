package compare

import (
	"fmt"
	"maps"
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

// noiseOf gives the spread of a metric's measure in a family of cells.
type noiseOf func(m measure, f family) (spread, bool)

// group is the spread of one family's cells: the squares of the deviations of
// logs from their cell's mean, and their degrees of freedom.
type group struct {
	squares, df float64
	cells       int
}

func (g group) variance() float64 { return g.squares / g.df }

// noise learns from all cells how much starts differ where nothing differs. A
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
func noise(all []*cell, floor map[NoiseKey]Noise) noiseOf {
	groups := map[measure]map[family]group{}
	for _, c := range all {
		f := c.family()
		for name, e := range c.metrics {
			if len(e.logs) < 2 {
				continue
			}
			m := e.measure(name)
			if groups[m] == nil {
				groups[m] = map[family]group{}
			}
			g := groups[m][f]
			g.squares += squares(e.logs)
			g.df += float64(len(e.logs) - 1)
			g.cells++
			groups[m][f] = g
		}
	}
	kind := map[family]string{}
	for _, c := range all {
		kind[c.family()] = c.group
	}
	priors := map[measure]prior{}
	for m, by := range groups {
		priors[m] = fitPrior(by)
	}
	return func(m measure, f family) (spread, bool) {
		s, ok := spread{}, false
		if p, has := priors[m]; has {
			s, ok = p.spread(groups[m][f]), true
		}
		if n, has := floor[NoiseKey{f.host, m.name, m.source, m.scope, kind[f], f.clients}]; has && (!ok || n.SD*n.SD > s.variance) {
			return n.spread(), true
		}
		return s, ok
	}
}

// prior is what the families of an experiment say together.
type prior struct {
	all      group
	variance float64
	df       float64 // +Inf: the families differ by chance alone
}

// spread of one family, given the prior. g may be empty: the family has no two
// starts of one cell.
func (p prior) spread(g group) spread {
	if math.IsInf(p.df, 1) {
		return spread{p.all.variance(), p.all.df,
			fmt.Sprintf("variance pooled over %d cells, %g df", p.all.cells, p.all.df)}
	}
	df := p.df + g.df
	return spread{(p.df*p.variance + g.squares) / df, df,
		fmt.Sprintf("variance of its own cells (%g df) moderated by all %d cells (as %.3g df)", g.df, p.all.cells, p.df)}
}

// fitPrior estimates the experiment's variance and its weight by the moments of
// the logarithms of the families' variances (Smyth 2004, section 6.2).
func fitPrior(by map[family]group) prior {
	p := prior{df: math.Inf(1)}
	// Always in the same order, so that sums round in the same way.
	families := slices.SortedFunc(maps.Keys(by), family.compare)
	for _, f := range families {
		g := by[f]
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
	for _, f := range families {
		g := by[f]
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
