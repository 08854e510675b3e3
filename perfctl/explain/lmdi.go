package explain

import (
	"math"
	"slices"
)

// logMean is the logarithmic mean of two positive numbers.
func logMean(a, b float64) float64 {
	d := math.Log(b / a)
	if math.Abs(d) < 1e-9 {
		// (b-a)/log(b/a) of nearly equal numbers is 0/0; the series gives their
		// mean up to a part in 10¹⁸.
		return (a + b) / 2
	}
	return (b - a) / d
}

// split gives each factor's part of the change of a product: the additive
// logarithmic mean Divisia index (B. W. Ang, The LMDI approach to decomposition
// analysis: a practical guide, Energy Policy 33 (2005) 867-871). The parts add
// up to the change exactly, whatever the order of the factors. Inputs are
// positive; the total is the product of the factors.
func split(total0, total1 float64, ratios []float64) []float64 {
	l := logMean(total0, total1)
	parts := make([]float64, len(ratios))
	for i, r := range ratios {
		parts[i] = l * math.Log(r)
	}
	return parts
}

// Round rounds parts to so many decimals such that they add up to the rounded
// sum: the largest remainders are rounded up first.
func Round(parts []float64, decimals int) []float64 {
	scale, sum := math.Pow(10, float64(decimals)), 0.0
	for _, p := range parts {
		sum += p
	}
	return RoundTo(parts, math.Round(sum*scale)/scale, decimals)
}

// RoundTo is Round to a given sum, which is rounded already and within
// len(parts) last places of the parts' own.
func RoundTo(parts []float64, sum float64, decimals int) []float64 {
	scale := math.Pow(10, float64(decimals))
	out := make([]float64, len(parts))
	left := math.Round(sum * scale)
	order := make([]int, len(parts))
	for i, p := range parts {
		out[i] = math.Floor(p * scale)
		left -= out[i]
		order[i] = i
	}
	rest := func(i int) float64 { return parts[i]*scale - math.Floor(parts[i]*scale) }
	slices.SortStableFunc(order, func(a, b int) int { return -sign(rest(a) - rest(b)) })
	for k := 0; k < len(order) && left != 0; k++ {
		i := order[k]
		if left < 0 { // the sum was rounded down further than the parts
			i = order[len(order)-1-k]
		}
		step := float64(sign(left))
		out[i] += step
		left -= step
	}
	for i := range out {
		if out[i] /= scale; out[i] == 0 {
			out[i] = 0 // no -0
		}
	}
	return out
}
