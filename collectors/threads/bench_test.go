package threads

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"opcost/collectors/internal/testserver"
	"opcost/collectors/probe"
)

// TestBenchEdge is what an edge costs of a server with 500 idle connections and
// 50 busy ones.
func TestBenchEdge(t *testing.T) {
	if os.Getenv("OPCOST_BENCH") == "" {
		t.Skip("it opens 550 connections: `make bench`, or OPCOST_BENCH=1, runs it")
	}
	benchEdge(t, probe.Caps{}, New(Options{}).(collector))
	benchEdge(t, able(), counted(Options{}))
}

// benchEdge logs how long both edges take, and the parts of which they consist.
func benchEdge(t *testing.T, caps probe.Caps, c collector) {
	s := testserver.Start(t, "--performance-schema=ON", "--max-connections=700")
	target := s.Target(t)
	for range 500 {
		s.Control(t).Exec(t, "select 1")
	}
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 50 {
		conn := s.Control(t)
		wg.Go(func() {
			for ctx.Err() == nil {
				_, _ = conn.Query(ctx, "select benchmark(20000, 1+1)")
			}
		})
	}
	defer wg.Wait()
	defer stop()
	arm, err := c.Arm(t.Context(), target, caps)
	if err != nil {
		t.Fatal(err)
	}
	a := arm.(*armed)
	defer func() { _, _ = a.Close() }()
	since := func(what string, f func()) {
		begin := time.Now()
		f()
		t.Logf("%-40s %v", what, time.Since(begin))
	}
	must := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	since("begin", func() { must(a.Begin(t.Context())) })
	time.Sleep(time.Second)
	since("end", func() { must(a.End(t.Context())) })
	since("of it: ask for the connections", func() { a.join.ask(t.Context()) })
	since("of it: status and schedstat of all", func() { _, err := a.reader.begin(); must(err) })
	since("of it: schedstat of all", func() { _, err := a.reader.all(); must(err) })
	since("of it: the counters", func() { a.perf.read() })
	t.Logf("%d threads", len(a.end.threads))
}
