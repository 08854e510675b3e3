package compare

import (
	"testing"

	"opcost/perfctl/result"
)

// imported is a run that was imported: rates and costs as printed.
func imported(v string, start int, values map[string]float64) result.Run {
	r := run(v, start)
	w := result.Window{State: result.OK, Ops: result.OpCount{Source: result.SourceImport, Per: "statement"}}
	for name, x := range values {
		reading := result.Got(name, x, "count", result.SourceImport, "")
		reading.Gauge = true
		w.Readings = append(w.Readings, reading)
	}
	r.Passes[0].Windows = []result.Window{w}
	return r
}

func TestImported(t *testing.T) {
	rows := Build([]result.Run{
		imported("a", 0, map[string]float64{"qps": 5235, "cpu/o": 0.5, "host_user_percent": 20, "qps_relative": 1}),
		imported("b", 1, map[string]float64{"qps": 4350, "cpu/o": 1, "qps_relative": 0.83}),
	}, Options{Base: "a"}).Rows
	a, b := rows[0], rows[1]
	for name, want := range map[string]float64{"qps": 5235, "cpu/o": 0.5, "host_user_percent": 20, "qps_relative": 1} {
		if m := a.Metrics[name]; m.Value == nil || *m.Value != want || m.Source != result.SourceImport || m.N != 1 {
			t.Errorf("%s: %+v, want %v as it was printed", name, m, want)
		}
	}
	for name, want := range map[string]float64{"qps": 4350. / 5235, "cpu/o": 2, "qps_relative": 0.83} {
		r, ok := b.VsBase[name]
		if !ok || r.Ratio != want || r.Verdict != "" || r.Low != nil {
			t.Errorf("%s: %+v (there: %v), want %v and no verdict", name, r, ok, want)
		}
	}
	if a.Metrics["qps"].Per != "second" || a.Metrics["cpu/o"].Per != "statement" || a.Primary != "" {
		t.Errorf("per %q, %q; primary %q", a.Metrics["qps"].Per, a.Metrics["cpu/o"].Per, a.Primary)
	}
	m := a.Metrics["cycles_per_query"]
	if m.Value != nil || m.State != result.NotCounted || m.Source != result.SourceImport || m.Reason != "what was imported does not have it" {
		t.Errorf("cycles: %+v", m)
	}
}

// What was imported and what was measured is no ratio.
func TestImportedAndMeasured(t *testing.T) {
	measured := run("b", 1)
	measured.Passes[0].Windows[0].Ops.Source = result.SourceClient
	rows := Build([]result.Run{imported("a", 0, map[string]float64{"qps": 5235}), measured}, Options{Base: "a"}).Rows
	if r, ok := rows[1].VsBase["qps"]; ok {
		t.Errorf("a ratio across sources: %+v", r)
	}
	if _, ok := rows[1].Metrics["qps"]; !ok {
		t.Error("the measured run lost its qps")
	}
}
