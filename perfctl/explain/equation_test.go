package explain_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"opcost/perfctl/compare"
	"opcost/perfctl/explain"
	"opcost/perfctl/result"
)

// addsUp checks a part and all below it.
func addsUp(t *testing.T, what string, p explain.Part, scale float64) {
	t.Helper()
	if p.Low != nil && (*p.Low > p.Delta+1e-9*scale || *p.High < p.Delta-1e-9*scale) {
		t.Errorf("%s: %s: %v is not within %v .. %v", what, p.Label, p.Delta, *p.Low, *p.High)
	}
	if len(p.Parts) == 0 {
		return
	}
	delta, points, base, new := 0.0, 0.0, 0.0, 0.0
	for _, x := range p.Parts {
		delta, points, base, new = delta+x.Delta, points+x.Points, base+x.Base, new+x.New
		addsUp(t, what, x, scale)
	}
	if math.Abs(delta-p.Delta) > 1e-9*scale || math.Abs(points-p.Points) > 1e-6*(1+math.Abs(p.Points)) {
		t.Errorf("%s: the parts of %q add up to %v (%v points), not to %v (%v points)", what, p.Label, delta, points, p.Delta, p.Points)
	}
	if p.Of == "sum" && (math.Abs(base-p.Base) > 1e-9*scale || math.Abs(new-p.New) > 1e-9*scale) {
		t.Errorf("%s: the terms of %q add up to %v → %v, not to %v → %v", what, p.Label, base, new, p.Base, p.New)
	}
}

// TestEquationByHand: 400,000 × 0.8 ÷ 4 GHz = 80 µs become 520,000 × 0.8 ÷ 4 =
// 104 µs. Of the connections' 79 → 102.7 all is by instructions, as the other
// factors are what they were.
func TestEquationByHand(t *testing.T) {
	exact := func(version string, factor float64) made {
		c := usual()
		for _, name := range []string{"instructions", "cycles", "cpu_us", "cpu_connection_us"} {
			c[name] *= factor
		}
		return made{version: version, costs: c, response: 100 + 79*(factor-1), noise: 1e-12}
	}
	e := explained(t, exact("old", 1).runs(), exact("new", 1.3).runs())
	if len(e.Equations) != 2 || len(e.Missing) != 0 {
		t.Fatalf("%d equations, missing %+v", len(e.Equations), e.Missing)
	}
	q := e.Equations[0]
	addsUp(t, "response", q.Total, 100)
	on := q.Total.Parts[0]
	want := map[string][3]float64{ // base, new, delta
		"instructions/query":                    {400_000, 520_000, 23.7},
		"cycles/instruction":                    {0.8, 0.8, 0},
		"clock":                                 {4, 4, 0},
		"connections' part of the CPU":          {79. / 80, 79. / 80, 0},
		"waiting for a CPU":                     {1, 1, 0},
		"the rest: locks, I/O, network, client": {20, 20, 0},
		"on CPU, connection threads":            {79, 102.7, 23.7},
	}
	for _, p := range append(append([]explain.Part{on}, on.Parts...), q.Total.Parts[1:]...) {
		w, ok := want[p.Label]
		if !ok {
			t.Errorf("an unexpected part %q", p.Label)
		}
		delete(want, p.Label)
		for i, got := range []float64{p.Base, p.New, p.Delta} {
			if math.Abs(got-w[i]) > 1e-6*(1+math.Abs(w[i])) {
				t.Errorf("%s: %v, want %v", p.Label, []float64{p.Base, p.New, p.Delta}, w)
				break
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	if e.Words != "Response time is 24% longer: instructions/query explain 24 points." {
		t.Errorf("%q", e.Words)
	}
}

// TestEquationsAddUp with made records: counters of every kind there or not,
// terms of 0, one start or many, more clients than one.
func TestEquationsAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	few := func() float64 { return math.Exp(rng.NormFloat64()) }
	split, missed := 0, 0
	for i := range 300 {
		side := func(version string) made {
			m := made{version: version, starts: 1 + rng.IntN(7), noise: 0.001 + 0.1*rng.Float64(), clients: 1 + i%4, response: 100 * few()}
			ins := 400_000 * few()
			cyc := ins * few()
			cpu := cyc / 4000 * few()
			m.costs = map[string]float64{"cpu_us": cpu, "questions": 1}
			if i%3 != 0 {
				m.costs["instructions"] = ins
			}
			if i%5 != 0 {
				m.costs["cycles"] = cyc
			}
			if i%7 != 0 {
				m.costs["cpu_connection_us"] = cpu * rng.Float64()
			}
			if i%4 != 0 {
				m.costs["run_queue_connection_us"] = few() * float64(rng.IntN(2))
			}
			if i%11 == 0 {
				m.costs["callgrind:instructions_user"] = ins
			}
			if i%13 == 0 {
				m.response = 0
			}
			if i%6 == 0 {
				m.rows = true
			}
			return m
		}
		s, err := explain.New(explain.Input{Base: side("old").runs(), New: side("new").runs()})
		if err != nil {
			t.Fatal(i, err)
		}
		e := s.Explain(0, nil, "")
		for _, q := range e.Equations {
			addsUp(t, fmt.Sprint(i, " ", q.Name), q.Total, q.Total.Base+q.Total.New)
			split += len(q.Total.Parts)
		}
		if len(e.Equations) == 0 {
			t.Errorf("%d: no equation", i)
		}
		if i%3 == 0 || i%5 == 0 || i%7 == 0 {
			if len(e.Missing) == 0 {
				t.Errorf("%d: a factor that was not measured is not named", i)
			}
			missed++
		}
	}
	if split < 600 || missed < 100 {
		t.Errorf("%d parts, %d with something missing: the records do not try what they should", split, missed)
	}
}

// TestMissingIsNamed: callgrind's instructions are evidence, and no factor.
func TestMissingIsNamed(t *testing.T) {
	side := func(version string, instructions, cpu float64) []result.Run {
		return made{version: version, response: 100 + cpu, costs: but(usual(), "instructions", nil, "cycles", nil, "callgrind:instructions_user", instructions, "cpu_us", cpu, "cpu_connection_us", cpu-1)}.runs()
	}
	e := explained(t, side("old", 400_000, 80), side("new", 520_000, 104))
	addsUp(t, "response", e.Equations[0].Total, 100)
	if parts := e.Equations[0].Total.Parts; len(parts) != 3 || len(parts[0].Parts) != 0 {
		t.Errorf("the connections' CPU must be one factor: %+v", parts)
	}
	found := false
	for _, m := range e.Missing {
		found = found || m.Name == "instructions/query" && strings.Contains(m.Reason, "callgrind (user space only)") && m.Remedy != ""
	}
	if !found {
		t.Errorf("%+v", e.Missing)
	}
	if k := finding(t, e, explain.MoreCode); !k.Sure || !strings.Contains(k.Text, "callgrind, user space only") {
		t.Errorf("%+v", k)
	}
}

// TestRowsAndStatements: response times per statement are not made of costs per
// row; the throughput of rows is what they fit.
func TestRowsAndStatements(t *testing.T) {
	m := func(version string) []result.Run {
		return made{version: version, response: 100, costs: usual(), rows: true, clients: 2}.runs()
	}
	e := explained(t, m("old"), m("new"))
	if q := e.Equations[0]; q.Total.Name != "time_us" || q.Per != "row" || math.Abs(q.Total.Base-100) > 1 {
		t.Errorf("%s, %s: %+v", q.Name, q.Per, q.Total)
	}
}

// TestWordsAddUp: the points of the sentence add up to its whole, and a change
// within noise is called that.
func TestWordsAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 200 {
		c := usual()
		for _, name := range []string{"instructions", "cycles", "cpu_us", "cpu_connection_us", "run_queue_connection_us"} {
			c[name] *= 0.5 + rng.Float64()
		}
		e := explained(t, made{version: "old", costs: usual(), response: 100}.runs(), made{version: "new", costs: c, response: 100 * (0.5 + rng.Float64())}.runs())
		head, rest, ok := strings.Cut(e.Words, ": ")
		if !ok || strings.Contains(e.Words, "within its noise") {
			continue
		}
		rest = strings.ReplaceAll(rest, "the rest: locks, I/O, network, client", "the rest")
		var whole, sum float64
		if _, err := fmt.Sscanf(head, "Response time is %f%%", &whole); err != nil {
			t.Fatalf("%q: %v", e.Words, err)
		}
		if strings.HasSuffix(head, "shorter") {
			whole = -whole
		}
		for part := range strings.SplitSeq(strings.TrimSuffix(rest, "."), ",") {
			part = strings.TrimSuffix(strings.TrimSpace(part), " points")
			fields := strings.Fields(part)
			var v float64
			if _, err := fmt.Sscanf(fields[len(fields)-1], "%f", &v); err != nil {
				continue // "on CPU, connection threads" has a comma of its own
			}
			sum += v
		}
		if math.Abs(sum-whole) > 1e-6 {
			t.Errorf("%d: %q adds up to %v", i, e.Words, sum)
		}
	}
	e := explained(t, made{version: "old", costs: usual(), response: 100, noise: 0.1}.runs(), made{version: "new", costs: usual(), response: 100, noise: 0.1}.runs())
	if !strings.Contains(e.Words, "within its noise: the 95% interval is ") {
		t.Errorf("%q", e.Words)
	}
}

// TestSideBySide: which cells are compared.
func TestSideBySide(t *testing.T) {
	old1, old8 := made{version: "11.4", costs: usual(), response: 100}.runs(), made{version: "11.4", costs: usual(), response: 100, clients: 8}.runs()
	e := explained(t, old1, old8)
	if _, d := differenceOf(t, e, "clients"); d.Base != "1" || d.New != "8" || d.Class != explain.Selected {
		t.Errorf("%+v", d)
	}
	if e.Base != "11.4 (clients=1)" || e.New != "11.4 (clients=8)" || e.Verdict.Word != string(compare.Same) {
		t.Errorf("%s → %s: %+v", e.Base, e.New, e.Verdict)
	}
	here, there := made{version: "11.4", costs: usual()}.runs(), made{version: "11.4", costs: usual()}.runs()
	for i := range here {
		here[i].Dir, there[i].Dir = "results/before", "results/after"
	}
	if s := study(t, here, there); s.Base != "11.4 in before" || s.New != "11.4 in after" {
		t.Errorf("%s → %s", s.Base, s.New)
	}
	both := append(append([]result.Run{}, old1...), old8...)
	slower := but(usual(), "instructions", 480_000, "cycles", 384_000)
	s := study(t, both, append(made{version: "12.0", costs: usual(), response: 100}.runs(), made{version: "12.0", costs: slower, response: 120, clients: 8}.runs()...))
	sums := s.Summaries()
	if len(sums) != 2 || sums[0].Clients != 8 || sums[0].Verdict.Word != "slower" || sums[1].Verdict.Word != "same" {
		t.Errorf("the worst must be first: %+v", sums)
	}
	for name, in := range map[string]explain.Input{
		"several versions": {Base: append(append([]result.Run{}, old1...), made{version: "x", costs: usual()}.runs()...), New: made{version: "y", costs: usual()}.runs()},
		"the same runs":    {Base: old1, New: old1},
		"no cell":          {Base: both, New: made{version: "y", costs: usual(), clients: 3}.runs()},
		"at least one":     {Base: nil, New: old1},
	} {
		if _, err := explain.New(in); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s = study(t, both, made{version: "12.0", costs: usual(), clients: 8}.runs())
	found := false
	for _, w := range s.Warnings {
		found = found || w.Code == "lone" && strings.Contains(w.Text, "clients=1")
	}
	if s.Len() != 1 || !found {
		t.Errorf("%d cells, %v", s.Len(), s.Warnings)
	}
}
