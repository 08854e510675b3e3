package cost

import (
	"cmp"
	"math"
	"slices"
)

// apportion divides a whole by weights, each part the nearest whole number
// below or above its exact share (largest remainder).
func apportion(whole int64, weights []float64) []int64 {
	parts := make([]int64, len(weights))
	var sum float64
	for _, w := range weights {
		sum += w
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		parts[0] = whole
		return parts
	}
	rest := make([]float64, len(weights))
	left := whole
	for i, w := range weights {
		share := float64(whole) * (w / sum)
		parts[i] = min(int64(math.Floor(min(share, math.MaxInt64/2))), left)
		rest[i] = share - float64(parts[i])
		left -= parts[i]
	}
	byRest := make([]int, len(parts))
	for i := range byRest {
		byRest[i] = i
	}
	slices.SortStableFunc(byRest, func(a, b int) int { return cmp.Compare(rest[b], rest[a]) })
	for _, i := range byRest {
		if left == 0 {
			break
		}
		parts[i]++
		left--
	}
	parts[0] += left // where numbers over 2^53 left more than one for each
	return parts
}
