package compare

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"opcost/perfctl/result"
)

// Quantiles from the printed tables of Student's and the normal distribution.
func TestStudentQuantiles(t *testing.T) {
	tab := newTables()
	for _, c := range []struct{ df, alpha, want float64 }{
		{1, 0.05, 12.706}, {3, 0.05, 3.182}, {6, 0.05, 2.447}, {24, 0.05, 2.064}, {120, 0.05, 1.980},
		{6, 0.01, 3.707}, {24, 0.002, 3.467}, {math.Inf(1), 0.05, 1.960}, {math.Inf(1), 0.001, 3.291},
	} {
		if got := tab.t(c.df, c.alpha); math.Abs(got-c.want) > 0.0006 {
			t.Errorf("t(%g df, %g) = %.4f, want %.3f", c.df, c.alpha, got, c.want)
		}
		if got := tail(c.df, c.want); math.Abs(got-c.alpha) > 0.001*c.alpha+1e-4 {
			t.Errorf("tail(%g df, %g) = %g, want %g", c.df, c.want, got, c.alpha)
		}
	}
}

// The critical values of U at 5%, two-sided, from the printed Mann-Whitney
// tables: the interval's bounds are the (U+1)-th smallest and largest difference.
func TestRanks(t *testing.T) {
	tab := newTables()
	for _, c := range []struct{ n, m, critical int }{{6, 6, 5}, {6, 8, 8}, {7, 7, 8}, {8, 8, 13}, {10, 10, 23}, {20, 20, 127}} {
		k := c.critical + 1
		if tab.rank(c.n, c.m, k) > 0.05 || tab.rank(c.n, c.m, k+1) <= 0.05 {
			t.Errorf("n %d, m %d: k = %d has %g, k = %d has %g", c.n, c.m, k, tab.rank(c.n, c.m, k), k+1, tab.rank(c.n, c.m, k+1))
		}
	}
}

func TestDigammaAndTrigamma(t *testing.T) {
	for _, c := range []struct{ x, digamma, trigamma float64 }{
		{0.5, -1.96351002602142, 4.93480220054468}, // -γ - 2 ln 2, π²/2
		{1, -0.577215664901533, 1.64493406684823},  // -γ, π²/6
		{2, 0.422784335098467, 0.644934066848226},  // 1-γ, π²/6 - 1
		{3, 0.922784335098467, 0.394934066848226},
	} {
		if got := digamma(c.x); math.Abs(got-c.digamma) > 1e-12 {
			t.Errorf("digamma(%g) = %.15g, want %.15g", c.x, got, c.digamma)
		}
		if got := trigamma(c.x); math.Abs(got-c.trigamma) > 1e-12 {
			t.Errorf("trigamma(%g) = %.15g, want %.15g", c.x, got, c.trigamma)
		}
		if got := inverseTrigamma(c.trigamma); math.Abs(got-c.x) > 1e-9 {
			t.Errorf("inverseTrigamma(%g) = %g, want %g", c.trigamma, got, c.x)
		}
	}
	for _, y := range []float64{1e-9, 1e-3, 1e3, 1e9} {
		if got := trigamma(inverseTrigamma(y)); math.Abs(got-y) > 1e-6*y {
			t.Errorf("trigamma(inverseTrigamma(%g)) = %g", y, got)
		}
	}
}

// Two cells of four starts, by hand: deviations of the logs are ±0.01 and 0, 0
// in both, so the sums of squares are 2e-4 each and the pooled variance is
// 4e-4/6. t(6 df) = 2.4469.
func TestPooledInterval(t *testing.T) {
	values := func(m float64) []float64 { return []float64{m * math.Exp(-0.01), m, m, m * math.Exp(0.01)} }
	r := Build(join(series("old", values(1000)...), series("new", values(1100)...)), Options{Base: "old"})
	sd := math.Sqrt(4e-4 / 6)
	m := rowOf(t, r, "new").Metrics["instructions_per_query"]
	near(t, "value", m.Value, 1100, 1e-9)
	near(t, "low", m.Low, 1100*math.Exp(-2.44691*sd/2), 1e-6)
	near(t, "high", m.High, 1100*math.Exp(2.44691*sd/2), 1e-6)
	if want := "t, variance pooled over 2 cells, 6 df"; m.Method != want {
		t.Errorf("method %q, want %q", m.Method, want)
	}
	v := rowOf(t, r, "new").VsBase["instructions_per_query"]
	near(t, "ratio", &v.Ratio, 1.1, 1e-9)
	near(t, "ratio low", v.Low, 1.1*math.Exp(-2.44691*sd/math.Sqrt2), 1e-6)
	near(t, "ratio high", v.High, 1.1*math.Exp(2.44691*sd/math.Sqrt2), 1e-6)
	if v.Verdict != Slower || v.Level != 0.95 {
		t.Errorf("verdict %q at %g", v.Verdict, v.Level)
	}
}

// Six starts a side: the interval of the median is the smallest to the largest
// (confidence 1 - 2/2^6 = 96.9%); that of the ratio the 6th smallest to the 6th
// largest of the 36 ratios.
func TestExactIntervals(t *testing.T) {
	old, new := []float64{100, 101, 102, 103, 104, 105}, []float64{200, 202, 204, 206, 208, 260}
	r := Build(join(series("old", old...), series("new", new...)), Options{Base: "old"})
	m := rowOf(t, r, "new").Metrics["instructions_per_query"]
	if *m.Value != 205 || *m.Low != 200 || *m.High != 260 {
		t.Errorf("median %v [%v, %v], want 205 [200, 260]", *m.Value, *m.Low, *m.High)
	}
	var ratios []float64
	for _, x := range new {
		for _, y := range old {
			ratios = append(ratios, x/y)
		}
	}
	lo, hi := kth(ratios, 6), kth(ratios, 31)
	v := rowOf(t, r, "new").VsBase["instructions_per_query"]
	near(t, "low", v.Low, lo, 1e-9)
	near(t, "high", v.High, hi, 1e-9)
	if v.Method != "Mann-Whitney, Hodges-Lehmann" || v.Verdict != Slower {
		t.Errorf("method %q, verdict %q", v.Method, v.Verdict)
	}
}

// kth smallest by counting, so as to use no code of ours.
func kth(xs []float64, k int) float64 {
	for _, x := range xs {
		less, equal := 0, 0
		for _, y := range xs {
			if y < x {
				less++
			} else if y == x {
				equal++
			}
		}
		if less < k && k <= less+equal {
			return x
		}
	}
	return math.NaN()
}

func TestNoInterval(t *testing.T) {
	r := Build(join(series("old", 100), series("new", 150)), Options{Base: "old"})
	m, v := rowOf(t, r, "new").Metrics["instructions_per_query"], rowOf(t, r, "new").VsBase["instructions_per_query"]
	if m.Low != nil || m.High != nil || v.Low != nil || v.High != nil || v.Verdict != Unsure || v.Reason == "" {
		t.Errorf("one start a side: %+v, %+v", m, v)
	}
	if v.Ratio != 1.5 {
		t.Errorf("ratio %v", v.Ratio)
	}

	floor := map[NoiseKey]Noise{{Host: "h", Metric: "instructions_per_query", Source: result.SourcePerf, Scope: result.UserKernel, Group: "point", Clients: 1}: {SD: 0.01}}
	r = Build(join(series("old", 100), series("new", 150)), Options{Base: "old", NoiseFloor: floor})
	v = rowOf(t, r, "new").VsBase["instructions_per_query"]
	near(t, "low by the noise floor", v.Low, 1.5*math.Exp(-1.95996*0.01*math.Sqrt2), 1e-5)
	if v.Verdict != Slower || v.Method != "t, this machine's noise floor (1%)" {
		t.Errorf("verdict %q by %q", v.Verdict, v.Method)
	}
	// Starts that agree by luck do not go below the floor.
	r = Build(join(series("old", 100, 100), series("new", 101, 101)), Options{Base: "old", NoiseFloor: floor})
	if v = rowOf(t, r, "new").VsBase["instructions_per_query"]; v.Verdict != Unsure || v.Method != "t, this machine's noise floor (1%)" {
		t.Errorf("verdict %q by %q", v.Verdict, v.Method)
	}
}

// Nothing over something is no ratio, and zeros have no logarithm; neither may
// become a number that is not one.
func TestZeros(t *testing.T) {
	faults := func(v string, each ...float64) (runs []result.Run) {
		for i, x := range each {
			runs = append(runs, run(v, i, result.Got("page_faults", x, "count", result.SourceProc, "")))
		}
		return runs
	}
	r := Build(join(faults("old", 0, 0, 0), faults("new", 10, 20, 30), faults("some", 0, 10, 20)), Options{Base: "old"})
	if _, ok := rowOf(t, r, "new").VsBase["page_faults_per_query"]; ok {
		t.Error("a ratio to 0")
	}
	if m := rowOf(t, r, "old").Metrics["page_faults_per_query"]; *m.Value != 0 || m.Low != nil || m.Method == "" {
		t.Errorf("all zeros: %+v", m)
	}
	r = Build(join(faults("new", 10, 20, 30), faults("some", 0, 10, 20)), Options{Base: "new"})
	v := rowOf(t, r, "some").VsBase["page_faults_per_query"]
	if v.Ratio != 0.5 || v.Low != nil || v.Verdict != Unsure || v.Method == "" {
		t.Errorf("some zeros: %+v", v)
	}
}

// Whatever the starts say, bounds hold the value, a verdict agrees with its
// interval, and the report is JSON.
func TestIntervalsHoldTheValue(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	draw := func(n int) []float64 {
		scale := math.Exp(20 * (rnd.Float64() - 0.5))
		xs := make([]float64, n)
		for i := range xs {
			switch rnd.IntN(6) {
			case 0:
				xs[i] = scale
			case 1:
				xs[i] = scale * math.Exp(3*rnd.NormFloat64())
			case 2:
				xs[i] = 0
			default:
				xs[i] = scale * math.Exp(0.01*rnd.NormFloat64())
			}
		}
		return xs
	}
	for range 3000 {
		runs := join(series("old", draw(1+rnd.IntN(9))...), series("new", draw(1+rnd.IntN(9))...))
		r := Build(runs, Options{Base: "old"})
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		for _, row := range r.Rows {
			for name, m := range row.Metrics {
				if (m.Low == nil) != (m.High == nil) || (m.Low != nil && !(*m.Low <= *m.Value && *m.Value <= *m.High)) {
					t.Fatalf("%s: %v not in [%v, %v]", name, *m.Value, *m.Low, *m.High)
				}
				if (m.Value == nil) == m.State.Usable() {
					t.Fatalf("%s: state %s, value %v", name, m.State, m.Value)
				}
			}
			for name, v := range row.VsBase {
				agrees(t, name, v)
			}
		}
	}
}

// agrees checks a verdict against the fixed meaning of its word.
func agrees(t *testing.T, name string, v R) {
	t.Helper()
	if v.Low == nil || v.High == nil {
		if v.Verdict != Unsure && v.Verdict != None {
			t.Fatalf("%s: %q without an interval", name, v.Verdict)
		}
		return
	}
	if !(*v.Low <= v.Ratio && v.Ratio <= *v.High) {
		t.Fatalf("%s: ratio %v not in [%v, %v]", name, v.Ratio, *v.Low, *v.High)
	}
	if v.Verdict == None {
		return
	}
	want := Unsure
	switch {
	case *v.Low > 1+v.Threshold:
		want = Slower
	case *v.High < 1-v.Threshold:
		want = Faster
	case *v.Low >= 1-v.Threshold && *v.High <= 1+v.Threshold:
		want = Same
	}
	if gain := newMetricTable().of(name).Sense == Gain; gain && want == Slower {
		want = Faster
	} else if gain && want == Faster {
		want = Slower
	}
	if v.Verdict != want {
		t.Fatalf("%s: %q, but [%v, %v] with threshold %v says %q", name, v.Verdict, *v.Low, *v.High, v.Threshold, want)
	}
}
