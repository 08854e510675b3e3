package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"opcost/perfctl"
	"opcost/perfctl/compare"
	"opcost/perfctl/noise"
	"opcost/perfctl/result"
)

func TestNoiseFile(t *testing.T) {
	for _, c := range []struct{ flag, xdg, home, want string }{
		{"", "/s", "/home/a", "/s/opcost/noise.json"},
		{"", "", "/home/a", "/home/a/.local/state/opcost/noise.json"},
		{"", "relative", "/home/a", "/home/a/.local/state/opcost/noise.json"}, // the specification has it ignored
		{"mine.json", "/s", "/home/a", "mine.json"},
		{"none", "/s", "/home/a", ""},
	} {
		env := map[string]string{"XDG_STATE_HOME": c.xdg, "HOME": c.home}
		if got, err := noiseFile(c.flag, func(k string) string { return env[k] }); got != c.want || err != nil {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
	if _, err := noiseFile("", func(string) string { return "" }); err == nil {
		t.Error("no error without a place")
	}
}

func TestUnsure(t *testing.T) {
	row := func(version, workload string, source result.Source, v compare.Verdict) compare.Row {
		return compare.Row{Version: version, Workload: workload, Clients: 2, Primary: "m",
			Metrics: map[string]compare.M{"m": {Source: source}}, VsBase: map[string]compare.R{"m": {Verdict: v}}}
	}
	r := compare.Report{Base: "a", Rows: []compare.Row{
		row("b", "x", result.SourceCallgrind, compare.Unsure), row("c", "x", result.SourceCallgrind, compare.Unsure), row("d", "x", result.SourceCallgrind, compare.Same),
		row("b", "y", result.SourceProc, compare.Unsure), row("b", "z", result.SourceProc, compare.Slower), row("a", "y", result.SourceProc, compare.None),
	}}
	r.Rows = append(r.Rows, compare.Row{Version: "b", Workload: "w"}) // no primary metric
	want := []perfctl.Undecided{
		{Version: "b", Workload: "x", Clients: 2, Pass: result.PassCallgrind}, {Version: "a", Workload: "x", Clients: 2, Pass: result.PassCallgrind},
		{Version: "c", Workload: "x", Clients: 2, Pass: result.PassCallgrind},
		{Version: "b", Workload: "y", Clients: 2, Pass: result.PassCount}, {Version: "a", Workload: "y", Clients: 2, Pass: result.PassCount},
	}
	if got := unsure(r); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

const twoQuick = `options: [innodb-buffer-pool-size=32M, innodb-log-file-size=8M, skip-log-bin]
versions: [{name: a, mysqld: installed}, {name: b, mysqld: installed}]
workloads: [point-query]
rows: 500
warmup: 0s
duration: 100ms
counters: none
`

// verdicts reads the report's JSON.
func verdicts(t *testing.T, o outcome) compare.Report {
	t.Helper()
	var r compare.Report
	if err := json.Unmarshal([]byte(o.stdout), &r); err != nil || o.code != 0 {
		t.Fatalf("exit %d, %v\n%s", o.code, err, o.stderr)
	}
	return r
}

func TestNoiseFloorLive(t *testing.T) {
	t.Parallel()
	lacking(t, "mariadbd")
	dir := t.TempDir()
	plan, file := filepath.Join(dir, "p.yaml"), filepath.Join(dir, "state", "noise.json")
	if err := os.WriteFile(plan, []byte(twoQuick+"repeats: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	floor := start(t, dir, "run", plan, "--noise-floor", "--noise", file, "--out", "aa").wait()
	if floor.code != 0 || !strings.Contains(floor.stdout, "CPU/query") || !strings.Contains(floor.stdout, "point, 1 client") {
		t.Fatalf("exit %d\n%s\n%s", floor.code, floor.stdout, floor.stderr)
	}
	entries, err := noise.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(entries, func(e noise.Entry) bool { return e.Metric == "cpu_us_per_query" })
	if i < 0 || entries[i].DF != 5 || entries[i].SD <= 0 || entries[i].Group != "point" {
		t.Fatalf("%+v", entries)
	}

	// One start a side has an interval only by the floor.
	const cpu = "cpu_us_per_query"
	run := verdicts(t, start(t, dir, "run", plan, "--noise", file, "--out", "ab", "--format", "json").wait())
	again := verdicts(t, start(t, dir, "report", "ab", "--noise", file, "--format", "json").wait())
	without := verdicts(t, start(t, dir, "report", "ab", "--noise", "none", "--format", "json").wait())
	for name, r := range map[string]compare.Report{"run": run, "report": again} {
		if v := r.Rows[1].VsBase[cpu]; v.Low == nil || !strings.Contains(v.Method, compare.FloorMethod) {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if v := without.Rows[1].VsBase[cpu]; v.Low != nil {
		t.Errorf("without the floor: %+v", v)
	}

	// A changed file is named and not used, and a new floor is refused before it is measured.
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), `"df": 5`, `"df": 500`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	o := start(t, dir, "report", "ab", "--noise", file, "--format", "json").wait()
	if v := verdicts(t, o).Rows[1].VsBase[cpu]; v.Low != nil || !strings.Contains(o.stderr, file) || !strings.Contains(o.stderr, "changed after it was written") {
		t.Errorf("%+v\n%s", v, o.stderr)
	}
	if o := start(t, dir, "run", plan, "--noise-floor", "--noise", file, "--out", "aa2").wait(); o.code != exitUsage || !strings.Contains(o.stderr, "move it away") {
		t.Errorf("exit %d: %s", o.code, o.stderr)
	}
	nothingAlive(t, dir)
}

// A budget ends the run after the screen, or spends further starts on what is
// unsure alone.
func TestBudgetLive(t *testing.T) {
	t.Parallel()
	lacking(t, "mariadbd")
	dir := t.TempDir()
	measure := func(budget string) (compare.Report, int, outcome) {
		t.Helper()
		plan := filepath.Join(dir, "p.yaml")
		if err := os.WriteFile(plan, []byte(twoQuick+"repeats: 3\nbudget: "+budget+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		o := start(t, dir, "run", plan, "--noise", "none", "--out", "out", "--format", "json").wait()
		r := verdicts(t, o)
		runs, _, err := result.Read(filepath.Join(dir, "out"))
		if err != nil {
			t.Fatal(err)
		}
		return r, len(runs), o
	}
	r, n, o := measure("1s")
	if n != 4 || !strings.Contains(o.stderr, "more than the budget of 1 s") {
		t.Errorf("%d runs with no time for more than the screen\n%s", n, o.stderr)
	}
	first := r.Rows[1].VsBase[r.Rows[1].Primary].Verdict
	// What is unsure, as two starts of 100 ms nearly always are, gets a third. What
	// the table calls sure may still get one: a look between starts is stricter.
	most := 6
	least := most
	if first != compare.Unsure {
		least = 4
	}
	// The same folder goes on: the budget is no part of what was measured.
	if r, n, _ = measure("10m"); n < least || n > most {
		t.Errorf("%d runs after the verdict %q, want %d to %d", n, first, least, most)
	}
	t.Logf("after the screen: %q; after %d runs: %q", first, n, r.Rows[1].VsBase[r.Rows[1].Primary].Verdict)
}
