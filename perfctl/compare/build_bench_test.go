package compare

import (
	"fmt"
	"testing"

	"opcost/perfctl/result"
)

// A night of runs: 2,000 of them with 60 readings each.
func BenchmarkBuild(b *testing.B) {
	var runs []result.Run
	for i := range 2000 {
		r := run(fmt.Sprint("v", i%5), i/5%4)
		r.Workload, r.Clients = fmt.Sprint("w", i/20%25), i/500+1
		var rs []result.Reading
		for k := range 60 {
			rs = append(rs, perf(fmt.Sprint("event", k), float64(1000*(k+1)+i), result.UserKernel))
		}
		r.Passes[0].Windows[0].Readings = rs
		runs = append(runs, r)
	}
	b.ReportAllocs()
	for b.Loop() {
		Build(runs, Options{})
	}
}
