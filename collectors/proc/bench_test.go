package proc

import (
	"os"
	"runtime"
	"sync"
	"testing"

	"opcost/collectors"
	"opcost/collectors/child"
	"opcost/collectors/probe"
)

// BenchmarkEdge500Threads is what one edge costs of a process with 500 threads:
// ours, each of them asleep.
func BenchmarkEdge500Threads(b *testing.B) {
	var ready, done sync.WaitGroup
	stop := make(chan struct{})
	for range 500 {
		ready.Add(1)
		done.Add(1)
		go func() {
			runtime.LockOSThread() // a thread of its own, ended with the goroutine
			ready.Done()
			<-stop
			done.Done()
		}()
	}
	ready.Wait()
	defer done.Wait()
	defer close(stop)
	a, err := New().Arm(b.Context(), collectors.Target{PID: os.Getpid()}, probe.Caps{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := a.Begin(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(a.(*armed).begin.Threads)), "threads")
}

func BenchmarkProcessClock(b *testing.B) {
	for b.Loop() {
		if _, err := child.CPUTime(os.Getpid()); err != nil {
			b.Fatal(err)
		}
	}
}
