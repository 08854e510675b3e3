package main

import (
	"encoding/json"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"opcost/perfctl/result"
)

// units stand behind a reading's name wherever the sources make one.
var units = []string{"count", "us", "ms", "kb", "mhz", "bytes"}

// sourceReadings are the names that the sources give to readings: texts that
// stand before a unit, in calls and in tables.
func sourceReadings(t *testing.T) (found []string) {
	t.Helper()
	take := func(list []ast.Expr) {
		for i, e := range list[:max(0, len(list)-1)] {
			if name := literal(e); snake.MatchString(name) && slices.Contains(units, literal(list[i+1])) {
				found = append(found, name)
			}
		}
	}
	for _, f := range source(t, "collectors", "perfctl") {
		if f.Name.Name == "importer" || f.Name.Name == "compare" || f.Name.Name == "report" {
			continue // others' names, and metrics
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				take(n.Args)
			case *ast.CompositeLit:
				take(n.Elts)
			case *ast.ReturnStmt:
				take(n.Results)
			case *ast.ValueSpec: // callgrind and record name theirs by constants
				if v := f.Name.Name; (v == "callgrind" || v == "record") && len(n.Values) == 1 {
					if name := literal(n.Values[0]); strings.HasPrefix(name, "instructions_") || strings.HasPrefix(name, "profile_") {
						found = append(found, name)
					}
				}
			}
			return true
		})
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// spelt are all texts in the sources, in the letters of readings.
func spelt(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, f := range source(t, "collectors", "perfctl") {
		ast.Inspect(f, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if s := literal(e); s != "" {
					s, _, _ = strings.Cut(strings.ReplaceAll(s, "-", "_"), ":") // perf's names and modifiers
					all[s] = true
				}
			}
			return true
		})
	}
	return all
}

// described tells whether the page has a reading: by its name, or by the rule
// for its kind.
func described(documented []string, name string, source result.Source) bool {
	for _, end := range []string{"", "_begin", "_user"} {
		if slices.Contains(documented, name+end) {
			return true
		}
	}
	whole := strings.TrimSuffix(strings.TrimSuffix(name, "_user"), "_kernel")
	return slices.Contains(documented, whole) || source == result.SourceServer || strings.HasPrefix(name, "collector_")
}

// TestReferenceReadings: each reading that the sources name is described, and
// each that is described is named there.
func TestReferenceReadings(t *testing.T) {
	documented := names(tables(t, metricsPage, "Readings"))
	found := sourceReadings(t)
	if len(found) < 60 {
		t.Errorf("only %d readings were found in the sources: %q", len(found), found)
	}
	internal := []string{"driver_cpu_us"} // renamed before it is written
	for _, name := range found {
		if !described(documented, name, "") && !slices.Contains(internal, name) {
			t.Errorf("the reading %s is not described", name)
		}
	}
	texts := spelt(t)
	for _, name := range documented {
		bare := strings.TrimPrefix(name, "status_")
		for _, end := range []string{"_begin", "_end", "_user", "_kernel"} {
			bare = strings.TrimSuffix(bare, end)
		}
		// Renamed from client_cpu_.
		if !texts[name] && !texts[bare] && !strings.HasPrefix(name, "opcost_cpu_") {
			t.Errorf("the reading %s is described and nowhere in the sources", name)
		}
	}
}

// measuredBy is what a report's JSON says of how a metric was counted.
type measuredBy struct {
	Value                    *float64
	Unit, Per, Source, Scope string
}

// TestLongReference measures, and holds the page of metrics against what comes
// out: each reading is described, and each metric has the unit and the source
// that the page says.
func TestLongReference(t *testing.T) {
	long(t)
	lacking(t, "mariadbd", "valgrind")
	var rows []reportRow
	var runs []result.Run
	for _, rest := range []string{
		"counters: auto\n",
		"counters: none\nwrite_operations: 500\n",
	} {
		dir := testDir(t, "versions: [{name: a, mysqld: installed}]\nrepeats: 1\nduration: 1s\n"+rest)
		if strings.Contains(rest, "write") {
			otherWorkloads(t, dir, "[update-one, read-write_range=10]")
		}
		o := start(t, dir, "run", "plan.yaml", "--out", "out", "--format", "json").wait()
		if o.code != exitDone {
			t.Fatalf("%+v", o)
		}
		var report struct{ Rows []reportRow }
		if err := json.Unmarshal([]byte(o.stdout), &report); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, report.Rows...)
		some, _, err := result.Read(filepath.Join(dir, "out"))
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, some...)
		nothingAlive(t, dir)
	}
	holdAgainst(t, rows, runs)
}

type reportRow struct{ Metrics map[string]measuredBy }

// holdAgainst compares the page of metrics with what was measured.
func holdAgainst(t *testing.T, rows []reportRow, runs []result.Run) {
	t.Helper()
	metrics := tables(t, metricsPage, metricTables...)
	seen := map[string]bool{}
	for _, row := range rows {
		for name, m := range row.Metrics {
			i := slices.IndexFunc(metrics, func(r tableRow) bool { return r.names[0] == name })
			if i < 0 || m.Value == nil {
				continue
			}
			seen[name] = true
			unit := m.Unit
			if m.Per != "" {
				unit += "/" + m.Per
			}
			by := m.Source
			if m.Scope != "" {
				by += ", " + m.Scope
			}
			doc := metrics[i].cells
			if unit != doc[2] || !countedBy(doc[3], m.Source, m.Scope) {
				t.Errorf("%s: the page says %s, counted by %s; measured was %s, counted by %s", name, doc[2], doc[3], unit, by)
			}
		}
	}
	if len(seen) < 30 {
		t.Errorf("only %d metrics of the page were measured: %v", len(seen), seen)
	}
	documented := names(tables(t, metricsPage, "Readings"))
	readings := 0
	for _, run := range runs {
		for _, p := range run.Passes {
			for _, w := range p.Windows {
				for _, r := range w.Readings {
					readings++
					if !described(documented, r.Name, r.Source) {
						t.Errorf("the reading %s (%s) is not described", r.Name, r.Source)
					}
				}
			}
		}
	}
	if readings < 500 {
		t.Errorf("only %d readings in all windows", readings)
	}
}

// otherWorkloads writes a test's plan with these.
func otherWorkloads(t *testing.T, dir, list string) {
	t.Helper()
	path := filepath.Join(dir, "plan.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`(?m)^workloads: .*$`).ReplaceAll(text, []byte("workloads: "+list))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// countedBy reads a cell as "perf, user+kernel or user; callgrind, user; import".
func countedBy(cell, source, scope string) bool {
	for way := range strings.SplitSeq(cell, ";") {
		words := strings.FieldsFunc(way, func(r rune) bool { return r == ',' || r == ' ' })
		if !slices.Contains(words, source) {
			continue
		}
		scoped := slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "user") || w == "kernel" })
		if !scoped || scope == "" || slices.Contains(words, scope) {
			return true
		}
	}
	return false
}
