package compare

import "math"

// digamma is the derivative of the logarithm of the gamma function, for x > 0:
// recurrence up to 10, then the asymptotic series (NIST DLMF 5.5.2, 5.11.2).
func digamma(x float64) float64 {
	sum := 0.0
	for ; x < 10; x++ {
		sum -= 1 / x
	}
	y := 1 / (x * x)
	return sum + math.Log(x) - 1/(2*x) - y*(1./12-y*(1./120-y*(1./252-y*(1./240-y/132))))
}

// trigamma is the derivative of digamma (NIST DLMF 5.15.5, 5.15.8).
func trigamma(x float64) float64 {
	sum := 0.0
	for ; x < 10; x++ {
		sum += 1 / (x * x)
	}
	y := 1 / (x * x)
	return sum + 1/x + y/2 + y/x*(1./6-y*(1./30-y*(1./42-y/30)))
}

// inverseTrigamma finds x with trigamma(x) = y > 0. Trigamma falls from +Inf to
// 0, and lies between 1/x and 1/x + 1/x², which brackets x.
func inverseTrigamma(y float64) float64 {
	lo, hi := 1/y, (1+math.Sqrt(1+4*y))/(2*y)
	for range 200 {
		mid := lo + (hi-lo)/2
		if trigamma(mid) > y {
			lo = mid
		} else {
			hi = mid
		}
		if hi-lo <= 1e-12*hi {
			break
		}
	}
	return lo + (hi-lo)/2
}
