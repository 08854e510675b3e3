package compare

import (
	"testing"

	"opcost/perfctl/result"
)

// imports are single imported runs: QPS by version.
func imports(workload, group string, clients int, qps map[string]float64) (runs []result.Run) {
	for v, x := range qps {
		r := run(v, 0)
		r.Workload, r.Group, r.Clients, r.ID = workload, group, clients, workload+v
		reading := result.Got("qps", x, "statement", result.SourceImport, "")
		reading.Gauge = true
		r.Passes[0].Windows[0] = result.Window{State: result.OK, Readings: []result.Reading{reading}, Ops: result.OpCount{Source: result.SourceImport, Per: "statement"}}
		runs = append(runs, r)
	}
	return runs
}

func TestRelative(t *testing.T) {
	runs := join(
		imports("scan", "range", 4, map[string]float64{"5.6.51": 100, "8.0.28": 50, "8.0.30": 75}),
		imports("range-covered-pk", "range", 4, map[string]float64{"5.6.51": 200, "8.0.28": 160, "8.0.30": 180}),
		imports("range-covered-si", "range", 4, map[string]float64{"5.6.51": 10, "8.0.30": 9}),
		imports("point-query", "point", 4, map[string]float64{"5.6.51": 1000, "8.0.28": 380, "8.0.30": 500}),
		imports("point-query", "point", 1, map[string]float64{"5.6.51": 1000, "8.0.28": 2000, "8.0.30": 2500}),
	)
	rel := RelativeOf(Build(runs, Options{ByNumber: true, Only: RelativeMetrics("qps")}), "qps")
	if rel.Base != "5.6.51" || len(rel.Tables) != 2 || rel.Tables[0].Clients != 1 {
		t.Fatalf("base %s, %d tables", rel.Base, len(rel.Tables))
	}
	four := rel.Tables[1]
	if len(four.Groups) != 2 || four.Groups[0].Group != "point" || four.Groups[1].Group != "range" {
		t.Fatalf("groups %+v", four.Groups)
	}
	ranges := four.Groups[1]
	for i, want := range []string{"range-covered-pk", "range-covered-si", "scan"} {
		if ranges.Rows[i].Workload != want {
			t.Errorf("row %d is %s, want %s", i, ranges.Rows[i].Workload, want)
		}
	}
	if c := ranges.Rows[1].Cells[1]; c.Ratio != nil || c.Value != nil || c.Reason == "" {
		t.Errorf("what was not measured: %+v", c)
	}
	// By hand: 8.0.28 has 0.8 and 0.5, 8.0.30 has 0.9, 0.9 and 0.75.
	near(t, "median of two", ranges.Summary[1].Median, 0.65, 1e-12)
	near(t, "minimum", ranges.Summary[1].Minimum, 0.5, 1e-12)
	near(t, "maximum", ranges.Summary[1].Maximum, 0.8, 1e-12)
	near(t, "median of three", ranges.Summary[2].Median, 0.9, 1e-12)
	if s := ranges.Summary[0]; s.N != 0 || s.Median != nil {
		t.Errorf("the base has no ratios: %+v", s)
	}

	// To the version before: 8.0.30 / 8.0.28 is 75/50; where 8.0.28 lacks, / 5.6.51.
	rel = RelativeOf(Build(runs, Options{ByNumber: true, Previous: true}), "qps")
	ranges = rel.Tables[1].Groups[1]
	near(t, "scan to the version before", &ranges.Rows[2].Cells[2].Ratio.Ratio, 1.5, 1e-12)
	if c := ranges.Rows[1].Cells[2]; c.Ratio == nil || c.Against != "5.6.51" {
		t.Errorf("the nearest earlier version that was measured: %+v", c)
	}

	// Response time of a closed loop: 4 clients / 380 a second is 10,526 µs, and
	// 1000/380 times that of the base.
	rel = RelativeOf(Build(runs, Options{ByNumber: true, Only: RelativeMetrics("response_us")}), "response_us")
	cell := rel.Tables[1].Groups[0].Rows[0].Cells[1]
	near(t, "response time", cell.Value, 4e6/380, 1e-12)
	near(t, "its ratio", &cell.Ratio.Ratio, 1000./380, 1e-12)
	if cell.Reason == "" {
		t.Error("it is not said that the response time follows from the throughput")
	}
}

// What was measured as a response time is not replaced by what QPS says.
func TestResponseTimeMeasured(t *testing.T) {
	timed := func(v string, us float64) result.Run {
		r := run(v, 0)
		r.Passes[0].Windows[0].Latency = &result.Latency{Count: 1000, MeanUS: us}
		return r
	}
	rel := RelativeOf(Build([]result.Run{timed("a", 100), timed("b", 380)}, Options{Base: "a"}), "response_us")
	near(t, "ratio", &rel.Tables[0].Groups[0].Rows[0].Cells[1].Ratio.Ratio, 3.8, 1e-12)
}

// Limiting a report changes none of its numbers, nor does giving up readings.
func TestOnly(t *testing.T) {
	runs := func() []result.Run {
		return join(series("a", 100, 101, 99, 100), series("b", 110, 111, 112, 110))
	}
	all := Build(runs(), Options{})
	only := []string{"instructions_per_query", "qps"}
	some := Build(runs(), Options{Only: only, Consume: true})
	if len(some.Rows) != 2 || len(some.Rows[1].Metrics) != 2 {
		t.Fatalf("%d rows, metrics %v", len(some.Rows), some.Rows[1].Metrics)
	}
	a, b := all.Rows[1].VsBase["instructions_per_query"], some.Rows[1].VsBase["instructions_per_query"]
	if a.Ratio != b.Ratio || *a.Low != *b.Low || *a.High != *b.High || a.Verdict != b.Verdict || a.Verdict != Slower {
		t.Errorf("%+v and %+v", a, b)
	}
	if w := WantedReadings(only); !w("instructions") || !w("instructions_user") || w("handler_read_key") {
		t.Error("wanted readings")
	}
}
