package workload

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestZipfIsExact compares draws with the distribution summed up directly:
// P(k) = k^-s / sum(i^-s), by chi-squared over all ids of a small table.
func TestZipfIsExact(t *testing.T) {
	const rows, draws = 50, 400_000
	for _, s := range []float64{0.2, 0.8, 0.99, 1, 1.5} {
		z := newZipf(rows, s)
		rng := rand.New(rand.NewPCG(1, 2)) // fixed, so this does not fail by chance
		var count [rows + 1]int
		for range draws {
			k := z.draw(rng)
			if k < 1 || k > rows {
				t.Fatalf("exponent %v: drew %d of 1..%d", s, k, rows)
			}
			count[k]++
		}
		norm := 0.0
		for k := 1; k <= rows; k++ {
			norm += math.Pow(float64(k), -s)
		}
		chi := 0.0
		for k := 1; k <= rows; k++ {
			want := draws * math.Pow(float64(k), -s) / norm
			chi += math.Pow(float64(count[k])-want, 2) / want
		}
		if chi > 85.4 { // the 0.1% point with 49 degrees of freedom
			t.Errorf("exponent %v: chi-squared %.1f", s, chi)
		}
	}
}

// TestZipfOfLargeTables: the share of the first ids of 50 million, whose sum
// is by Euler and Maclaurin: n^(1-s)/(1-s) + zeta(s) + n^-s/2, zeta(0.8) =
// -4.4375384 (tables).
func TestZipfOfLargeTables(t *testing.T) {
	const rows, draws, s = 50_000_000, 200_000, 0.8
	norm := math.Pow(rows, 1-s)/(1-s) - 4.4375384 + math.Pow(rows, -s)/2
	first := 0.0
	for k := 1; k <= 1000; k++ {
		first += math.Pow(float64(k), -s)
	}
	want := first / norm
	z := newZipf(rows, s)
	rng := rand.New(rand.NewPCG(3, 4))
	hits, largest := 0, int64(0)
	for range draws {
		k := z.draw(rng)
		largest = max(largest, k)
		if k <= 1000 {
			hits++
		}
	}
	got := float64(hits) / draws
	if deviation := math.Sqrt(want * (1 - want) / draws); math.Abs(got-want) > 4*deviation {
		t.Errorf("%.4f of the draws were of the first 1000 ids, want %.4f +- %.4f", got, want, deviation)
	}
	if largest < rows*95/100 || largest > rows {
		t.Errorf("the largest id drawn is %d of %d", largest, rows)
	}
	if one := newZipf(1, s).draw(rng); one != 1 {
		t.Errorf("of one row: %d", one)
	}
}

func TestZipfKeysAreHot(t *testing.T) {
	count := map[string]int{}
	for _, s := range sequence(test(t, "update-zipf"), Data{Tables: 1, Rows: 10_000}, 1, 0, 0, "x", 5000) {
		count[s[len(s)-9:]]++ // " WHERE id=N", the end of it
	}
	hottest := 0
	for _, n := range count {
		hottest = max(hottest, n)
	}
	// 1/sum(k^-0.8) of 10,000 rows is 3.6%: 179 +- 13 of 5000. Uniform keys give 3.
	if hottest < 120 || hottest > 240 {
		t.Errorf("the hottest id was drawn %d times of 5000, want about 179", hottest)
	}
}
