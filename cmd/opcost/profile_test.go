package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"opcost/perfctl/result"
	"opcost/profiles"
	"opcost/profiles/pprof"
)

// inProcess runs a command without a process of its own.
func inProcess(args ...string) outcome {
	var out, errs bytes.Buffer
	code := run(args, &out, &errs)
	return outcome{code, out.String(), errs.String()}
}

// script is the text that perf script gives: f's samples below dispatch_command
// with so many g, of a period of 1000 each.
func script(t *testing.T, name string, f, g int) string {
	t.Helper()
	var b strings.Builder
	for i := range f + g {
		leaf := "row_search_mvcc"
		if i >= f {
			leaf = "my_hash_sort_utf8"
		}
		fmt.Fprintf(&b, "mysqld  4711/4712 %d.%06d:       1000 cycles:\n\t    55d0c0%04x %s+0x1f (/usr/sbin/mysqld)\n\t    55d0c1ffff dispatch_command+0x2 (/usr/sbin/mysqld)\n\n", 100+i/1000, i%1000, 16, leaf)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// nights makes a folder of results: two versions, two repeats, one workload at 1
// and 4 clients, each with a profile of g's cycles a query as given.
func nights(t *testing.T, g map[string]int64) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "results")
	folder, err := result.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	for version, cost := range g {
		for _, clients := range []int{1, 4} {
			for repeat := range 2 {
				r := result.Run{Schema: result.Schema, ID: fmt.Sprintf("%s-%d-%d", version, clients, repeat), Host: "h", Version: version, Base: "a", Workload: "scan",
					Group: "range", Clients: clients, Repeat: repeat, Driver: "builtin", Protocol: "prepared", Start: fmt.Sprint(version, repeat), Started: time.Now(), PlanHash: "0123",
					Passes: []result.Pass{{Kind: result.PassProfile, State: result.OK}}}
				evidence, err := folder.Begin(r.ID)
				if err != nil {
					t.Fatal(err)
				}
				if err := folder.Write(r); err != nil {
					t.Fatal(err)
				}
				b := profiles.NewBuilder(profiles.Event{Name: "cycles", Unit: profiles.Cycles})
				f := b.Frame(profiles.Frame{Function: "row_search_mvcc", Object: "/usr/sbin/mysqld", Space: profiles.User})
				h := b.Frame(profiles.Frame{Function: "my_hash_sort_utf8", Object: "/usr/sbin/mysqld", Space: profiles.User})
				_ = b.Add("conn", []int32{f}, 1_000_000, 10_000)
				_ = b.Add("conn", []int32{h}, cost*100+int64(repeat), 10_000)
				p := b.Profile()
				p.About = profiles.About{Version: version, Workload: "scan", Clients: clients, Operations: 100, Per: "statement"}
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

type diffJSON struct {
	Event, Unit, Per string
	Total            struct{ Base, New, Delta float64 }
	Rows, Subsystems []struct {
		Function, Object, Subsystem, State string
		Base, New, Delta                   float64
		Share                              *float64
	}
	Quality map[string]any
}

func parseDiff(t *testing.T, o outcome) (d diffJSON) {
	t.Helper()
	if o.code != exitDone {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	dec := json.NewDecoder(strings.NewReader(o.stdout))
	if err := dec.Decode(&d); err != nil {
		t.Fatalf("%v in %s", err, o.stdout)
	}
	for _, rows := range [][]struct {
		Function, Object, Subsystem, State string
		Base, New, Delta                   float64
		Share                              *float64
	}{d.Rows, d.Subsystems} {
		sum := 0.0
		for _, r := range rows {
			sum += r.Delta
		}
		if math.Abs(sum-d.Total.Delta) > 1e-9*math.Abs(d.Total.Base) {
			t.Errorf("rows add up to %g, not to %g", sum, d.Total.Delta)
		}
	}
	return d
}

// TestProfileDiffFiles: by hand, 30 and 60 samples of 1000 cycles of one function
// in 10 and 10 queries are 3,000 more a query.
func TestProfileDiffFiles(t *testing.T) {
	a, b := script(t, "a", 70, 30), script(t, "b", 70, 60)
	d := parseDiff(t, inProcess("profile", "diff", a, b, "--operations", "10", "--format", "json", "--keep-noise"))
	if d.Event != "cycles" || d.Unit != "cycles" || d.Per != "statement" || d.Total.Base != 10_000 || d.Total.New != 13_000 || d.Total.Delta != 3000 {
		t.Errorf("%+v", d)
	}
	if r := d.Rows[0]; r.Function != "my_hash_sort_utf8" || r.Delta != 3000 || r.Share == nil || *r.Share != 1 || r.Subsystem != "charset" {
		t.Errorf("%+v", r)
	}
	// Twice the queries on the new side: no change in the second, half in the first.
	d = parseDiff(t, inProcess("profile", "diff", a, b, "--base-operations", "10", "--new-operations", "20", "--format", "json"))
	if d.Total.New != 6500 {
		t.Errorf("%+v", d.Total)
	}
	for _, format := range []string{"table", "markdown", "csv", "tsv"} {
		o := inProcess("profile", "diff", a, b, "--operations", "10", "--format", format, "--width", "80")
		if o.code != exitDone || !strings.Contains(o.stdout, "my_hash_sort_utf8") {
			t.Errorf("%s: %d %s %s", format, o.code, o.stdout, o.stderr)
		}
		for line := range strings.Lines(o.stdout) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); format == "table" && n > 80 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	}
}

func TestProfileOfResults(t *testing.T) {
	dir := nights(t, map[string]int64{"a": 5000, "b": 9000})
	d := parseDiff(t, inProcess("profile", "diff", dir, "--base", "a", "--new", "b,clients=4", "--format", "json"))
	if math.Abs(d.Total.Delta-4000) > 1 || d.Rows[0].Function != "my_hash_sort_utf8" || d.Rows[0].State != "both" {
		t.Errorf("%+v", d)
	}
	o := inProcess("profile", "top", dir, "--format", "json")
	var tops struct {
		Profiles []struct {
			Title      string
			Operations float64
			Weight     int64
			Rows       []struct{ Self int64 }
		}
	}
	if err := json.Unmarshal([]byte(o.stdout), &tops); err != nil {
		t.Fatalf("%v: %s", err, o.stderr)
	}
	if len(tops.Profiles) != 4 {
		t.Fatalf("%d cells: %s", len(tops.Profiles), o.stdout)
	}
	for _, p := range tops.Profiles {
		sum := int64(0)
		for _, r := range p.Rows {
			sum += r.Self
		}
		if sum != p.Weight || p.Operations != 200 {
			t.Errorf("%s: rows of %d, a total of %d, %v operations", p.Title, sum, p.Weight, p.Operations)
		}
	}
	if o := inProcess("profile", "top", dir+":b,clients=1"); o.code != exitDone || strings.Count(o.stdout, "2 profiles") != 1 {
		t.Errorf("%d: %s%s", o.code, o.stdout, o.stderr)
	}
}

func TestProfileWrites(t *testing.T) {
	a, b := script(t, "a", 70, 30), script(t, "b", 70, 60)
	out := filepath.Join(t.TempDir(), "x.html")
	args := []string{"profile", "flame", a, b, "--operations", "10", "--out", out}
	if o := inProcess(args...); o.code != exitDone {
		t.Fatalf("%d: %s", o.code, o.stderr)
	}
	page, err := os.ReadFile(out)
	if err != nil || !bytes.Contains(page, []byte("my_hash_sort_utf8")) || bytes.Contains(page, []byte("src=\"http")) {
		t.Errorf("%v, %d bytes", err, len(page))
	}
	if o := inProcess(args...); o.code != exitUsage || !strings.Contains(o.stderr, "is there already") || !strings.Contains(o.stderr, "--force") {
		t.Errorf("written over: %d %s", o.code, o.stderr)
	}
	if o := inProcess(append(args, "--force")...); o.code != exitDone {
		t.Errorf("%d: %s", o.code, o.stderr)
	}
	// Out as pprof, and in again: the same table.
	exported := filepath.Join(t.TempDir(), "x.pb.gz")
	if o := inProcess("profile", "export", a, "--operations", "10", "--out", exported); o.code != exitDone {
		t.Fatalf("%d: %s", o.code, o.stderr)
	}
	before, after := inProcess("profile", "top", a, "--operations", "10", "--format", "csv"), inProcess("profile", "top", exported, "--format", "csv")
	strip := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "x.pb.gz", "a"), "\na,", "\n") }
	if strip(before.stdout) != strip(after.stdout) {
		t.Errorf("exported:\n%s\nread again:\n%s", before.stdout, after.stdout)
	}
	folded := inProcess("profile", "export", exported, "--to", "folded")
	if folded.stdout != "mysqld;dispatch_command;row_search_mvcc 70000\nmysqld;dispatch_command;my_hash_sort_utf8 30000\n" {
		t.Errorf("%q", folded.stdout)
	}
}

func TestProfileMistakes(t *testing.T) {
	a, b := script(t, "a", 7, 3), script(t, "b", 7, 6)
	dir := nights(t, map[string]int64{"a": 5000, "b": 9000})
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"how many operations", []string{"diff", a, b}},
		{"BASE and NEW", []string{"diff", a}},
		{"BASE and NEW", []string{"diff", a, "--base", "x"}},
		{"several in common", []string{"diff", dir, "--base", "a", "--new", "b"}},
		{"no run is \"c\"", []string{"diff", dir, "--base", "a", "--new", "c"}},
		{"no event \"instructions\"", []string{"top", a, "--event", "instructions"}},
		{"no event \"instructions\"; it has: cycles", []string{"top", dir, "--event", "instructions"}},
		{"no file, no folder", []string{"top", "nowhere"}},
		{"empty", []string{"top", empty}},
		{"several profiles", []string{"flame", dir, "--out", filepath.Join(t.TempDir(), "x")}},
		{"--limit -1", []string{"top", a, "--limit=-1"}},
		{"--subsystems", []string{"top", a, "--subsystems", "nowhere"}},
	} {
		o := inProcess(append([]string{"profile"}, c.args...)...)
		if o.code == exitDone || !strings.Contains(o.stderr, c.want) || o.stdout != "" {
			t.Errorf("%v: exit %d, %q, stdout %q; want %q", c.args, o.code, o.stderr, o.stdout, c.want)
		}
	}
}
