package explain

import (
	"math"
	"testing"
)

// TestSplit by hand: 2×3 → 4×6 doubles both factors, so each has half of 18.
// 100 → 121 by 1.1 twice: 10.5 each. A factor that falls takes away: 10×2 → 10×1
// (a clock that doubles) is all of -10.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		from, to float64
		ratios   []float64
		want     []float64
	}{
		{6, 24, []float64{2, 2}, []float64{9, 9}},
		{100, 121, []float64{1.1, 1.1, 1}, []float64{10.5, 10.5, 0}},
		{20, 10, []float64{1, 0.5}, []float64{0, -10}},
		{5, 5, []float64{2, 0.5}, []float64{5 * math.Ln2, -5 * math.Ln2}}, // the logarithmic mean of equal numbers is the number
	} {
		for i, got := range split(c.from, c.to, c.ratios) {
			if math.Abs(got-c.want[i]) > 1e-9 {
				t.Errorf("%v → %v by %v: part %d is %v, want %v", c.from, c.to, c.ratios, i, got, c.want[i])
			}
		}
	}
}

// FuzzSplit: parts add up to the change, whatever the factors.
func FuzzSplit(f *testing.F) {
	f.Add(1.0, 2.0, 3.0, 0.5)
	f.Add(1e-9, 1+1e-12, 1e9, 1.0)
	f.Add(0.1, 1+1e-9, 1-1e-9, 1+1e-10)
	f.Fuzz(func(t *testing.T, from, a, b, c float64) {
		for _, v := range []float64{from, a, b, c} {
			if !(v > 1e-6) || v > 1e6 {
				t.Skip("no cost or ratio that a server has")
			}
		}
		to := from * a * b * c
		sum := 0.0
		for _, p := range split(from, to, []float64{a, b, c}) {
			sum += p
		}
		if math.Abs(sum-(to-from)) > 1e-9*(from+to)*(1+math.Abs(math.Log(a))+math.Abs(math.Log(b))+math.Abs(math.Log(c))) {
			t.Errorf("%v × %v × %v × %v: parts add up to %v, not %v", from, a, b, c, sum, to-from)
		}
	})
}

// FuzzRound: rounded parts add up to the rounded sum, and none is off by a whole place.
func FuzzRound(f *testing.F) {
	f.Add(28.4, 4.4, -1.4, 0.4, 0)
	f.Add(0.05, 0.05, 0.05, -0.15, 1)
	f.Add(-0.5, -0.5, -0.5, -0.5, 0)
	f.Fuzz(func(t *testing.T, a, b, c, d float64, decimals int) {
		parts := []float64{a, b, c, d}
		if decimals < 0 || decimals > 3 {
			t.Skip("no number of decimals that is printed")
		}
		sum := 0.0
		for _, p := range parts {
			if math.IsNaN(p) || math.Abs(p) > 1e6 {
				t.Skip("no part that is printed")
			}
			sum += p
		}
		scale := math.Pow(10, float64(decimals))
		got := 0.0
		for i, r := range Round(parts, decimals) {
			got += r
			if math.Abs(r-parts[i])*scale > 1+1e-6 {
				t.Errorf("%v becomes %v", parts[i], r)
			}
		}
		if math.Abs(got-math.Round(sum*scale)/scale) > 1e-6 {
			t.Errorf("%v round to a sum of %v, not %v", parts, got, math.Round(sum*scale)/scale)
		}
	})
}

// TestFewest by hand: of 50, 30, 10, 10 the first two make 80%.
func TestFewest(t *testing.T) {
	for _, c := range []struct {
		vs   []float64
		want int
	}{{[]float64{10, 50, 10, 30}, 2}, {[]float64{1}, 1}, {nil, 0}, {[]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 8}, {[]float64{81, 19}, 1}} {
		if got := fewest(c.vs, 0.8); got != c.want {
			t.Errorf("%v: %d, not %d", c.vs, got, c.want)
		}
	}
}

// TestDifference against R: t.test(c(11,12,13), c(10,10.5,11), var.equal=TRUE)
// gives 1.5 ± 1.7921 (95%, 4 df): sp² = (2+0.5)/4, t(0.975, 4) = 2.776445.
func TestDifference(t *testing.T) {
	b := difference([]float64{10, 10.5, 11}, []float64{11, 12, 13}, 1.5)
	half := 2.776445 * math.Sqrt(0.625*(2./3))
	if b.low == nil || math.Abs(*b.low-(1.5-half)) > 1e-5 || math.Abs(*b.high-(1.5+half)) > 1e-5 {
		t.Errorf("%v", b)
	}
	if b := difference([]float64{1}, []float64{2}, 1); b.low != nil {
		t.Error("one start a side has an interval")
	}
	if b := difference([]float64{1, 1}, []float64{2, 2}, 3); b.low == nil || *b.low > 1 || *b.high < 3 {
		t.Error("the interval must hold its value")
	}
}
