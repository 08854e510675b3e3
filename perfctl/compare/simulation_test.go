package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"opcost/perfctl/result"
)

// An experiment of the simulation: a plan of some workloads, two versions, some
// starts a side, measured by one counter.
type experiment struct {
	workloads, starts int
	effect            float64                  // of the new version on every changed workload, 0.02 is +2%
	changed           int                      // workloads that the effect is on
	sd                func(*rand.Rand) float64 // noise of a workload between starts, drawn once a workload
	heavy             float64                  // share of starts that have four times the noise
}

func constant(sd float64) func(*rand.Rand) float64 {
	return func(*rand.Rand) float64 { return sd }
}

// logUniform noise: workloads differ, as they do.
func logUniform(lo, hi float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return lo * math.Pow(hi/lo, r.Float64()) }
}

func (x experiment) runs(rnd *rand.Rand) []result.Run {
	t := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var runs []result.Run
	for w := range x.workloads {
		sd := x.sd(rnd)
		for v, version := range []string{"old", "new"} {
			for s := range x.starts {
				noise := rnd.NormFloat64() * sd
				if rnd.Float64() < x.heavy {
					noise *= 4
				}
				if v == 1 && w < x.changed {
					noise += math.Log1p(x.effect)
				}
				n := 40_000 * math.Exp(noise) * 1000
				t = t.Add(time.Second)
				runs = append(runs, result.Run{
					ID: fmt.Sprint(w, v, s), Start: fmt.Sprint(v, s), Started: t, Version: version,
					Workload: fmt.Sprintf("w%d", w), Group: "point", Clients: 1,
					Passes: []result.Pass{{Kind: result.PassCount, State: result.OK, Windows: []result.Window{{
						State: result.OK, DurationNS: 1e9, Ops: result.OpCount{Source: result.SourceClient, Per: "statement", End: 1000},
						Readings: []result.Reading{result.Got("instructions", n, "count", result.SourcePerf, result.UserKernel)},
					}}}},
				})
			}
		}
	}
	return runs
}

// shares of the verdicts on changed and unchanged workloads.
type shares map[Verdict]float64

func (x experiment) simulate(seed uint64, comparisons int, o Options) (changed, unchanged shares) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	changed, unchanged = shares{}, shares{}
	var nChanged, nUnchanged float64
	for done := 0; done < comparisons; done += x.workloads {
		for _, row := range Build(x.runs(rnd), o).Rows {
			if row.Version != "new" {
				continue
			}
			var w int
			fmt.Sscanf(row.Workload, "w%d", &w)
			v := row.VsBase["instructions_per_query"].Verdict
			if w < x.changed {
				changed[v]++
				nChanged++
			} else {
				unchanged[v]++
				nUnchanged++
			}
		}
	}
	for v := range changed {
		changed[v] /= nChanged
	}
	for v := range unchanged {
		unchanged[v] /= nUnchanged
	}
	return changed, unchanged
}

func TestExplore(t *testing.T) {
	for _, thr := range []float64{.004,.005, .006,.0065, .007} {
		for _, x := range []experiment{
			{1, 4, .02, 1, constant(.005), 0},
			{8, 4, .02, 1, constant(.005), 0},
			{8, 4, .02, 8, constant(.005), 0},
			{8, 4, .02, 1, constant(.005), .05},
			{8, 4, .02, 1, constant(.003), .05},
			{8, 4, .02, 1, logUniform(.0005, .005), .05},
			{8, 4, .02, 1, logUniform(.0005, .003), .05},
			{1, 4, .02, 0, logUniform(.0005, .003), .05},
			{32, 4, .02, 2, logUniform(.0005, .005), 0},
			{8, 6, .02, 1, constant(.005), 0},
		} {
			start := time.Now()
			c, u := x.simulate(1, 2000, Options{Threshold: thr})
			t.Logf("thr %.4f w=%d n=%d changed=%d heavy=%.2f: found %.3f  A/A same %.3f wrong %.4f  (%v)", thr, x.workloads, x.starts, x.changed, x.heavy, c[Slower], u[Same], u[Slower]+u[Faster], time.Since(start))
		}
	}
}
