package compare

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/perfctl/result"
)

// TestRowsArePacked: rows that are made one by one, of runs whose readings come
// when they are asked for, are those of the report that has everything in memory;
// and so are the starts' values and the warnings.
func TestRowsArePacked(t *testing.T) {
	all := experiment{workloads: 5, starts: 4, sd: between(0.0005, 0.05)}.runs(rand.New(rand.NewPCG(1, 1)))
	seven := experiment{workloads: 2, starts: 7, sd: between(0.0005, 0.05)}.runs(rand.New(rand.NewPCG(2, 2)))
	for i := range seven {
		seven[i].Workload += " again"
	}
	all = append(all, seven...)
	// What few runs have: no value, a fraction, another source beside, another size, a warning.
	none := &all[0].Passes[0].Windows[0]
	none.Readings = append(none.Readings,
		result.Lacking("cycles", "count", result.SourcePerf, result.UserKernel, result.Unsupported, "no PMU", "a machine with one"),
		result.Got("instructions", 4711, "count", result.SourceCallgrind, result.User), result.Got("read_kb", 0, "kb", result.SourceProc, ""))
	scaled := result.Got("branches", 12_345, "count", result.SourcePerf, result.UserKernel)
	scaled.State, scaled.RunningFraction, scaled.Reason = result.Scaled, 0.25, "shared"
	for i := range all {
		w := &all[i].Passes[0].Windows[0]
		w.Readings = append(w.Readings, scaled)
	}
	all[1].Warnings = append(all[1].Warnings, result.Warning{Code: "x", Text: "doubtful"})
	for i := range all {
		if all[i].Workload == all[3].Workload && all[i].Version == all[3].Version {
			all[i].Rows += 7
		}
	}

	bare := slices.Clone(all)
	whole := map[string]result.Run{}
	for i := range bare {
		id := bare[i].Version + bare[i].Workload + bare[i].Start + bare[i].ID
		whole[id] = all[i]
		bare[i].Passes = slices.Clone(bare[i].Passes)
		for p := range bare[i].Passes {
			bare[i].Passes[p].Windows = slices.Clone(bare[i].Passes[p].Windows)
			for w := range bare[i].Passes[p].Windows {
				bare[i].Passes[p].Windows[w].Readings = nil
			}
		}
	}
	o := Options{Whole: func(r result.Run) result.Run { return whole[r.Version+r.Workload+r.Start+r.ID] }}
	for what, options := range map[string]Options{"to the base": {}, "to the one before": {Previous: true}, "by another metric": {Metric: "cpu_us_per_query"}} {
		want := Build(all, options)
		options.Whole = o.Whole
		rows := Open(bare, options)
		got := rows.Head()
		for row := range Each(rows, func(row Row) Row { return row }) {
			got.Rows = append(got.Rows, row)
		}
		got.Warnings = rows.Warnings()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-Build +Rows):\n%s", what, d)
		}
		if len(want.Rows) < 10 || len(want.Warnings) < 3 {
			t.Errorf("%s: %d rows, %d warnings: there is little to compare", what, len(want.Rows), len(want.Warnings))
		}
	}
	if d := cmp.Diff(slices.Collect(Starts(all, Options{})), slices.Collect(Starts(bare, o))); d != "" {
		t.Errorf("starts:\n%s", d)
	}
}

// TestRowsStop: whoever wants no more rows gets none.
func TestRowsStop(t *testing.T) {
	rows := Open(experiment{workloads: 30, starts: 2, sd: between(0.001, 0.01)}.runs(rand.New(rand.NewPCG(1, 1))), Options{})
	n := 0
	for range Each(rows, func(Row) int { return 0 }) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d rows", n)
	}
}

// TestRecordGoneMeanwhile: a row whose readings could not be had any more says so.
func TestRecordGoneMeanwhile(t *testing.T) {
	r := run("v", 0, cpu(1))
	gone := (&result.Packed{}).Whole
	rows := Open([]result.Run{r}, Options{Whole: gone})
	for row := range Each(rows, func(row Row) Row { return row }) {
		if m := row.Metrics["instructions_per_query"]; m.Value != nil || m.State != result.Failed || m.Reason == "" {
			t.Errorf("%+v", m)
		}
		if m := row.Metrics["qps"]; m.Value != nil {
			t.Errorf("queries of a window that is not used: %+v", m)
		}
	}
	ws := rows.Warnings()
	if len(ws) != 1 || ws[0].Code != "collector" {
		t.Errorf("%+v", ws)
	}
}
