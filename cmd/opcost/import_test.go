package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const importTable = "col-1 : x.my5651_rel.z1.pk1\ncol-2 : x.my8028_rel.z1.pk1\n\ncol-1\tcol-2\n5235\t4350\thot-points_range=100\n6700\t5800\tscan_range=100\n"

func importFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestImport(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	one := filepath.Dir(importFile(t, "box_dop1/qps.abs.tsv", importTable))
	four := filepath.Dir(importFile(t, "box_dop4/qps.abs.tsv", strings.ReplaceAll(importTable, "4350", "6000")))
	o := opcost(t, "import", one, four, "--out", out)
	if o.code != exitDone || !strings.Contains(o.stdout, "8 runs (1 host, 2 versions, 2 workloads, 2 numbers of clients)") || o.stderr != "" {
		t.Fatalf("exit %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	o = opcost(t, "report", out, "--format", "json", "--noise", "none")
	if o.code != exitDone {
		t.Fatal(o.stderr)
	}
	var rep struct {
		Base string
		Rows []struct {
			Version, Workload string
			Clients           int
			VsBase            map[string]struct {
				Ratio   float64
				Verdict string
			} `json:"vs_base"`
		}
	}
	if err := json.Unmarshal([]byte(o.stdout), &rep); err != nil {
		t.Fatal(err)
	}
	seen := map[int]float64{}
	for _, r := range rep.Rows {
		if r.Version == "8.0.28" && r.Workload == "hot-points" {
			seen[r.Clients] = r.VsBase["qps"].Ratio
			if r.VsBase["qps"].Verdict != "" {
				t.Errorf("a verdict on a single imported run: %+v", r)
			}
		}
	}
	if rep.Base != "5.6.51" || len(rep.Rows) != 8 || seen[1] != 4350./5235 || seen[4] != 6000./5235 {
		t.Errorf("base %s, %d rows, ratios %v", rep.Base, len(rep.Rows), seen)
	}
	if o := opcost(t, "report", out, "--noise", "none"); o.code != exitDone || !strings.Contains(o.stdout, "0.83") || !strings.Contains(o.stdout, "5,235") {
		t.Errorf("exit %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	if o := opcost(t, "import", one, "--out", out); o.code != exitUsage || !strings.Contains(o.stderr, "already; give another --out") {
		t.Errorf("imported again: exit %d, %s", o.code, o.stderr)
	}
}

func TestImportFlags(t *testing.T) {
	path := importFile(t, "q.csv", "scan_range=100,10,20\n")
	out := filepath.Join(t.TempDir(), "out")
	o := opcost(t, "import", path, "--version", "5.6.51,8.0.28", "--clients", "2", "--host", "h", "--out", out)
	if o.code != exitDone || !strings.Contains(o.stdout, "2 runs (1 host, 2 versions, 1 workload, 1 number of clients)") {
		t.Fatalf("exit %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	if o := opcost(t, "--version"); o.code != exitDone || strings.TrimSpace(o.stdout) == "" {
		t.Errorf("opcost --version: exit %d, %q, %s", o.code, o.stdout, o.stderr)
	}
}

func TestImportFails(t *testing.T) {
	table := importFile(t, "qps.abs.tsv", importTable)
	words := importFile(t, "notes.txt", "hello\n")
	broken := importFile(t, "box_dop1/b.tsv", "col-1 : x.a\n\ncol-1\n1\t2\tscan_range=100\n")
	if err := os.WriteFile(filepath.Join(filepath.Dir(broken), "a.tsv"), []byte(importTable), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{table}, exitUsage, "does not name the number of clients (--clients)"},
		{[]string{words}, exitUsage, "no kind that can be imported"},
		{[]string{table, "--clients", "0"}, exitUsage, "--clients [0]: give 1 or more"},
		{[]string{filepath.Join(filepath.Dir(table), "none")}, exitUsage, "no such file"},
		{[]string{importFile(t, "sb_dop1.txt", "FATAL: error 1317 (interrupted)\n"), "--version", "v", "--workload", "w"}, exitIncomplete, "had failed: sysbench ended with an error: error 1317"},
		{[]string{filepath.Dir(broken)}, exitIncomplete, "has 2 numbers, and the heading 1 names"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		o := opcost(t, append(append([]string{"import"}, tt.args...), "--out", out)...)
		if o.code != tt.code || !strings.Contains(o.stderr, tt.want) {
			t.Errorf("%v: exit %d, want %d: %s", tt.args, o.code, tt.code, o.stderr)
		}
		if _, err := os.Stat(out); (err == nil) != (tt.code == exitIncomplete) {
			t.Errorf("%v: the results folder: %v", tt.args, err)
		}
	}
	if o := opcost(t, "import", table); o.code != exitUsage || !strings.Contains(o.stderr, "--out") {
		t.Errorf("without --out: exit %d, %s", o.code, o.stderr)
	}
}

// Results of opcost are no input: what lies in them as evidence would come in a
// second time.
func TestImportResults(t *testing.T) {
	dir := filepath.Dir(importFile(t, "box_dop1/qps.abs.tsv", importTable))
	inner := filepath.Join(dir, "results")
	if o := opcost(t, "import", dir, "--out", inner); o.code != exitDone {
		t.Fatalf("exit %d\n%s", o.code, o.stderr)
	}
	o := opcost(t, "import", inner, "--out", filepath.Join(t.TempDir(), "out"))
	if o.code != exitUsage || !strings.Contains(o.stderr, "holds results of opcost already; `opcost report "+inner+"` prints them") {
		t.Errorf("results themselves: exit %d\n%s", o.code, o.stderr)
	}
	o = opcost(t, "import", dir, "--out", filepath.Join(t.TempDir(), "out"))
	if o.code != exitDone || !strings.Contains(o.stdout, "4 runs (1 host, 2 versions, 2 workloads, 1 number of clients)") || !strings.Contains(o.stderr, "results is left out: it holds results of opcost already") {
		t.Errorf("results below: exit %d\n%s%s", o.code, o.stdout, o.stderr)
	}
}

// What `report --relative --format tsv` prints comes back, and prints the same.
func TestImportOwnRatios(t *testing.T) {
	runs := sweepFolder(t)
	dir := t.TempDir()
	print := func(results string, args ...string) string {
		t.Helper()
		o := opcost(t, append([]string{"report", results, "--relative", "--format", "tsv", "--noise", "none"}, args...)...)
		if o.code != exitDone {
			t.Fatalf("report of %s: exit %d\n%s", results, o.code, o.stderr)
		}
		return o.stdout
	}
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, base := range []string{"5.6.51", "8.0.28"} { // the second is the later release
		printed := print(runs, "--base", base)
		if strings.Count(printed, "Measured on: night, ") != 2 {
			t.Fatalf("of two numbers of clients:\n%s", printed)
		}
		back := filepath.Join(dir, "back-"+base)
		if o := opcost(t, "import", file(base+".tsv", printed), "--out", back); o.code != exitDone {
			t.Fatalf("exit %d\n%s", o.code, o.stderr)
		}
		if got := print(back); got != printed {
			t.Errorf("it comes back as\n%s\nand was\n%s", got, printed)
		}
	}

	// A single table is the published layout, which says nothing of where it is from;
	// names are as they are, and a ratio may be lacking.
	const one = "Relative to: old build\ncol-1 : plain_4u\ncol-2 : ma101114\n\ncol-1\tcol-2\n0.90\t\tpoint-query\n\t1.10\trandom-points_range=10\n0.5\t0.50\tmy_own test\n\n0.90\t0.80\tmedian_point\n"
	path := file("one.tsv", one)
	if o := opcost(t, "import", path, "--out", filepath.Join(dir, "unknown")); o.code == exitDone || !strings.Contains(o.stderr, "--clients") {
		t.Errorf("without a number of clients: exit %d\n%s", o.code, o.stderr)
	}
	if o := opcost(t, "import", path, "--out", filepath.Join(dir, "one"), "--clients", "4", "--host", "h"); o.code != exitDone {
		t.Fatalf("exit %d\n%s", o.code, o.stderr)
	}
	got := print(filepath.Join(dir, "one"))
	for _, want := range []string{"Relative to: old build\ncol-1 : plain_4u\ncol-2 : ma101114\n\ncol-1\tcol-2\n", "\n0.90\t\tpoint-query\n", "\n\t1.10\trandom-points_range=10\n", "\n0.50\t0.50\tmy_own test\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in what comes back:\n%s", want, got)
		}
	}

	// Ratios that stand for something else are refused, and it is said why.
	for name, c := range map[string]struct{ text, want string }{
		"of another metric": {print(runs, "--metric", "response_us"), `its ratios are of "response_us"`},
		"to the one before": {print(runs, "--base", "previous"), "print them with --base NAME"},
		"to unlike bases":   {print(runs, "--base", "5.6.51") + "\n" + print(runs, "--base", "8.0.28"), `relative to "5.6.51" and to "8.0.28"`},
	} {
		o := opcost(t, "import", file("refused.tsv", c.text), "--out", filepath.Join(dir, "refused"))
		if o.code == exitDone || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%s: exit %d, no %q\n%s", name, o.code, c.want, o.stderr)
		}
	}
}
