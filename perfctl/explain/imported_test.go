package explain_test

import (
	"strings"
	"testing"

	"opcost/perfctl/explain"
	"opcost/perfctl/result"
)

// imported is a single run of published costs, as gauges.
func imported(version, workload string, values map[string]float64) result.Run {
	r := made{version: version, starts: 1, costs: usual(), clients: 4}.runs()[0]
	r.Workload, r.ID, r.Start = workload, version+workload, ""
	w := result.Window{State: result.OK, Ops: result.OpCount{Source: result.SourceImport, Per: "statement"}}
	for name, v := range values {
		reading := result.Got(name, v, "", result.SourceImport, "")
		reading.Gauge = true
		w.Readings = append(w.Readings, reading)
	}
	r.Passes[0].Windows = []result.Window{w}
	return r
}

// TestImported: published costs have ratios and no verdict; the worst workload
// is the one whose throughput fell most, and the whole host's costs say why, if
// not for sure.
func TestImported(t *testing.T) {
	s := study(t,
		[]result.Run{imported("5.6", "better", map[string]float64{"qps": 1000, "cpu/o": 100, "cs/o": 2}), imported("5.6", "worse", map[string]float64{"qps": 1000, "cpu/o": 100, "cs/o": 2})},
		[]result.Run{imported("8.0", "better", map[string]float64{"qps": 3000, "cpu/o": 40, "cs/o": 2}), imported("8.0", "worse", map[string]float64{"qps": 600, "cpu/o": 150, "cs/o": 6})})
	sums := s.Summaries()
	if len(sums) != 2 || sums[0].Workload != "worse" || sums[0].Verdict.Word != "" || sums[0].CPU == nil || *sums[0].CPU != 0.5 {
		t.Fatalf("%+v", sums)
	}
	e := s.Explain(0, nil, "no profile")
	for kind, text := range map[string]string{
		explain.MoreCode:   "CPU/operation of the whole host +50%; instructions were not counted",
		explain.Contention: "context switches 2 → 6/query",
	} {
		if k := finding(t, e, kind); k.Sure || !strings.Contains(k.Text, text) {
			t.Errorf("%s: %+v", kind, k)
		}
	}
	if strings.Contains(strings.Join(e.Surer, "\n"), "repeats") {
		t.Errorf("what was imported has no repeats to set: %v", e.Surer)
	}
	if k := finding(t, s.Explain(1, nil, ""), explain.LessCode); k.Sure {
		t.Errorf("%+v", k)
	}
}
