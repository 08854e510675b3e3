package workload

import (
	"math"
	"math/rand/v2"
)

// zipfExponent is sysbench's default (--rand-zipfian-exp, since 1.1): the
// published benchmarks use it.
const zipfExponent = 0.8

// zipf draws from 1..n with probability proportional to 1/k^exponent, for any
// exponent above 0; math/rand's own wants more than 1. The method is rejection-
// inversion: W. Hörmann, G. Derflinger, "Rejection-inversion to generate
// variates from monotone discrete distributions", ACM TOMACS 6(3), 1996; the
// names are the paper's. A draw takes a little over one uniform number on average.
type zipf struct {
	n            int64
	exponent     float64
	hX1, hN, cut float64
}

func newZipf(n int64, exponent float64) *zipf {
	z := &zipf{n: n, exponent: exponent}
	z.hX1 = z.integral(1.5) - 1
	z.hN = z.integral(float64(n) + 0.5)
	z.cut = 2 - z.inverse(z.integral(2.5)-z.h(2))
	return z
}

func (z *zipf) draw(rng *rand.Rand) int64 {
	for {
		u := z.hN + rng.Float64()*(z.hX1-z.hN)
		x := z.inverse(u)
		k := min(max(int64(x+0.5), 1), z.n)
		if float64(k)-x <= z.cut || u >= z.integral(float64(k)+0.5)-z.h(float64(k)) {
			return k
		}
	}
}

// h is the density without its norm.
func (z *zipf) h(x float64) float64 { return math.Exp(-z.exponent * math.Log(x)) }

// integral is that of h from 1 to x: (x^(1-e) - 1) / (1-e), and log x where e
// is 1, without loss of digits between the two.
func (z *zipf) integral(x float64) float64 {
	l := math.Log(x)
	return overX((1-z.exponent)*l) * l
}

// inverse is integral's.
func (z *zipf) inverse(y float64) float64 {
	t := max(y*(1-z.exponent), -1) // below it by rounding alone
	if math.Abs(t) > 1e-8 {
		return math.Exp(math.Log1p(t) / t * y)
	}
	return math.Exp((1 - t/2 + t*t/3) * y)
}

// overX is (e^x - 1) / x.
func overX(x float64) float64 {
	if math.Abs(x) > 1e-8 {
		return math.Expm1(x) / x
	}
	return 1 + x/2 + x*x/6
}
