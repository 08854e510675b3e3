package report

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// benchRuns are so many starts of versions a and b, of which b costs 3% more
// instructions and as much CPU.
func benchRuns(starts int) (runs []result.Run) {
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range starts {
		for j, v := range []string{"a", "b"} {
			ops := 10_000.0
			noise := func(sd float64) float64 { return math.Exp(sd * rng.NormFloat64()) }
			w := result.Window{ID: "w", State: result.OK, DurationNS: 2e9, Ops: result.OpCount{Source: result.SourceClient, Per: "statement", End: int64(ops)},
				Latency: &result.Latency{Count: int64(ops), MeanUS: 180 * noise(0.01), P50US: 170, P95US: 300, P99US: 400, MaxUS: 9000},
				Readings: []result.Reading{
					result.Got("instructions", ops*50_000*(1+0.03*float64(j))*noise(0.004), "count", result.SourcePerf, result.UserKernel),
					result.Got("cpu_us", ops*80*noise(0.01), "us", result.SourceProc, result.UserKernel),
					result.Got("context_switches", ops*2.5*noise(0.01), "count", result.SourceProc, result.UserKernel),
				}}
			runs = append(runs, result.Run{Schema: 1, ID: fmt.Sprint(v, i), Start: fmt.Sprint(v, i), Host: "h", Version: v, Workload: "random-points_range=100", Group: "point",
				Clients: 4, Protocol: "prepared", Driver: "builtin", Started: time.Unix(int64(100*i+j), 0),
				Passes: []result.Pass{{Kind: result.PassCount, State: result.OK, Windows: []result.Window{w}}}})
		}
	}
	return runs
}

// benchstat's own library reads the output and comes to the same medians, ratios
// and significance as ours: of the medians exactly, of Mann-Whitney's test the
// same side of 5%.
func TestBenchstatAgrees(t *testing.T) {
	runs := benchRuns(8)
	var out bytes.Buffer
	if err := WriteBench(&out, compare.Starts(runs, compare.Options{})); err != nil {
		t.Fatal(err)
	}
	values := map[string]map[string][]float64{} // unit: version: one a start
	better := map[string]string{}
	lines := 0
	for r := benchfmt.NewReader(&out, "out"); r.Scan(); {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			lines++
			if got := string(rec.Name); got != "RandomPoints/range=100/clients=4" {
				t.Errorf("name %s", got)
			}
			if rec.GetConfig("host") != "h" || rec.GetConfig("group") != "point" || rec.Iters != 10_000 {
				t.Errorf("host %q, group %q, %d operations", rec.GetConfig("host"), rec.GetConfig("group"), rec.Iters)
			}
			for _, v := range rec.Values {
				if values[v.Unit] == nil {
					values[v.Unit] = map[string][]float64{}
				}
				values[v.Unit][rec.GetConfig("version")] = append(values[v.Unit][rec.GetConfig("version")], v.Value)
			}
		case *benchfmt.UnitMetadata:
			better[rec.Unit] = rec.Value
		case *benchfmt.SyntaxError:
			t.Errorf("benchfmt does not understand: %v", rec)
		}
	}
	if lines != 16 {
		t.Errorf("%d lines for 16 server starts", lines)
	}
	report := compare.Build(runs, compare.Options{})
	for _, c := range []struct {
		metric, unit, better string
		factor               float64 // from ours to benchstat's base unit
	}{
		{"instructions_per_query", "instructions/query", "lower", 1},
		{"cpu_us_per_query", "cpu-us/query", "lower", 1},
		{"context_switches_per_query", "context-switches/query", "lower", 1},
		{"qps", "queries/s", "higher", 1},
		{"response_us", "response-sec", "lower", 1e-6},
		{"response_us_p95", "response-p95-sec", "lower", 1e-6},
	} {
		a, b := values[c.unit]["a"], values[c.unit]["b"]
		if len(a) != 8 || len(b) != 8 || better[c.unit] != c.better {
			t.Errorf("%s: %d and %d values, better %q; units: %v", c.unit, len(a), len(b), better[c.unit], slices.Collect(mapKeys(values)))
			continue
		}
		th := benchmath.DefaultThresholds
		sa, sb := benchmath.NewSample(a, &th), benchmath.NewSample(b, &th)
		for i, s := range []*benchmath.Sample{sa, sb} {
			sum := benchmath.AssumeNothing.Summary(s, 0.95)
			m := report.Rows[i].Metrics[c.metric]
			for what, pair := range map[string][2]float64{"median": {sum.Center, *m.Value}, "low": {sum.Lo, *m.Low}, "high": {sum.Hi, *m.High}} {
				if math.Abs(pair[0]-c.factor*pair[1]) > 1e-9*math.Abs(pair[0]) {
					t.Errorf("%s, %s: benchstat has %v, ours %v", c.metric, what, pair[0], c.factor*pair[1])
				}
			}
		}
		r := report.Rows[1].VsBase[c.metric]
		if ratio := benchmath.AssumeNothing.Summary(sb, 0.95).Center / benchmath.AssumeNothing.Summary(sa, 0.95).Center; math.Abs(ratio-r.Ratio) > 1e-9 {
			t.Errorf("%s: benchstat's ratio %v, ours %v", c.metric, ratio, r.Ratio)
		}
		cmp := benchmath.AssumeNothing.Compare(sa, sb)
		significant := *r.Low > 1 || *r.High < 1
		if (cmp.P < cmp.Alpha) != significant {
			t.Errorf("%s: benchstat's p %v, our interval [%v, %v]", c.metric, cmp.P, *r.Low, *r.High)
		}
		if c.metric == "instructions_per_query" && !significant {
			t.Error("3% more instructions were not found")
		}
	}
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// Counts of unlike kinds are unlike units, and names stay in one piece.
func TestBenchNames(t *testing.T) {
	for _, c := range []struct {
		v    compare.StartValue
		want string
	}{
		{compare.StartValue{Metric: "instructions_per_query", Source: result.SourceCallgrind, Scope: result.User}, "callgrind-instructions-user/query"},
		{compare.StartValue{Metric: "instructions_user_per_query", Source: result.SourcePerf, Scope: result.User}, "instructions-user/query"},
		{compare.StartValue{Metric: "instructions_per_query", Source: result.SourcePerf, Scope: result.UserKernel, Per: "row"}, "instructions/row"},
		{compare.StartValue{Metric: "cpu/o", Source: result.SourceImport}, "cpu/o"},
		{compare.StartValue{Metric: "server_latency_us", Unit: "us"}, "server-latency-ns"},
		{compare.StartValue{Metric: "qps", Unit: "row"}, "rows/s"},
	} {
		if got := benchUnit(c.v); got != c.want {
			t.Errorf("%+v: %s, want %s", c.v, got, c.want)
		}
	}
	for workload, want := range map[string]string{"point-query": "PointQuery/clients=1", "random-points_range=10": "RandomPoints/range=10/clients=1",
		"my test\n8": "MyTest8/clients=1", "8x": "Workload8x/clients=1", "": "Workload/clients=1", "read-only.pre_range=10": "ReadOnlyPre/range=10/clients=1"} {
		if got := benchName(compare.StartValues{Workload: workload, Clients: 1}); got != want {
			t.Errorf("%q: %s, want %s", workload, got, want)
		}
	}
}

// A hostile name makes no line of its own.
func TestBenchHostile(t *testing.T) {
	runs := benchRuns(1)
	for i := range runs {
		runs[i].Version += "\nBenchmarkFake 1 1 ns/op\nhost: x"
		runs[i].Workload = "w x\nBenchmarkFake 1 1 ns/op"
	}
	var out bytes.Buffer
	if err := WriteBench(&out, compare.Starts(runs, compare.Options{})); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "\nBenchmarkFake") || strings.Contains(out.String(), "\nhost: x") {
		t.Errorf("a name became a line:\n%s", out.String())
	}
}
