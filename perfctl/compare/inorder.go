package compare

import (
	"iter"
	"runtime"
	"sync"
)

// inOrder does something for every number below n, on all CPUs, and gives what
// came of it in order. What is done is at most a few numbers ahead of what has
// been taken. Worker makes the function of one goroutine.
func inOrder[T any](n int, worker func() func(i int) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		type task struct {
			i    int
			done chan T
		}
		workers := min(runtime.GOMAXPROCS(0), n)
		tasks, order := make(chan task), make(chan chan T, 4*workers)
		stop := make(chan struct{})
		var wg sync.WaitGroup
		defer wg.Wait()
		defer close(stop)
		wg.Go(func() {
			defer close(tasks)
			defer close(order)
			for i := range n {
				t := task{i, make(chan T, 1)}
				select {
				case order <- t.done:
				case <-stop:
					return
				}
				select {
				case tasks <- t:
				case <-stop:
					return
				}
			}
		})
		for range workers {
			wg.Go(func() {
				do := worker()
				for t := range tasks {
					t.done <- do(t.i)
				}
			})
		}
		for done := range order {
			if !yield(<-done) {
				return
			}
		}
	}
}
