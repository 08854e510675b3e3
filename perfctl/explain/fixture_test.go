package explain_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"opcost/perfctl/explain"
	"opcost/perfctl/result"
)

// made is a side whose records are made for a test: costs are per query.
type made struct {
	version  string
	clients  int
	starts   int // 0: 6
	noise    float64
	costs    map[string]float64 // readings per query
	response float64            // µs
	quality  []result.Quality
	thirds   []int64
	change   func(*result.Run)
	rows     bool // the operations are rows
	start    int  // number of the first start
}

// sources of readings that are not the process's clock.
func source(name string) (result.Source, result.Scope) {
	switch {
	case strings.HasPrefix(name, "callgrind:"):
		return result.SourceCallgrind, result.User
	case slices.Contains([]string{"instructions", "cycles", "branch_misses"}, name):
		return result.SourcePerf, result.UserKernel
	case strings.HasPrefix(name, "client_"):
		return result.SourceClient, result.UserKernel
	case strings.HasPrefix(name, "innodb_"), strings.HasPrefix(name, "rows_"), strings.HasPrefix(name, "handler_"), strings.HasPrefix(name, "binlog_"), name == "questions":
		return result.SourceServer, ""
	}
	return result.SourceProc, result.UserKernel
}

// runs are of so many starts, which scatter a little, the same for the same input.
func (m made) runs() (runs []result.Run) {
	if m.starts == 0 {
		m.starts = 6
	}
	if m.clients == 0 {
		m.clients = 1
	}
	if m.noise == 0 {
		m.noise = 0.0005
	}
	rng := rand.New(rand.NewPCG(uint64(len(m.version)), uint64(m.clients)))
	const ops = 10_000
	for i := range m.starts {
		jitter := func(v float64) float64 { return v * (1 + m.noise*rng.NormFloat64()) }
		w := result.Window{State: result.OK, Gated: true, Quality: m.quality, Thirds: m.thirds,
			Ops: result.OpCount{Source: result.SourceClient, Per: "statement", Begin: 5, End: 5 + ops}}
		if m.rows {
			w.Ops.Per = "row"
		}
		us := jitter(max(m.response, 1))
		w.DurationNS = int64(us * 1000 * ops / float64(m.clients))
		if m.response > 0 {
			w.Latency = &result.Latency{Count: ops, MeanUS: us}
		}
		under := result.Window{State: result.OK, DurationNS: 100e9, Ops: w.Ops}
		names := []string{}
		for name := range m.costs {
			names = append(names, name)
		}
		slices.Sort(names) // the scatter is the same each time
		for _, name := range names {
			src, scope := source(name)
			unit := "count"
			if strings.Contains(name, "_us") {
				unit = "us"
			}
			r := result.Got(strings.TrimPrefix(name, "callgrind:"), jitter(m.costs[name])*ops, unit, src, scope)
			if src == result.SourceCallgrind {
				under.Readings = append(under.Readings, r)
			} else {
				w.Readings = append(w.Readings, r)
			}
		}
		r := result.Run{Schema: result.Schema, ID: fmt.Sprint(m.version, m.clients, m.start+i), Start: fmt.Sprint(m.version, m.start+i), Host: "h", Version: m.version, Base: "old",
			Workload: "point-query", Group: "point", Clients: m.clients, Protocol: "prepared", Driver: "builtin", Transport: "socket", Charset: "latin1",
			Tables: 1, Rows: 1000, PlanHash: "0123", Started: time.Date(2026, 1, 1, 0, m.clients, m.start+i, 0, time.UTC),
			Passes: []result.Pass{{Kind: result.PassCount, State: result.OK, Windows: []result.Window{w}}}}
		r.Server = result.Server{Binary: "/usr/sbin/mysqld", Flavor: "mysql", Number: m.version, Variables: map[string]string{"log_bin": "OFF"}}
		if len(under.Readings) > 0 {
			c := r
			c.ID, c.Start = r.ID+"-callgrind", r.Start+"-callgrind"
			c.Passes = []result.Pass{{Kind: result.PassCallgrind, State: result.OK, Windows: []result.Window{under}}}
			runs = append(runs, c)
		}
		runs = append(runs, r)
	}
	if m.change != nil {
		for i := range runs {
			runs[i].Server.Variables = map[string]string{"log_bin": "OFF"}
			m.change(&runs[i])
		}
	}
	return runs
}

func broken(name string, value, limit float64, text string) result.Quality {
	return result.Quality{Name: name, Value: value, Limit: limit, Text: text}
}

// usual is a point query with hardware counters: 400,000 instructions at 0.8
// cycles each and 4 GHz are 80 µs, all but 1 of them of connections.
func usual() map[string]float64 {
	return map[string]float64{
		"instructions": 400_000, "cycles": 320_000, "cpu_us": 80, "cpu_connection_us": 79, "run_queue_connection_us": 1, "run_queue_us": 1.1,
		"context_switches_voluntary": 1, "context_switches_involuntary": 0.001, "rows_read": 1, "questions": 1, "client_cpu_us": 10,
	}
}

// but is a copy with other costs, pairs of name and value.
func but(costs map[string]float64, pairs ...any) map[string]float64 {
	out := map[string]float64{}
	for k, v := range costs {
		out[k] = v
	}
	for i := 0; i < len(pairs); i += 2 {
		switch v := pairs[i+1].(type) {
		case float64:
			out[pairs[i].(string)] = v
		case int:
			out[pairs[i].(string)] = float64(v)
		case nil:
			delete(out, pairs[i].(string))
		}
	}
	return out
}

func study(t *testing.T, base, new []result.Run) *explain.Study {
	t.Helper()
	s, err := explain.New(explain.Input{Base: base, New: new, BaseName: "base", NewName: "new"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func explained(t *testing.T, base, new []result.Run) explain.Explanation {
	t.Helper()
	return study(t, base, new).Explain(0, nil, "no profile")
}

func kindsOf(e explain.Explanation) (ks []string) {
	for _, k := range e.Kinds {
		ks = append(ks, k.Kind)
	}
	return ks
}

func finding(t *testing.T, e explain.Explanation, kind string) explain.Finding {
	t.Helper()
	for _, k := range e.Kinds {
		if k.Kind == kind {
			return k
		}
	}
	t.Fatalf("no finding %s; there are: %v", kind, kindsOf(e))
	return explain.Finding{}
}

func differenceOf(t *testing.T, e explain.Explanation, name string) (int, explain.Difference) {
	t.Helper()
	for i, d := range e.Differences {
		if d.Name == name {
			return i, d
		}
	}
	t.Fatalf("no difference %s in %+v", name, e.Differences)
	return 0, explain.Difference{}
}
