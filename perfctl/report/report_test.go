package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

var update = flag.Bool("update", false, "write the golden files anew")

func laidOut(t *testing.T, f Format, r compare.Report, l Layout) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, f, r, l); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The golden files are looked at when they change: their numbers follow from
// demoRuns by hand (44,000 instructions against 66,000 is 1.5; ...).
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		file string
		r    compare.Report
		f    Format
		l    Layout
	}{
		{"three-versions-80.txt", demo(), Table, Layout{Width: 80}},
		{"three-versions-120.txt", demo(), Table, Layout{Width: 120}},
		{"three-versions.md", demo(), Markdown, Layout{}},
		{"by-hand.csv", byHand("a", "b"), CSV, Layout{}},
		{"by-hand.tsv", byHand("a", "b"), TSV, Layout{}},
		{"by-hand.json", byHand("a", "b"), JSON, Layout{}},
	} {
		t.Run(c.file, func(t *testing.T) {
			got := laidOut(t, c.f, c.r, c.l)
			path := filepath.Join("testdata", c.file)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("differs from %s (-want +got; run with -update after looking at it):\n%s", path, d)
			}
		})
	}
}

func TestThreeVersionsFit80Columns(t *testing.T) {
	tables := laidOut(t, Table, demo(), Layout{Width: 80})
	for _, l := range strings.Split(tables, "\n") {
		if n := len([]rune(l)); n > 80 {
			t.Errorf("%d columns: %s", n, l)
		}
	}
	if strings.Contains(tables, "continued") {
		t.Error("the three versions do not stand beside each other")
	}
	if got := laidOut(t, Table, demo(), Layout{}); got != tables {
		t.Error("80 columns are not the default")
	}
}

// What the table must say of the demonstration plan, by its inputs.
func TestTableSays(t *testing.T) {
	got := laidOut(t, Table, demo(), Layout{Width: 200})
	for _, want := range []string{
		"unlike: performance_schema: OFF (nobl) → ON (pfs)",
		"point-query, 1 client, prepared, 4 server starts",
		"1.500 [1.500, 1.500]", // 66,000 / 44,000
		"2 slower, 2 same of 4 against nobl, by CPU/query ±2%, instructions/query ±0.6%",
		"slower  point-query, 1 client: pfs, instructions/query",
		"slower  update-index, 1 client: pfs, CPU/query", // callgrind: reads only
		"no verdict by instructions/query: callgrind: reads only",
		"(a) not supported: this machine shows no hardware counters to its guest. Remedy: on the hypervisor, give the guest a virtual PMU",
		"callgrind (instruction counting under valgrind), user space only: instructions/query",
		"instructions/query is from 3 of 4 starts",
	} {
		if !strings.Contains(strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("the table does not say %q:\n%s", want, got)
		}
	}
	for _, not := range []string{"~", "≈", "\x1b"} {
		if strings.Contains(got, not) {
			t.Errorf("the table has %q without need", not)
		}
	}
}

// m is a metric of a report made by hand.
func m(v float64, state result.State) compare.M {
	return compare.M{Value: &v, N: 1, Unit: "count", Per: "statement", Source: result.SourcePerf, Scope: result.User, State: state}
}

// byHand is a report of the named versions, the first being the base.
func byHand(versions ...string) compare.Report {
	r := compare.Report{Schema: 1, Base: versions[0], Versions: versions, Warnings: []result.Warning{}}
	for i, v := range versions {
		row := compare.Row{Host: "h", Version: v, Workload: "w", Clients: 2, Runs: 1,
			Metrics: map[string]compare.M{"instructions_per_query": m(1000*float64(i+1), result.OK)}, VsBase: map[string]compare.R{}}
		if i > 0 {
			row.VsBase["instructions_per_query"] = compare.R{Ratio: float64(i + 1), Verdict: compare.Unsure, Method: "none: one start a side, and no noise is known", Threshold: 0.006}
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

func TestManyVersionsBreakIntoPieces(t *testing.T) {
	names := []string{"my8039_rel_o2nofp.z13a_c32r128-of-a-very-long-name"}
	for _, v := range "bcdefghijkl" {
		names = append(names, "version-"+strings.Repeat(string(v), 3))
	}
	got := laidOut(t, Table, byHand(names...), Layout{Width: 80})
	for _, l := range strings.Split(got, "\n") {
		if n := len([]rune(l)); n > 80 {
			t.Errorf("%d columns: %s", n, l)
		}
	}
	for _, n := range names[1:] {
		if strings.Count(got, n[len(n)-3:]) != 1 {
			t.Errorf("%s is not there once", n)
		}
	}
	// The base is repeated in each piece.
	if pieces := strings.Count(got, "w, 2 clients"); pieces < 2 || len(regexp.MustCompile(`(?m)^instructions/query +1,000`).FindAllString(got, -1)) != pieces {
		t.Errorf("%d pieces:\n%s", pieces, got)
	}
}

func TestMarks(t *testing.T) {
	r := byHand("a", "b", "c")
	r.Rows[1].Metrics["instructions_per_query"] = m(5, result.Partial)
	r.Rows[2].Metrics["instructions_per_query"] = m(6, result.Scaled)
	r.Rows[0].Metrics["ipc"] = compare.M{State: result.NotCounted, Reason: "why"}
	r.Rows[1].Metrics["ipc"] = compare.M{State: result.NotCounted, Reason: "why"}
	r.Rows[2].Metrics["ipc"] = compare.M{State: result.Failed, Reason: "why else", Remedy: "do"}
	got := laidOut(t, Table, r, Layout{Width: 100})
	for _, want := range []string{"~5.000", "≈6.000", "~ partial", "≈ scaled", "- (a)", "- (b)", "(a) not counted: why\n", "(b) failed: why else. Remedy: do\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

// Names come from plans and other people's files, and may hold anything.
func TestHostileNames(t *testing.T) {
	r := byHand("=cmd|'/c calc'!A1", "\x1b[31mred|<b>`x`\n# h", "-1+1")
	r.Warnings = []result.Warning{{Code: "x", Text: "a\x1b]0;title\x07|b"}}
	for _, f := range []Format{Table, Markdown} {
		got := laidOut(t, f, r, Layout{Width: 120})
		if strings.ContainsAny(got, "\x1b\x07") {
			t.Errorf("%s passes control characters on: %q", f, got)
		}
	}
	for _, l := range strings.Split(laidOut(t, Markdown, r, Layout{}), "\n") {
		if bare := strings.ReplaceAll(l, "\\|", ""); strings.HasPrefix(l, "| ") && strings.Count(bare, "|") != 5 {
			t.Errorf("a name opens a cell of its own: %s", l)
		}
	}
	for f, comma := range map[Format]rune{CSV: ',', TSV: '\t'} {
		rd := csv.NewReader(strings.NewReader(laidOut(t, f, r, Layout{})))
		rd.Comma = comma
		lines, err := rd.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, l := range lines[1:] {
			names = append(names, l[1])
		}
		if d := cmp.Diff([]string{"'=cmd|'/c calc'!A1", "�[31mred|<b>`x` # h", "'-1+1"}, names); d != "" {
			t.Errorf("%s: %s", f, d)
		}
	}
}

// The keys of the JSON are a promise to other programs.
func TestJSONKeys(t *testing.T) {
	var got struct {
		Schema   int
		Base     string
		Rows     []map[string]any
		Warnings []map[string]any
	}
	if err := json.Unmarshal([]byte(laidOut(t, JSON, demo(), Layout{})), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != 1 || got.Base != "nobl" || len(got.Rows) != 6 || len(got.Warnings) != 1 {
		t.Fatalf("schema %d, base %q, %d rows, %d warnings", got.Schema, got.Base, len(got.Rows), len(got.Warnings))
	}
	has := func(what string, x any, keys ...string) {
		t.Helper()
		for _, k := range keys {
			if _, ok := x.(map[string]any)[k]; !ok {
				t.Errorf("%s lacks %q", what, k)
			}
		}
	}
	for _, row := range got.Rows {
		has("a row", row, "host", "version", "workload", "group", "clients", "protocol", "driver", "runs", "metrics", "vs_base")
		for name, x := range row["metrics"].(map[string]any) {
			has(name, x, "value", "low", "high", "n", "unit", "per", "source", "scope", "state", "reason", "running_fraction")
		}
		for name, x := range row["vs_base"].(map[string]any) {
			has(name, x, "ratio", "low", "high", "verdict", "method")
		}
	}
}

func TestColour(t *testing.T) {
	got := laidOut(t, Table, demo(), Layout{Width: 200, Color: true})
	if !strings.Contains(got, "\x1b[31mslower\x1b[0m") {
		t.Error("slower is not red")
	}
	bare := got
	for _, code := range []string{"0", "1", "2", "31", "32", "33"} {
		bare = strings.ReplaceAll(bare, "\x1b["+code+"m", "")
	}
	trim := func(s string) string {
		var b strings.Builder
		for l := range strings.Lines(s) {
			b.WriteString(strings.TrimRight(l, " \n") + "\n")
		}
		return b.String()
	}
	if d := cmp.Diff(laidOut(t, Table, demo(), Layout{Width: 200}), trim(bare)); d != "" {
		t.Errorf("colours change the text:\n%s", d)
	}
}

func TestUnknownFormat(t *testing.T) {
	err := Write(&bytes.Buffer{}, "benchfmt", demo(), Layout{})
	if err == nil || !strings.Contains(err.Error(), "table, markdown, csv, tsv, json") {
		t.Errorf("error %v does not list the formats", err)
	}
}

func TestNothingToReport(t *testing.T) {
	for _, f := range Formats() {
		if got := laidOut(t, f, compare.Build(nil, compare.Options{}), Layout{}); got == "" {
			t.Errorf("%s is empty", f)
		}
	}
}
