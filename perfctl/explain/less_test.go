package explain

import "testing"

// TestLess: CPU of which the connections' threads used all, summed in another
// order, leaves nothing for the background, not -1e-13.
func TestLess(t *testing.T) {
	var sum float64
	for range 10 {
		sum += 0.1 // ten of them are 0.9999999999999999
	}
	for _, c := range []struct{ a, b, want float64 }{{sum, 1, 0}, {1, sum, 0}, {41.25, 41, 0.25}, {0, 0, 0}, {1, 1.25, -0.25}, {0, 1, -1}} {
		if got := less(c.a, c.b); got != c.want {
			t.Errorf("less(%v, %v) is %v, want %v", c.a, c.b, got, c.want)
		}
	}
	if sum == 1 {
		t.Error("the sum has no rounding: choose other numbers")
	}
}
