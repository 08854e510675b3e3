package compare

import (
	"fmt"
	"math"
	"testing"
	"time"

	"opcost/perfctl/result"
)

// run is a run of version v with one counting window of 1,000 statements in a second.
func run(v string, start int, readings ...result.Reading) result.Run {
	return result.Run{
		ID: fmt.Sprint(v, start), Start: fmt.Sprint(v, start), Host: "h", Version: v, Workload: "point-query", Group: "point",
		Clients: 1, Protocol: "prepared", Driver: "builtin", Tables: 1, Rows: 1000, Charset: "latin1", Transport: "socket",
		Started: time.Date(2026, 1, 1, 0, 0, start, 0, time.UTC),
		Passes:  []result.Pass{{Kind: result.PassCount, State: result.OK, Windows: []result.Window{window(1000, 1, readings...)}}},
	}
}

func window(ops int64, seconds float64, readings ...result.Reading) result.Window {
	return result.Window{
		State: result.OK, DurationNS: int64(seconds * 1e9), Readings: readings,
		Ops: result.OpCount{Source: result.SourceClient, Per: "statement", Begin: 5, End: 5 + ops},
	}
}

func underCallgrind(r result.Run, ops int64, readings ...result.Reading) result.Run {
	r.ID, r.Start = r.ID+"-callgrind", r.Start+"-callgrind"
	r.Passes = []result.Pass{{Kind: result.PassCallgrind, State: result.OK, Windows: []result.Window{window(ops, 100, readings...)}}}
	return r
}

func cpu(us float64) result.Reading {
	return result.Got("cpu_us", us, "us", result.SourceProc, result.UserKernel)
}

func perf(name string, v float64, scope result.Scope) result.Reading {
	return result.Got(name, v, "count", result.SourcePerf, scope)
}

func callgrind(name string, v float64) result.Reading {
	return result.Got(name, v, "count", result.SourceCallgrind, result.User)
}

// series are runs of v whose instructions/query are the given values.
func series(v string, perQuery ...float64) (runs []result.Run) {
	for i, x := range perQuery {
		runs = append(runs, run(v, i, perf("instructions", x*1000, result.UserKernel)))
	}
	return runs
}

func with(runs []result.Run, change func(*result.Run)) []result.Run {
	for i := range runs {
		change(&runs[i])
	}
	return runs
}

func join(all ...[]result.Run) (runs []result.Run) {
	for _, a := range all {
		runs = append(runs, a...)
	}
	return runs
}

func rowOf(t *testing.T, r Report, version string) Row {
	t.Helper()
	for _, row := range r.Rows {
		if row.Version == version {
			return row
		}
	}
	t.Fatalf("no row of version %q", version)
	return Row{}
}

func near(t *testing.T, what string, got *float64, want, tolerance float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s is null, want %v", what, want)
	} else if math.Abs(*got-want) > tolerance*math.Max(1, math.Abs(want)) {
		t.Errorf("%s = %v, want %v", what, *got, want)
	}
}

func hasWarning(r Report, code, text string) bool {
	for _, w := range r.Warnings {
		if w.Code == code && (text == "" || w.Text == text) {
			return true
		}
	}
	return false
}
