package page

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
	"opcost/profiles/onefile/browser"
)

// night is what is measured: each version's cost is a factor of the first's.
type night struct {
	versions []string
	factor   func(version, workload, clients int) float64
	groups   map[string][]string // of workloads
	clients  []int
	starts   int
	noise    float64 // between starts, relative
	more     int     // further counters of the server
	lacking  bool    // cycles are not to be had
}

var groupOrder = []string{"point", "range", "write"}

// runs makes its records; the same each time.
func (n night) runs() (runs []result.Run) {
	rng := rand.New(rand.NewPCG(1, 2))
	t := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	w := 0
	for _, group := range groupOrder {
		for _, workload := range n.groups[group] {
			w++
			for _, clients := range n.clients {
				for s := range n.starts {
					for v, version := range n.versions {
						t = t.Add(time.Minute)
						cost := n.factor(v, w-1, clients) * (1 + n.noise*rng.NormFloat64())
						runs = append(runs, n.run(runHead{t, version, v, workload, group, clients, s}, cost))
					}
				}
			}
		}
	}
	return runs
}

type runHead struct {
	at              time.Time
	version         string
	place           int
	workload, group string
	clients, start  int
}

func (n night) run(h runHead, cost float64) result.Run {
	const ops = 100_000
	run := result.Run{Schema: result.Schema, ID: fmt.Sprintf("%s-%s-%d-%d", h.workload, h.version, h.clients, h.start), Host: "db1", Started: h.at, PlanHash: "1", Seed: 1,
		Repeat: h.start, Start: fmt.Sprintf("%s-%d", h.version, h.start), Version: h.version, Place: h.place, Base: n.versions[0],
		Workload: h.workload, Group: h.group, Clients: h.clients, Driver: "builtin", Protocol: "prepared", Transport: "socket", Charset: "latin1", Tables: 1, Rows: 100000,
		Machine: result.Machine{CPUs: 2, Kernel: "6.1"}, Server: result.Server{Flavor: "mysql", Number: "8.0.28"}}
	per := func(name string, x float64, unit string, src result.Source, scope result.Scope) result.Reading {
		return result.Got(name, x*ops, unit, src, scope)
	}
	w := result.Window{ID: "w0", State: result.OK, DurationNS: int64(5e9 * cost), Gated: true,
		Ops:     result.OpCount{Source: result.SourceClient, Per: "statement", End: ops},
		Latency: &result.Latency{Count: ops, MeanUS: 50 * cost, P50US: 45, P95US: 80, P99US: 120, MaxUS: 900},
		Readings: []result.Reading{
			per("instructions_user", 44000*cost, "count", result.SourcePerf, result.User),
			per("instructions_kernel", 6000*cost, "count", result.SourcePerf, result.Kernel),
			per("cpu_us", 40*cost, "us", result.SourceProc, result.UserKernel),
			per("cpu_user_us", 30*cost, "us", result.SourceProc, result.User),
			per("cpu_system_us", 10*cost, "us", result.SourceProc, result.Kernel),
			per("context_switches", 2*cost, "count", result.SourceProc, ""),
		}}
	if n.lacking {
		w.Readings = append(w.Readings, result.Lacking("cycles", "count", result.SourcePerf, result.UserKernel, result.Unsupported,
			"this machine shows no hardware counters to its guest", "on the hypervisor, give the guest a virtual PMU"))
	}
	for i := range n.more {
		w.Readings = append(w.Readings, per(fmt.Sprintf("handler_number_%d", i), float64(i+1)*cost, "count", result.SourceServer, ""))
	}
	run.Passes = []result.Pass{{Kind: result.PassCount, State: result.OK, Windows: []result.Window{w}}}
	return run
}

// small is three versions, four workloads and three numbers of clients. The
// second version costs 4% more in instructions, and is ten times slower in one
// workload; the third is cheaper where there are many clients.
func small() night {
	return night{
		versions: []string{"v1", "v2", "v3"}, clients: []int{1, 4, 16}, starts: 4, noise: 0.001, lacking: true,
		groups: map[string][]string{"point": {"point-query", "hot-points"}, "range": {"scan"}, "write": {"update-index"}},
		factor: func(v, w, clients int) float64 {
			switch {
			case v == 1 && w == 1:
				return 10
			case v == 1:
				return 1.04
			case v == 2 && clients > 4:
				return 0.8
			case v == 2:
				return 1.5
			}
			return 1
		},
	}
}

// input is the page of a night as the command makes it.
func (n night) input() Input {
	runs := n.runs()
	o := compare.Options{ByNumber: true}
	in := Input{Title: "A night", Report: compare.Build(runs, o), Metric: "qps"}
	for _, m := range []string{"qps", "instructions_per_query"} {
		o.Metric, o.Only = m, compare.SeriesMetrics(m)
		toBase, toPrevious := compare.BuildBoth(runs, o)
		in.Series = append(in.Series, compare.SeriesOf(toBase, toPrevious, m))
	}
	for _, r := range runs {
		in.Evidence = append(in.Evidence, Run{Host: r.Host, Version: r.Version, Workload: r.Workload, Clients: r.Clients, Protocol: r.Protocol, Driver: r.Driver,
			ID: r.ID, Folder: "runs/" + r.ID, Files: []string{"evidence/w0-perf.json", "evidence/" + result.ProfileFile}, Flame: "page.flames/" + r.Version + ".html"})
	}
	return in
}

// written writes a page to a file.
func written(t testing.TB, in Input) (path string, w Written) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "page.html")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if w, err = Write(f, in); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path, w
}

// open writes a page and opens it.
func open(b *browser.Tab, in Input, fragment string) {
	b.T.Helper()
	path, _ := written(b.T, in)
	b.Open(path, fragment)
}
