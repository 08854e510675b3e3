package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"opcost/perfctl/result"
)

// releaseRun is a start of one version whose throughput and instructions are given.
func releaseRun(v, host, workload string, start int, qps, instructions float64) result.Run {
	ops := math.Round(qps)
	r := run(v, start, perf("instructions", instructions*ops, result.UserKernel))
	r.Host, r.Workload, r.ID = host, workload, fmt.Sprint(host, workload, v, start)
	r.Start = fmt.Sprint(host, v, start)
	r.Passes[0].Windows[0].Ops.End = r.Passes[0].Windows[0].Ops.Begin + int64(ops)
	return r
}

var fourReleases = []string{"8.0.26", "8.0.27", "8.0.28", "8.0.30"}

func seriesOf(runs []result.Run) Series {
	o := Options{ByNumber: true, Metric: "qps", Only: SeriesMetrics("qps")}
	a, b := BuildBoth(runs, o)
	return SeriesOf(a, b, "qps")
}

// One true step of 5% in one of twenty workloads is found with its interval and
// its evidence; A/A steps are not, but for the share that may be false.
func TestSeriesSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var runs []result.Run
	for w := range 20 {
		for _, v := range fourReleases {
			for start := range 4 {
				qps, instructions := 100_000.0, 50_000.0
				if w == 7 && v >= "8.0.28" {
					qps, instructions = 95_000, 53_000
				}
				qps *= math.Exp(0.004 * rng.NormFloat64())
				runs = append(runs, releaseRun(v, "h", fmt.Sprintf("w%02d", w), start, qps, instructions))
			}
		}
	}
	s := seriesOf(runs)
	if len(s.Steps) != 1 {
		t.Fatalf("%d steps: %+v", len(s.Steps), s.Steps)
	}
	step := s.Steps[0]
	if step.Workload != "w07" || step.From != "8.0.27" || step.To != "8.0.28" || step.Single || step.Odd {
		t.Errorf("step %+v", step)
	}
	if *step.R.Low > 0.95 || *step.R.High < 0.95 || *step.R.High > 0.98 {
		t.Errorf("interval [%v, %v] of a ratio of 0.95", *step.R.Low, *step.R.High)
	}
	if len(step.Evidence) != 1 || step.Evidence[0].Metric != "instructions_per_query" || math.Abs(*step.Evidence[0].Ratio-1.06) > 1e-9 {
		t.Errorf("evidence %+v", step.Evidence)
	}
	line := s.Lines[7]
	near(t, "8.0.30 to the base", &line.Points[3].VsBase.Ratio, 0.95, 0.01)
	near(t, "8.0.30 to the release before", &line.Points[3].VsPrevious.Ratio, 1, 0.01)
}

// A release that lost what the next one gave back is odd; a step that lasts is not.
func TestSeriesOdd(t *testing.T) {
	for _, starts := range []int{1, 4} {
		var runs []result.Run
		for w, qps := range map[string][]float64{"odd": {1000, 1000, 400, 980}, "lasting": {1000, 1000, 700, 700}, "flat": {1000, 1005, 1002, 998}} {
			for i, v := range fourReleases {
				for start := range starts {
					runs = append(runs, releaseRun(v, "h", w, start, 100*qps[i]*(1+0.001*float64(start%3-1)), 50_000))
				}
			}
		}
		s := seriesOf(runs)
		for _, l := range s.Lines {
			for i, p := range l.Points {
				if (p.Odd != 0) != (l.Workload == "odd" && i == 2) {
					t.Errorf("%d starts, %s, %s: odd %v", starts, l.Workload, s.Versions[i], p.Odd)
				}
			}
		}
		odd := 0
		for _, step := range s.Steps {
			if step.Single != (starts == 1) {
				t.Errorf("%d starts: single %v", starts, step.Single)
			}
			if step.Odd {
				odd++
			}
		}
		if len(s.Steps) != 3 || odd != 2 {
			t.Errorf("%d starts: %d steps, %d of them odd; want 3 and 2", starts, len(s.Steps), odd)
		}
	}
}

func TestSeriesHosts(t *testing.T) {
	var runs []result.Run
	for _, host := range []string{"amd", "intel"} {
		for i, v := range fourReleases {
			for start := range 4 {
				noise := 1 + 0.001*float64(start%3-1)
				qps := 100_000 * noise
				if host == "intel" && i == 3 {
					qps *= 0.8
				}
				runs = append(runs, releaseRun(v, host, "scan", start, qps, 50_000), releaseRun(v, host, "insert", start, 90_000*noise*(1-0.1*float64(i)), 50_000))
			}
		}
	}
	s := seriesOf(runs)
	if len(s.Disagree) != 1 || s.Disagree[0].Workload != "scan" || s.Disagree[0].Version != "8.0.30" || len(s.Disagree[0].Hosts) != 2 || s.Disagree[0].Single {
		t.Errorf("hosts disagree at scan of 8.0.30 alone: %+v", s.Disagree)
	}
}

// MariaDB's first release is no step from MySQL's last.
func TestSeriesOfTwoFlavours(t *testing.T) {
	var runs []result.Run
	for _, v := range []string{"8.0.28", "8.0.30", "10.6.2", "10.11.4"} {
		r := releaseRun(v, "h", "scan", 0, 100_000, 50_000)
		r.Server.Flavor, r.Server.Number = "mysql", v
		if v[0] == '1' {
			r.Server.Flavor = "mariadb"
		}
		runs = append(runs, r)
	}
	points := seriesOf(runs).Lines[0].Points
	for i, want := range []string{"", "8.0.28", "", "10.6.2"} {
		if points[i].Previous != want {
			t.Errorf("point %d follows %q, want %q", i, points[i].Previous, want)
		}
	}
	if points[2].VsBase == nil {
		t.Error("the base is compared with all")
	}
}
