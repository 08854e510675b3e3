package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"opcost/perfctl/explain"
	"opcost/perfctl/report"
	"opcost/perfctl/result"
	"opcost/profiles"
	"opcost/profiles/pprof"
)

// countedNights are versions with their instructions a query, six starts each at
// 1 and 4 clients.
func countedNights(t *testing.T, perQuery map[string]float64) string {
	t.Helper()
	return countedCells(t, perQuery, 6, 1, 4)
}

// countedCells makes a folder of results: versions with their instructions a
// query, so many starts each of one workload at each number of clients; what a
// version costs more is in one function of its profile.
func countedCells(t *testing.T, perQuery map[string]float64, starts int, clients ...int) string {
	t.Helper()
	base := slices.Min(slices.Collect(maps.Keys(perQuery)))
	dir := filepath.Join(t.TempDir(), "results")
	folder, err := result.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	const ops = 1000
	for version, cost := range perQuery {
		for _, clients := range clients {
			for i := range starts {
				scatter := 1 + 0.0002*float64(i%3)
				w := result.Window{State: result.OK, DurationNS: int64(1e9 / float64(clients)), Gated: true, Latency: &result.Latency{Count: ops, MeanUS: 1000},
					Ops: result.OpCount{Source: result.SourceClient, Per: "statement", Begin: 0, End: ops}}
				for name, v := range map[string]float64{"instructions": cost, "cycles": cost * 0.8, "cpu_us": cost / 4000, "cpu_connection_us": cost / 4100} {
					src := result.SourceProc
					if !strings.Contains(name, "_us") {
						src = result.SourcePerf
					}
					w.Readings = append(w.Readings, result.Got(name, v*ops*scatter, "", src, result.UserKernel))
				}
				r := result.Run{Schema: result.Schema, ID: fmt.Sprintf("%s-%d-%d", version, clients, i), Host: "h", Version: version, Base: base, Workload: "scan", Group: "range",
					Clients: clients, Repeat: i, Driver: "builtin", Protocol: "prepared", Start: fmt.Sprint(version, i), PlanHash: "0123", Started: time.Unix(int64(i), 0),
					Passes: []result.Pass{{Kind: result.PassCount, State: result.OK, Windows: []result.Window{w}}}}
				evidence, err := folder.Begin(r.ID)
				if err != nil {
					t.Fatal(err)
				}
				if err := folder.Write(r); err != nil {
					t.Fatal(err)
				}
				b := profiles.NewBuilder(profiles.Event{Name: "instructions", Unit: profiles.Instructions})
				for name, weight := range map[string]float64{"row_search_mvcc": 300_000, "my_hash_sort_utf8": cost - 300_000} {
					f := b.Frame(profiles.Frame{Function: name, Object: "/usr/sbin/mysqld", Space: profiles.User})
					_ = b.Add("conn", []int32{f}, int64(weight*ops*scatter), 50_000)
				}
				p := b.Profile()
				p.About = profiles.About{Version: version, Workload: "scan", Clients: clients, Operations: ops, Per: "statement"}
				var out bytes.Buffer
				if err := pprof.Write(&out, &profiles.Set{Profiles: []*profiles.Profile{p}}); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(evidence, result.ProfileFile), out.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return dir
}

// TestCompare by hand: 400,000 → 500,000 instructions are 25% more, all of them
// in one function.
func TestCompare(t *testing.T) {
	dir := countedNights(t, map[string]float64{"a": 400_000, "b": 500_000, "same": 400_001})
	o := inProcess("compare", dir, "--base", "a", "--new", "b", "--format", "json")
	if o.code != exitDone {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	var c explain.Comparison
	if err := json.Unmarshal([]byte(o.stdout), &c); err != nil {
		t.Fatal(err)
	}
	if c.Schema != 1 || c.Base != "a" || c.New != "b" || len(c.Cells) != 2 || len(c.Explanations) != 1 {
		t.Fatalf("%d cells, %d explanations: %s → %s", len(c.Cells), len(c.Explanations), c.Base, c.New)
	}
	e := c.Explanations[0]
	if e.Verdict.Word != "slower" || e.Verdict.Ratio == nil || math.Abs(e.Verdict.Ratio.Ratio-1.25) > 1e-6 || e.Kinds[0].Kind != explain.MoreCode {
		t.Errorf("%+v, %+v", e.Verdict, e.Kinds)
	}
	if e.Code == nil || math.Abs(e.Code.Total.Delta-100_020) > 50 || e.Code.Diffuse != 1 || e.Code.Rows[0].Function != "my_hash_sort_utf8" {
		t.Errorf("%+v", e.Code)
	}
	for _, f := range report.Formats() {
		o := inProcess("compare", dir, "--base", "a", "--new", "b", "--format", string(f), "--all")
		if o.code != exitDone || !strings.Contains(o.stdout, "my_hash_sort") {
			t.Errorf("%s: exit %d: %s%s", f, o.code, o.stderr, o.stdout)
		}
		if f == report.Table && strings.Count(o.stdout, "Of what kind") != 2 {
			t.Errorf("--all explains %d cells", strings.Count(o.stdout, "Of what kind"))
		}
	}
	o = inProcess("compare", "--base", dir+":a,clients=1", "--new", dir+":a,clients=4", "--format", "json")
	if err := json.Unmarshal([]byte(o.stdout), &c); err != nil || c.Explanations[0].Differences[0].Name != "clients" || c.Explanations[0].Verdict.Word != "same" {
		t.Errorf("exit %d: %v %s\n%s", o.code, err, o.stderr, o.stdout)
	}
}

// TestCompareExits: statuses are for scripts.
func TestCompareExits(t *testing.T) {
	dir := countedNights(t, map[string]float64{"a": 400_000, "b": 500_000, "same": 400_001})
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{dir, "--base", "a", "--new", "b", "--fail-on", "slower"}, exitSlower, "--fail-on slower: scan, "},
		{[]string{dir, "--base", "b", "--new", "a", "--fail-on", "slower"}, exitDone, ""},
		{[]string{dir, "--base", "a", "--new", "same", "--fail-on", "slower"}, exitDone, ""},
		{[]string{dir, "--base", "a", "--new", "b", "--fail-on", "slower", "--metric", "ipc"}, exitIncomplete, "no verdict could be given"},
		{[]string{dir, "--base", "a", "--new", "c"}, exitUsage, "--new: no run is \"c\"; there are: a,workload=scan,clients=1"},
		{[]string{dir, "--base", "a", "--new", "a"}, exitUsage, "both sides are the same runs"},
		{[]string{dir, "--base", "clients=1", "--new", "a"}, exitUsage, "several versions"},
		{[]string{dir, "--base", "a", "--new", "b", "--format", "benchfmt"}, exitUsage, "table, markdown, csv, tsv, json"},
		{[]string{dir, "--base", "a", "--new", "b", "--metric", "instructions"}, exitUsage, "no run has it"}, // a reading's name
		{[]string{dir, "--base", "a", "--new", "b", "--metric", "instrutions_per_query"}, exitUsage, "--metric instrutions_per_query: no run has it"},
		{[]string{"--base", "a", "--new", "b"}, exitUsage, "name a folder of results"},
		{[]string{dir, "--new", "b"}, exitUsage, "--base"},
		{[]string{dir, "--base", "a", "--new", "b", "--fail-on", "faster"}, exitUsage, "--fail-on"},
	} {
		o := inProcess(append([]string{"compare"}, c.args...)...)
		if o.code != c.code || !strings.Contains(o.stderr, c.says) {
			t.Errorf("%v: exit %d, want %d: %s", c.args[1:], o.code, c.code, o.stderr)
		}
	}
}
