package perfctl_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/aclements/go-moremath/stats"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
	"opcost/testbed/figures"
)

// Verdicts on real server starts, drawn from one pool: of two halves of the
// same version, and of a version that costs 2% more against it. And the time to
// such a verdict by instructions/query, by CPU/query and by QPS.
//
// It measures 48 server starts, for some minutes; OPCOST_BENCH_POOL=DIR keeps
// them, and judges those that are there.
func TestBenchVerdicts(t *testing.T) {
	if os.Getenv("OPCOST_BENCH") == "" {
		t.Skip("it takes minutes: `make bench`, or OPCOST_BENCH=1, runs it")
	}
	dir := os.Getenv("OPCOST_BENCH_POOL")
	if dir == "" {
		dir = filepath.Join(t.TempDir(), "pool")
	}
	if _, err := os.Stat(dir); err != nil {
		newBench(t, dir).fill()
	}
	p := readPool(t, dir)
	plain, padded := p[poolKey(plainVersion, result.PassCallgrind)], p[poolKey(paddedVersion, result.PassCallgrind)]
	counted := p[poolKey(plainVersion, result.PassCount)]
	rnd := rand.New(rand.NewPCG(7, 7))

	// A/A: four starts against four others of the same version.
	calls := map[compare.Verdict]int{}
	for range 40 {
		draw := rnd.Perm(len(plain))
		calls[verdict(t, sample(plain, draw[:4], "old"), sample(plain, draw[4:8], "new"))]++
	}
	wrong := calls[compare.Slower] + calls[compare.Faster]
	figures.Say(t, figures.Figure{Name: "verdicts: A/A, 40 comparisons of 4 and 4 starts", Limit: "wrong in 2 at most, same in 32 at least",
		Seen: fmt.Sprintf("%d same, %d unsure, %d wrong", calls[compare.Same], calls[compare.Unsure], wrong), Met: wrong <= 2 && calls[compare.Same] >= 32})
	if wrong > 2 || calls[compare.Same] < 32 {
		t.Errorf("A/A: %d wrong (at most 2), %d same (at least 32)", wrong, calls[compare.Same])
	}

	// +2%: four starts against four of the padded version.
	calls = map[compare.Verdict]int{}
	for range 20 {
		calls[verdict(t, sample(plain, rnd.Perm(len(plain))[:4], "old"), sample(padded, rnd.Perm(len(padded))[:4], "new"))]++
	}
	figures.Say(t, figures.Figure{Name: "verdicts: +2% of instructions/query, 20 comparisons of 4 and 4 starts", Limit: "found in 18 at least",
		Seen: fmt.Sprintf("%d slower, %d unsure, %d others", calls[compare.Slower], calls[compare.Unsure], 20-calls[compare.Slower]-calls[compare.Unsure]), Met: calls[compare.Slower] >= 18})
	if calls[compare.Slower] < 18 {
		t.Errorf("+2%% found in %d of 20, want 18", calls[compare.Slower])
	}

	change := mean(perQuery(plain, padded, instructions))
	t.Logf("the padded statement costs %+.2f%% instructions/query", 100*change)

	under, count := p.secondsAStart(result.PassCallgrind), p.secondsAStart(result.PassCount)
	var least, qpsTime time.Duration
	var spreads []float64
	for _, m := range []struct {
		name    string
		runs    []result.Run
		value   func(result.Run) float64
		seconds float64
	}{
		{"instructions/query (callgrind)", plain, instructions, under},
		{"CPU/query (process clock)", counted, cpu, count},
		{"QPS alone", counted, qps, count},
	} {
		sd := stats.StdDev(logs(m.runs, m.value))
		n := startsNeeded(sd, 0.02, 0.006)
		took := time.Duration(2 * float64(n) * m.seconds * float64(time.Second))
		figures.Say(t, figures.Figure{Name: "spread between server starts: " + m.name, Seen: fmt.Sprintf("%.2f%%", 100*sd)})
		figures.Say(t, figures.Figure{Name: "time to a verdict on +2% by " + m.name, Seen: fmt.Sprintf("%v (%d starts a side x %.1f s)", took.Round(time.Second), n, m.seconds)})
		spreads = append(spreads, sd)
		if least == 0 {
			least = took
		}
		qpsTime = took
	}
	figures.Say(t, figures.Figure{Name: "time to a verdict: by QPS alone over by instructions/query", Seen: fmt.Sprintf("%.1f", float64(qpsTime)/float64(least))})
	figures.Say(t, figures.Figure{Name: "spread between server starts: QPS over instructions/query", Seen: fmt.Sprintf("%.1f", spreads[len(spreads)-1]/spreads[0])})
}

// sample takes starts of the pool as those of a version.
func sample(from []result.Run, which []int, version string) []result.Run {
	var runs []result.Run
	for i, k := range which {
		r := from[k]
		r.Version, r.ID, r.Start = version, fmt.Sprint(version, i), fmt.Sprint(version, i)
		runs = append(runs, r)
	}
	return runs
}

// verdict compares new with old by the metric that carries the verdict.
func verdict(t *testing.T, old, new []result.Run) compare.Verdict {
	t.Helper()
	for _, row := range compare.Build(append(old, new...), compare.Options{Base: "old"}).Rows {
		if row.Version == "new" {
			if row.Primary != "instructions_per_query" {
				t.Fatalf("the verdict is by %q", row.Primary)
			}
			return row.VsBase[row.Primary].Verdict
		}
	}
	t.Fatal("no row of the new version")
	return ""
}

func reading(r result.Run, name string) float64 {
	w := r.Passes[0].Windows[0]
	for _, x := range w.Readings {
		if x.Name == name && x.Value != nil {
			return *x.Value / float64(w.Ops.N())
		}
	}
	return math.NaN()
}

func instructions(r result.Run) float64 { return reading(r, "instructions_user") }
func cpu(r result.Run) float64          { return reading(r, "cpu_us") }
func qps(r result.Run) float64 {
	w := r.Passes[0].Windows[0]
	return float64(w.Ops.N()) / (float64(w.DurationNS) / 1e9)
}

func logs(runs []result.Run, value func(result.Run) float64) []float64 {
	var ls []float64
	for _, r := range runs {
		ls = append(ls, math.Log(value(r)))
	}
	return ls
}

// perQuery is the change from each start to that beside it.
func perQuery(old, new []result.Run, value func(result.Run) float64) []float64 {
	var cs []float64
	for i := range old {
		cs = append(cs, value(new[i])/value(old[i])-1)
	}
	return cs
}

func mean(xs []float64) float64 { return stats.Mean(xs) }

// secondsAStart is the median time from a start of a pass to whatever start
// came next, everything included.
func (p pool) secondsAStart(kind result.PassKind) float64 {
	var all []result.Run
	for _, runs := range p {
		all = append(all, runs...)
	}
	slices.SortFunc(all, func(a, b result.Run) int { return a.Started.Compare(b.Started) })
	var s []float64
	for i := 1; i < len(all); i++ {
		if all[i-1].Passes[0].Kind == kind {
			s = append(s, all[i].Started.Sub(all[i-1].Started).Seconds())
		}
	}
	return stats.Sample{Xs: s}.Quantile(0.5)
}

// startsNeeded is how many starts a side find a change in 95% of cases: the 95%
// interval of the ratio (t, pooled over the two sides) then lies wholly beyond
// the threshold. The half-width and the scatter of its middle are both σ√(2/n)
// times a quantile.
func startsNeeded(sd, change, threshold float64) int {
	room := math.Log1p(change) - math.Log1p(threshold)
	for n := 2; ; n++ {
		dist := stats.TDist{V: float64(2*n - 2)}
		quantile := stats.InvCDF(dist)
		if (quantile(0.975)+quantile(0.95))*sd*math.Sqrt(2/float64(n)) <= room || n == 100_000 {
			return n
		}
	}
}
