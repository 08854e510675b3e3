package compare

import (
	"sync/atomic"
	"testing"
)

// TestInOrder: all of them, in order, whatever takes longest; and no more is
// begun once no more is taken.
func TestInOrder(t *testing.T) {
	const n = 1000
	next := 0
	for i := range inOrder(n, func() func(int) int {
		sum := 0
		return func(i int) int {
			for k := range (n - i) * 10 { // the first take longest
				sum += k
			}
			return i + min(0, sum)
		}
	}) {
		if i != next {
			t.Fatalf("%d came where %d was expected", i, next)
		}
		next++
	}
	if next != n {
		t.Errorf("%d of %d came", next, n)
	}
	for range inOrder(0, func() func(int) int { return func(int) int { return 0 } }) {
		t.Error("something came of nothing")
	}

	var begun atomic.Int64
	for i := range inOrder(1_000_000, func() func(int) int {
		return func(i int) int { begun.Add(1); return i }
	}) {
		if i == 10 {
			break
		}
	}
	if b := begun.Load(); b > 10_000 {
		t.Errorf("%d were made, of which 11 were taken", b)
	}
}
