package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"opcost/perfctl/result"
)

const instructions = "instructions_per_query"

// quiet are four starts that scatter by 0.1% around x.
func quiet(x float64) []float64 { return []float64{x * 0.999, x, x, x * 1.001} }

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name      string
		new       float64
		threshold float64
		want      Verdict
	}{
		{"more is slower", 1020, 0, Slower},
		{"less is faster", 980, 0, Faster},
		{"a little is the same", 1001, 0, Same},
		{"at the threshold is unsure", 1006, 0, Unsure},
		{"the user's threshold", 1020, 0.05, Same},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Build(join(series("old", quiet(1000)...), series("new", quiet(c.new)...)), Options{Base: "old", Threshold: c.threshold})
			row := rowOf(t, r, "new")
			v := row.VsBase[instructions]
			if v.Verdict != c.want || row.Primary != instructions {
				t.Errorf("verdict %q of %q (%v [%v, %v]), want %q", v.Verdict, row.Primary, v.Ratio, *v.Low, *v.High, c.want)
			}
			if (v.Verdict == Unsure) != (v.MoreStarts > 0 || v.Reason != "") {
				t.Errorf("verdict %q with %d more starts, %q", v.Verdict, v.MoreStarts, v.Reason)
			}
		})
	}
}

// For throughput more is faster. 1,000 and 1,100 statements in a second.
func TestThroughputTheOtherWay(t *testing.T) {
	var runs []result.Run
	for s := range 4 {
		for v, ops := range map[string]int64{"old": 1000, "new": 1100} {
			r := run(v, s)
			r.Passes[0].Windows = []result.Window{window(ops+int64(s), 1)}
			runs = append(runs, r)
		}
	}
	v := rowOf(t, Build(runs, Options{Base: "old"}), "new").VsBase["qps"]
	if v.Verdict != Faster {
		t.Errorf("qps %v: %q", v.Ratio, v.Verdict)
	}
}

// The half-width with n starts is t(df) σ √(2/n). Here σ is 1% exactly and df
// stays 6 or more: with room 0.5%, n is about 2 (1.96 * 1 / 0.5)² = 31.
func TestMoreStarts(t *testing.T) {
	s := shift{center: 0.001, sigma: 0.01, starts: 4, df: 6, t: newTables()}
	// from 0.1% to log(1.006) = 0.598%: 0.498%
	if got := s.more(0.006, 0.05); got < 26 || got > 30 {
		t.Errorf("%d more starts, want 26 to 30 (2(1.96*0.01/0.00498)² - 4 = 27, a little more by t)", got)
	}
	s.center = 0.00598
	if got := s.more(0.006, 0.05); got != 0 {
		t.Errorf("%d more starts at the threshold itself", got)
	}
}

func TestNoVerdict(t *testing.T) {
	t.Run("partial falls back to CPU", func(t *testing.T) {
		runs := join(series("old", quiet(1000)...), series("new", quiet(1100)...))
		for i := range runs {
			w := &runs[i].Passes[0].Windows[0]
			w.Readings = append(w.Readings, cpu(50_000+float64(10*i)))
		}
		runs[1].Passes[0].Windows[0].Readings[0].State = result.Partial
		row := rowOf(t, Build(runs, Options{Base: "old"}), "new")
		if v := row.VsBase[instructions]; v.Verdict != None || !strings.HasPrefix(v.Reason, "partial") || v.Ratio < 1.09 {
			t.Errorf("instructions: %+v", v)
		}
		if row.Primary != "cpu_us_per_query" || row.VsBase["cpu_us_per_query"].Verdict != Same {
			t.Errorf("primary %q, %+v", row.Primary, row.VsBase["cpu_us_per_query"])
		}
	})
	t.Run("writes under callgrind", func(t *testing.T) {
		var runs []result.Run
		for s := range 4 {
			for v, x := range map[string]float64{"old": 300_000, "new": 400_000} {
				count := run(v, s, cpu(x+float64(s)))
				under := underCallgrind(run(v, s), 1000, callgrind("instructions_user", 1000*(x+float64(s))))
				runs = append(runs, count, under)
			}
		}
		with(runs, func(r *result.Run) { r.Workload, r.Group = "update-index", "write" })
		row := rowOf(t, Build(runs, Options{Base: "old"}), "new")
		if v := row.VsBase[instructions]; v.Verdict != None || !strings.Contains(v.Reason, "reads only") || v.Low == nil {
			t.Errorf("instructions: %+v", v)
		}
		if row.Primary != "cpu_us_per_query" || row.VsBase["cpu_us_per_query"].Verdict != Slower {
			t.Errorf("primary %q, %+v", row.Primary, row.VsBase["cpu_us_per_query"])
		}
	})
	t.Run("single imported runs", func(t *testing.T) {
		imported := func(v string, us float64) result.Run {
			return run(v, 0, result.Got("cpu_us", us, "us", result.SourceImport, ""))
		}
		row := rowOf(t, Build([]result.Run{imported("old", 100), imported("new", 150)}, Options{Base: "old"}), "new")
		if v := row.VsBase["cpu_us_per_query"]; math.Abs(v.Ratio-1.5) > 1e-12 || v.Verdict != None || v.Reason == "" || row.Primary != "" {
			t.Errorf("%+v, primary %q", v, row.Primary)
		}
	})
}

// Benjamini and Hochberg by hand: 20 workloads of two noisy starts a side. What
// they accept is no more than 5% wrong; here all are A/A, so any word but same
// and unsure is wrong, and without the rule some would be there.
func TestFalseDiscoveries(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	single, controlled := 0, 0
	for range 60 {
		var runs []result.Run
		x := experiment{workloads: 20, starts: 3, sd: always(0.05)}
		runs = x.runs(rnd)
		any := false
		for _, row := range Build(runs, Options{Base: "old", Threshold: 0.0001}).Rows {
			if row.Version == "new" {
				v := row.VsBase[instructions].Verdict
				any = any || v == Slower || v == Faster
			}
		}
		if any {
			controlled++
		}
		// One by one, each is a family of its own.
		any = false
		for _, row := range Build(runs, Options{Base: "old", Threshold: 0.0001, FDR: 20 * 0.05}).Rows {
			if row.Version == "new" {
				v := row.VsBase[instructions].Verdict
				any = any || v == Slower || v == Faster
			}
		}
		if any {
			single++
		}
	}
	// In A/A every discovery is false, so the rate is the share of experiments
	// with one: 5% of 60 is 3, and 1 - 0.95^20 = 64% of 60 is 38.
	t.Logf("experiments with a false call: %d of 60, without control %d", controlled, single)
	if controlled > 9 || single < 25 {
		t.Errorf("false calls in %d of 60 experiments, without control in %d", controlled, single)
	}
}
