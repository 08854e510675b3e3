package compare

import (
	"strings"
	"testing"

	"opcost/perfctl/result"
)

// A value is bounded as if all at the edges went as wrong as it may: 2,000±20 µs
// over 1,000±10 statements are 1980/1010 to 2020/990.
func TestEdgesBoundASingleLiveWindow(t *testing.T) {
	run := live("statement", func(w *result.Window) {
		w.Ops.Uncertainty = 10
		w.Readings = []result.Reading{unsure(cpu(2000), 20), unsure(perf("instructions_user", 3000, result.User), 30), unsure(perf("instructions_kernel", 1000, result.Kernel), 10),
			unsure(perf("cycles", 4000, result.UserKernel), 40)}
	})
	row := Build([]result.Run{run}, Options{}).Rows[0]
	m := row.Metrics["cpu_us_per_query"]
	near(t, "CPU", m.Value, 2, 0)
	near(t, "low", m.Low, 1980./1010, 1e-12)
	near(t, "high", m.High, 2020./990, 1e-12)
	if m.Method != "edges" || m.N != 1 {
		t.Errorf("%+v", m)
	}
	m = row.Metrics["instructions_per_query"]
	near(t, "instructions", m.Value, 4, 0)
	near(t, "their high", m.High, 4040./990, 1e-12)
	m = row.Metrics["qps"]
	near(t, "qps", m.Value, 100, 0)
	near(t, "its low", m.Low, 99, 1e-12)
	if m := row.Metrics["ipc"]; m.Low != nil { // both are read at the same edges
		t.Errorf("IPC has bounds: %+v", m)
	}

	// Between server starts there is more noise than that.
	run.Driver = "sysbench"
	if m := Build([]result.Run{run}, Options{}).Rows[0].Metrics["cpu_us_per_query"]; m.Low != nil || m.Method == EdgesMethod {
		t.Errorf("a start's value has bounds by its edges alone: %+v", m)
	}
}

func TestEdgesThatSayNothing(t *testing.T) {
	run := live("statement", func(w *result.Window) {
		w.Ops.End, w.Ops.Uncertainty = w.Ops.Begin+5, 5 // none at all may have been
		w.Readings = []result.Reading{unsure(cpu(2000), 20)}
	})
	if m := Build([]result.Run{run}, Options{}).Rows[0].Metrics["cpu_us_per_query"]; m.Low != nil || *m.Value != 400 {
		t.Errorf("%+v", m)
	}
}

// A window without operations has values per second of its own clock.
func TestPerSecond(t *testing.T) {
	run := live(perSecond, func(w *result.Window) {
		w.Readings = []result.Reading{unsure(cpu(5_000_000), 1000), status("com_select", 70)}
	})
	row := Build([]result.Run{run}, Options{}).Rows[0]
	m := row.Metrics["cpu_us_per_query"]
	near(t, "CPU a second", m.Value, 500_000, 0)
	near(t, "its high", m.High, 500_100, 1e-12)
	if m.Per != "second" {
		t.Errorf("per %q", m.Per)
	}
	near(t, "CPUs", row.Metrics["cpus_used"].Value, 0.5, 0)
	near(t, "selects a second", row.Metrics["com_select_per_query"].Value, 7, 0)
	if q := row.Metrics["qps"]; q.Value != nil || !strings.Contains(q.Reason, "operations were not counted") {
		t.Errorf("qps %+v", q)
	}
	if m := row.Metrics["instructions_per_query"]; m.Per != "second" || m.Value != nil {
		t.Errorf("instructions %+v", m)
	}
}
