package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"opcost/perfctl/result"
)

// experiment is a simulated plan: some workloads, two versions, some starts a
// side, measured by one counter.
type experiment struct {
	workloads, starts int
	changed           int                      // workloads that the new version changes
	effect            float64                  // by so much: 0.02 is +2%
	sd                func(*rand.Rand) float64 // noise between starts, drawn once a workload
	heavy             float64                  // share of starts with four times the noise
	seen              []float64                // in place of both: deviations to draw from
}

// pool are the deviations, in percent, of 32 server starts of MariaDB 10.11
// under callgrind (point-query by text, 2,000 statements a start; logarithms of
// instructions/query around their median, of two kinds of 16): the real shape.
// One start in 32 is off by ten times what the others are.
var pool = []float64{
	-0.024, -0.003, -0.028, 0.003, -0.020, -0.001, 0.012, 0.047, -0.008, -0.014, 0.053, 0.046, 0.001, 0.025, -0.001, 0.047,
	0.032, -0.008, -0.016, 0.133, -0.024, -0.002, -0.001, 0.019, 0.367, -0.046, 0.010, 0.001, 0.071, -0.013, -0.030, 0.006,
}

func always(sd float64) func(*rand.Rand) float64 {
	return func(*rand.Rand) float64 { return sd }
}

// between draws a noise from a range, evenly by its logarithm.
func between(lo, hi float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return lo * math.Pow(hi/lo, r.Float64()) }
}

func (x experiment) runs(rnd *rand.Rand) (runs []result.Run) {
	t := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for w := range x.workloads {
		sd := x.sd(rnd)
		for v, version := range []string{"old", "new"} {
			for s := range x.starts {
				noise := rnd.NormFloat64() * sd
				if rnd.Float64() < x.heavy {
					noise *= 4
				}
				if x.seen != nil {
					noise = x.seen[rnd.IntN(len(x.seen))] / 100
				}
				if v == 1 && w < x.changed {
					noise += math.Log1p(x.effect)
				}
				t = t.Add(time.Second)
				r := run(version, s, perf("instructions", 40e6*math.Exp(noise), result.UserKernel))
				r.Started, r.Workload = t, fmt.Sprintf("w%d", w)
				runs = append(runs, r)
			}
		}
	}
	return runs
}

// simulate gives the shares of verdicts on changed and unchanged workloads, and
// how often an unchanged one's interval holds 1.
func (x experiment) simulate(t *testing.T, ratios int) (changed, unchanged map[Verdict]float64, coverage float64) {
	rnd := rand.New(rand.NewPCG(42, uint64(x.workloads)))
	counts := [2]map[Verdict]float64{{}, {}}
	var n [2]float64
	held := 0.0
	for range (ratios + x.workloads - 1) / x.workloads {
		for _, row := range Build(x.runs(rnd), Options{}).Rows {
			if row.Version != "new" {
				continue
			}
			v := row.VsBase["instructions_per_query"]
			agrees(t, "instructions_per_query", v)
			i := 1
			if w := 0; must(fmt.Sscanf(row.Workload, "w%d", &w)) && w < x.changed {
				i = 0
			}
			counts[i][v.Verdict]++
			n[i]++
			if i == 1 && *v.Low <= 1 && *v.High >= 1 {
				held++
			}
		}
	}
	for i := range counts {
		for v := range counts[i] {
			counts[i][v] /= n[i]
		}
	}
	return counts[0], counts[1], held / n[1]
}

func must(_ int, err error) bool { return err == nil }

// What verdicts are worth, on generated experiments with a fixed seed. Counts of
// instructions repeat within 0.05% to 0.3% between starts (seen: 44,380 to
// 44,402 prepared, 65,425 to 65,627 by text), some starts being far off.
func TestSimulation(t *testing.T) {
	for _, c := range []struct {
		name             string
		x                experiment
		ratios           int
		found, same      float64 // at least
		wrong, uncovered float64 // at most
	}{
		{"A/A, 10,000 experiments with the noise seen", experiment{workloads: 1, starts: 4, sd: always(0), seen: pool}, 10_000, 0, 0.80, 0.05, 0.06},
		{"A/A, eight workloads with the noise of instruction counts", experiment{8, 4, 0, 0, between(0.0005, 0.003), 0.05, nil}, 2_000, 0, 0.80, 0.05, 0.06},
		{"A/A with 0.5% noise, and heavy tails", experiment{8, 4, 0, 0, always(0.005), 0.05, nil}, 2_000, 0, 0, 0.05, 0.06},
		{"A/A of unlike noises: 0.05% to 5%", experiment{8, 4, 0, 0, between(0.0005, 0.05), 0, nil}, 2_000, 0, 0.30, 0.05, 0.06},
		{"A/A with seven starts, 0.2% noise", experiment{8, 7, 0, 0, always(0.002), 0, nil}, 2_000, 0, 0.80, 0.05, 0.06},
		{"+2% on one of eight with 0.5% noise", experiment{8, 4, 1, 0.02, always(0.005), 0, nil}, 3_000, 0.95, 0, 0.05, 0.06},
		{"+2% on all with 0.5% noise", experiment{8, 4, 8, 0.02, always(0.005), 0, nil}, 2_000, 0.95, 0, 0.05, 1},
		{"-2%, one workload, 0.2% noise", experiment{1, 4, 1, -0.02, always(0.002), 0, nil}, 500, 0, 0, 0.05, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			changed, unchanged, coverage := c.x.simulate(t, c.ratios)
			wrong := unchanged[Slower] + unchanged[Faster]
			found := changed[Slower]
			if c.x.effect < 0 {
				found = changed[Faster]
				if found < 0.95 || changed[Slower] > 0 {
					t.Errorf("faster %.3f, slower %.3f", found, changed[Slower])
				}
			}
			t.Logf("found %.3f; unchanged: same %.3f, wrong %.4f, interval holds 1: %.3f", found, unchanged[Same], wrong, coverage)
			if found < c.found || unchanged[Same] < c.same || wrong > c.wrong {
				t.Errorf("want found >= %g, same >= %g, wrong <= %g", c.found, c.same, c.wrong)
			}
			if c.x.changed < c.x.workloads && 1-coverage > c.uncovered {
				t.Errorf("intervals miss in %.3f, want at most %g", 1-coverage, c.uncovered)
			}
		})
	}
}

// Looking again and again, and going on only where it is unsure, is one more way
// to be wrong: two starts a side first, then one more each, up to eight. At the
// end it must not be called slower or faster more often than by one look.
func TestLooks(t *testing.T) {
	for _, c := range []struct {
		name               string
		x                  experiment
		experiments        int
		found, wrong, most float64 // starts a side, on average
	}{
		{"A/A with the noise seen", experiment{workloads: 1, starts: 8, sd: always(0), seen: pool}, 600, 0, 0.05, 3.5},
		{"A/A with much noise", experiment{workloads: 1, starts: 8, sd: always(0.10)}, 600, 0, 0.07, 8},
		{"+2% with 0.5% noise", experiment{workloads: 1, starts: 8, changed: 1, effect: 0.02, sd: always(0.005)}, 300, 0.95, 0, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(5, 5))
			found, wrong, starts := 0.0, 0.0, 0.0
			for range c.experiments {
				all := c.x.runs(rnd)
				n := 2
				first := func(n int) []result.Run {
					return append(slices.Clone(all[:n]), all[c.x.starts:c.x.starts+n]...)
				}
				judge := func(fdr float64) Verdict {
					return rowOf(t, Build(first(n), Options{FDR: fdr}), "new").VsBase[instructions].Verdict
				}
				for n < c.x.starts && judge(LookFDR) == Unsure {
					n++
				}
				starts += float64(n)
				switch v := judge(0); {
				case v == Slower && c.x.effect > 0:
					found++
				case v == Slower || v == Faster:
					wrong++
				}
			}
			of := float64(c.experiments)
			t.Logf("found %.3f, wrong %.4f, %.1f starts a side", found/of, wrong/of, starts/of)
			if found/of < c.found || wrong/of > c.wrong || starts/of > c.most {
				t.Errorf("want found >= %g, wrong <= %g, starts <= %g", c.found, c.wrong, c.most)
			}
		})
	}
}
