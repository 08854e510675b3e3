package perfctl

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"opcost/perfctl/result"
	"opcost/testbed/figures"
)

// TestBenchDrivers compares the server's instructions for a prepared point query
// of the built-in client with those for sysbench's: callgrind, one client, the
// same table. sysbench's connecting and preparing are in its window, so it is
// made long. A difference of 2% or more fails. Set OPCOST_BENCH=1, or run make bench.
func TestBenchDrivers(t *testing.T) {
	if os.Getenv("OPCOST_BENCH") != "1" {
		t.Skip("a benchmark: set OPCOST_BENCH=1, or run make bench")
	}
	needs(t, "sysbench", "valgrind")
	const text = `
versions: [{name: a, mysqld: installed}]
workloads: [point-query]
rows: 20000
warmup: 500ms
operations: 20000
repeats: 1
counters: callgrind
driver: DRIVER
`
	each := map[string]map[string]float64{}
	for _, driver := range []string{"builtin", "sysbench"} {
		for _, r := range measure(t, strings.Replace(text, "DRIVER", driver, 1)) {
			if r.Passes[0].Kind != result.PassCallgrind {
				continue
			}
			w := r.Passes[0].Windows[0]
			ir, ok := value(w, "instructions_user")
			if !ok {
				t.Fatalf("%s: no instructions", r.ID)
			}
			if each[r.Workload] == nil {
				each[r.Workload] = map[string]float64{}
			}
			each[r.Workload][driver] = ir / float64(w.Ops.N())
		}
	}
	for workload, v := range each {
		ratio := v["sysbench"] / v["builtin"]
		fmt.Printf("server's instructions/query, %s, prepared, 1 client, callgrind: built-in %.0f, sysbench %.0f, ratio %.4f\n", workload, v["builtin"], v["sysbench"], ratio)
		figures.Say(t, figures.Figure{Name: "client: server's instructions/query under sysbench over the built-in one, " + workload, Limit: "0.98 to 1.02",
			Seen: fmt.Sprintf("%.4f", ratio), Met: math.Abs(ratio-1) < 0.02})
		if workload == "point-query" && math.Abs(ratio-1) >= 0.02 {
			t.Errorf("%s: the two differ by %.1f%%, 2%% or more", workload, 100*(ratio-1))
		}
	}
}
