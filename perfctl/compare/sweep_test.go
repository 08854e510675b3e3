package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"opcost/perfctl/result"
)

// Ratios at 1, 4, 10 and 40 clients, with or without intervals, and what is to
// be said of them.
func TestCrossover(t *testing.T) {
	const unsure = -1 // around the ratio 1
	for _, c := range []struct {
		name     string
		ratios   []float64
		single   bool
		stat     string
		kind     CrossoverKind
		from     int
		sentence string
	}{
		{"always", []float64{1.1, 1.2, 1.3, 1.4}, false, OfWorkload, CrossoverAlways, 1,
			"In new, w is faster than old at every number of clients measured (1 to 40)"},
		{"from 10", []float64{0.8, 0.9, 1.2, 2}, false, OfWorkload, CrossoverFrom, 10,
			"In new, w is faster than old from 10 clients on; slower at 1 and 4 clients"},
		{"from 10, unsure before", []float64{0.8, unsure, 1.2, 2}, false, OfWorkload, CrossoverFrom, 10,
			"In new, w is faster than old from 10 clients on; slower at 1 client; unsure at 4 clients"},
		{"back and forth", []float64{1.2, 0.9, 1.2, 2}, false, OfWorkload, CrossoverFrom, 10,
			"In new, w is faster than old from 10 clients on, and at 1 client; slower at 4 clients"},
		{"does not stay", []float64{0.9, 1.2, 1.2, 0.9}, false, OfWorkload, CrossoverNever, 0,
			"In new, w is faster than old at 4 and 10 clients only; slower at 1 and 40 clients"},
		{"never", []float64{0.9, 0.9, 0.8, 0.7}, false, OfAll, CrossoverNever, 0,
			"In new, at no number of clients measured (1 to 40) are all point queries faster than old"},
		{"unsure at last", []float64{0.8, 0.9, 1.2, unsure}, false, OfMost, CrossoverUnsure, 0,
			"In new, it is unsure whether most point queries are faster than old at 40 clients, the most measured; faster at 10 clients; most are slower at 1 and 4 clients"},
		{"never, and unsure", []float64{0.9, unsure, 0.8, 0.7}, false, OfWorkload, CrossoverNever, 0,
			"In new, at no number of clients measured (1 to 40) is w shown to be faster than old; slower at 1, 10 and 40 clients; unsure at 4 clients"},
		{"unsure everywhere", []float64{unsure, unsure, unsure, unsure}, false, OfWorkload, CrossoverUnsure, 0,
			"In new, it is unsure at every number of clients measured (1 to 40) whether w is faster than old"},
		{"one number", []float64{1.1}, false, OfWorkload, CrossoverAlways, 1, "In new, w is faster than old at 1 client, the only number measured"},
		{"single", []float64{0.8, 0.9, 1.2, 2}, true, OfWorkload, CrossoverFrom, 10,
			"In new, w is faster than old from 10 clients on; slower at 1 and 4 clients (by single runs, no interval)"},
		{"single, within the threshold", []float64{0.8, 0.9, 1.01, 2}, true, OfAll, CrossoverFrom, 40,
			"In new, all point queries are faster than old from 40 clients on; some are slower at 1 and 4 clients; unsure at 10 clients (by single runs, no interval)"},
	} {
		l := SweepLine{Group: "point", Workload: "w", Stat: c.stat, Version: "new"}
		for i, r := range c.ratios {
			p := SweepPoint{Clients: []int{1, 4, 10, 40}[i], Ratio: math.Abs(r)}
			if c.stat != OfWorkload {
				p.Workloads, p.middle = 5, [2]float64{p.Ratio, p.Ratio}
			}
			if !c.single {
				lo, hi := p.Ratio*0.98, p.Ratio*1.02
				p.Low, p.High = &lo, &hi
			}
			p.standing = stand(p, newMetricTable().of("qps"))
			l.Points = append(l.Points, p)
		}
		got := crossover(l, "old", "qps")
		if got.Kind != c.kind || got.From != c.from || got.Sentence != c.sentence {
			t.Errorf("%s: %s from %d\n%s\nwant %s from %d\n%s", c.name, got.Kind, got.From, got.Sentence, c.kind, c.from, c.sentence)
		}
	}
}

// Half of a group is not most of it, with intervals and without; and a group
// whose workloads were not measured everywhere says so.
func TestCrossoverOfGroups(t *testing.T) {
	at := func(clients int, starts int, ratios ...float64) (runs []result.Run) {
		for i, ratio := range ratios {
			for _, v := range []string{"new", "old"} {
				for start := range starts {
					qps := 100_000 * (1 + 0.001*float64(start%3-1))
					if v == "new" {
						qps *= ratio
					}
					r := releaseRun(v, "h", fmt.Sprint("w", i), start, qps, 100)
					r.Clients = clients
					r.ID += fmt.Sprint(clients)
					runs = append(runs, r)
				}
			}
		}
		return runs
	}
	const half = "In new, most point queries are faster than old from 4 clients on; unsure at 1 client"
	for _, starts := range []int{1, 4} {
		runs := join(at(1, starts, 0.95, 0.95, 1.2, 1.3), at(4, starts, 0.95, 1.1, 1.2, 1.3))
		s, err := SweepOf(Build(runs, Options{Base: "old", Metric: "qps"}), "qps")
		if err != nil {
			t.Fatal(err)
		}
		most := s.Lines[slices.IndexFunc(s.Lines, func(l SweepLine) bool { return l.Stat == OfMost })]
		near(t, "median of four", &most.Points[0].Ratio, (0.95+1.2)/2, 1e-3)
		if !strings.HasPrefix(most.Crossover.Sentence, half) {
			t.Errorf("%d starts: two of four are faster at 1 client, three at 4: %s", starts, most.Crossover.Sentence)
		}
	}
	s, err := SweepOf(Build(join(at(1, 1, 1.1, 1.1, 1.2), at(4, 1, 1.2)), Options{Base: "old", Metric: "qps"}), "qps")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range s.Lines {
		if unequal := strings.Contains(l.Crossover.Sentence, "not measured at every number"); unequal != (l.Workload == "") {
			t.Errorf("%q: %s", l.Workload, l.Crossover.Sentence)
		}
	}
	// Fewer instructions are not said to be fast without saying so.
	s, err = SweepOf(Build(at(1, 1, 1.1, 1.2), Options{Base: "old"}), "instructions_per_query")
	if err != nil || !strings.HasSuffix(s.Lines[0].Crossover.Sentence, "(by instructions/query; by single runs, no interval)") {
		t.Errorf("%v, %+v", err, s.Lines[0].Crossover)
	}
}

// Where the base was measured with two protocols, what stands beside an odd step
// is of the one that the ratio is to.
func TestBesideOfProtocol(t *testing.T) {
	var runs []result.Run
	for _, protocol := range []string{"prepared", "text"} {
		for i, qps := range []float64{1, 0.5, 1} {
			for _, v := range []string{"old", "new"} {
				us := 10.0
				if protocol == "text" {
					us = 30
				}
				r := run(v, 0, cpu(us*1000))
				r.Protocol, r.Clients, r.ID = protocol, 1+i, fmt.Sprint(protocol, i, v)
				r.Start = r.ID
				if v == "new" {
					r.Passes[0].Windows[0].Ops.End = 5 + int64(1000*qps)
				}
				runs = append(runs, r)
			}
		}
	}
	s, err := SweepOf(Build(runs, Options{Base: "old"}), "qps")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, l := range s.Lines {
		for _, p := range l.Points {
			for _, b := range p.Beside {
				found++
				if want := map[string]float64{"prepared": 10, "text": 30}[l.Protocol]; *b.Base != want {
					t.Errorf("%s: beside it the base has %v, want %v", l.Protocol, *b.Base, want)
				}
			}
		}
	}
	if found != 2 {
		t.Errorf("%d costs beside odd steps, want 2", found)
	}
}

// For a cost, less is faster.
func TestStandOfCost(t *testing.T) {
	if got := stand(SweepPoint{Ratio: 0.5}, newMetricTable().of("response_us")); got != standsFaster {
		t.Errorf("half the response time is %v", got)
	}
	if _, err := SweepOf(Report{}, "ipc"); err == nil || !strings.Contains(err.Error(), "qps") {
		t.Errorf("a metric that is neither faster nor slower: %v", err)
	}
}

func TestBeyondNeighbours(t *testing.T) {
	for _, c := range []struct {
		line []float64
		want float64
	}{
		{[]float64{0, 1, 2}, 0},
		{[]float64{0, 3, 2}, 1},
		{[]float64{2, 0.5, 1}, -0.5},
		{[]float64{1, 1, 1}, 0},
	} {
		if got := beyondNeighbours(c.line, 1); got != c.want {
			t.Errorf("%v: %v, want %v", c.line, got, c.want)
		}
	}
	if beyondNeighbours([]float64{9, 1, 9}, 0) != 0 || beyondNeighbours([]float64{9, 1, 9}, 2) != 0 {
		t.Error("an end has one neighbour only, and is never odd")
	}
	// Zigzags of 0.04, up on some lines and down on others: 3 x 1.4826 x 0.04.
	var zigzag, shared [][]float64
	for i := range 9 {
		d := 0.04 * float64(i%3-1)
		zigzag = append(zigzag, []float64{0, d, 0})
		shared = append(shared, []float64{0, 0.3, 0}) // a release that all lines rise at is no noise
	}
	if got, want := oddLimit(zigzag), 3*1.4826*0.04; math.Abs(got-want) > 1e-12 {
		t.Errorf("limit %v, want %v", got, want)
	}
	if got := oddLimit(shared); got != math.Log1p(0.05) {
		t.Errorf("limit %v, want 5%%", got)
	}
	if got := oddLimit([][]float64{{0, 1, 2}, {0, 5, 9}}); got != math.Log1p(0.05) {
		t.Errorf("limit of smooth lines %v, want 5%%", got)
	}
}

// A fall at 4 clients that 1 and 10 do not share is found in repeated and in
// single runs, with the costs beside it; noise alone is not.
func TestSweepOdd(t *testing.T) {
	for _, starts := range []int{1, 4} {
		var runs []result.Run
		for _, clients := range []int{1, 4, 10, 40} {
			for start := range starts {
				for _, v := range []string{"old", "new"} {
					for w := range 5 {
						noise := 1 + 0.002*float64((start*7+w*3+clients)%5-2)
						ops := 10_000 * noise
						if v == "new" {
							ops *= 0.9
						}
						if v == "new" && clients == 4 && w == 2 {
							ops *= 0.7
						}
						r := run(v, start, cpu(50*math.Round(ops)), result.Got("context_switches", 3*math.Round(ops), "count", result.SourceProc, result.UserKernel))
						r.Workload, r.Clients = fmt.Sprint("w", w), clients
						r.Passes[0].Windows[0].Ops.End = r.Passes[0].Windows[0].Ops.Begin + int64(math.Round(ops))
						runs = append(runs, r)
					}
				}
			}
		}
		s, err := SweepOf(Build(runs, Options{Base: "old", Metric: "qps", Only: SweepMetrics("qps")}), "qps")
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, l := range s.Lines {
			for _, p := range l.Points {
				if p.Odd == 0 {
					continue
				}
				found++
				if l.Workload != "w2" || p.Clients != 4 || p.Odd > -0.25 || p.Odd < -0.35 {
					t.Errorf("%d starts: odd %+v in %s", starts, p, l.Workload)
				}
				if len(p.Beside) != 2 || *p.Beside[0].Value != 50 || *p.Beside[1].Value != 3 {
					t.Errorf("beside it: %+v", p.Beside)
				}
			}
			if l.Workload == "" && l.Stat == OfAll && l.Points[1].Ratio > 0.65 {
				t.Errorf("the least good of the group at 4 clients: %v", l.Points[1].Ratio)
			}
			if (l.Points[0].Low != nil) != (starts > 1) {
				t.Errorf("%d starts: interval %v", starts, l.Points[0].Low)
			}
		}
		if found != 1 {
			t.Errorf("%d starts: %d odd points", starts, found)
		}
	}
}
