package importer

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"opcost/collectors/perfstat"
	"opcost/perfctl/importer/smalldatum"
	"opcost/testbed/casefiles"
)

func TestCorpusSmallDatum(t *testing.T) {
	corpus(t, "09-small-datum", func(c casefiles.Case) func(*testing.T, casefiles.Case) {
		folder, name, _ := strings.Cut(c.File, "/")
		switch {
		case folder == "oct2017", folder == "posts", name == "conclusions.csv":
			return refused("can be imported") // words, and tables of another making
		case folder == "ibench.jan2021":
			return insertTable
		case folder == "perf":
			return counterFile
		case name == "rel-check.csv":
			return relCheck
		case name == "group-medians.csv":
			return groupMedians
		case name == "pg-perf-per-query.csv":
			return perQuery
		case folder == "derived":
			return asDerived
		case strings.Contains(name, "met"):
			return perOpTable
		}
		return qpsTable
	})
}

// everyNumber reads the file a second time, by splitting its lines: each line's
// numbers are its cells, in their order, and no line of numbers is lost.
func everyNumber(t *testing.T, c casefiles.Case, f smalldatum.File) {
	t.Helper()
	at := map[int][]string{}
	for _, cell := range f.Cells {
		at[cell.Line] = append(at[cell.Line], cell.Text)
	}
	for i, line := range strings.Split(c.Read(t), "\n") {
		fields := strings.FieldsFunc(line, func(r rune) bool { return r == '\t' || r == ',' || r == ' ' })
		var numbers []string
		for _, s := range fields {
			if _, err := strconv.ParseFloat(s, 64); err == nil || s == "NA" {
				numbers = append(numbers, s)
			}
		}
		if len(at[i+1]) == 0 && len(numbers) != max(1, len(fields)-1) {
			continue // words
		}
		if !slices.Equal(numbers, at[i+1]) {
			t.Errorf("line %d, %q, is read as %q", i+1, line, at[i+1])
		}
	}
}

func insertTable(t *testing.T, c casefiles.Case) {
	if f := readTable(t, c.Path); f.Kind != smalldatum.Insert || len(f.Cells) < 20 || len(f.Cells)%20 != 0 {
		t.Errorf("%s with %d numbers", f.Kind, len(f.Cells))
	} else {
		everyNumber(t, c, f)
	}
	refused("insert benchmark")(t, c)
}

func counterFile(t *testing.T, c casefiles.Case) {
	if c.Read(t) == "" {
		refused("empty")(t, c)
		return
	}
	// A machine that supports none has 34 counters, the others 36 or more.
	if f := readTable(t, c.Path); f.Kind != smalldatum.Counters || len(f.Cells) < 34 {
		t.Errorf("%s with %d numbers", f.Kind, len(f.Cells))
	} else {
		everyNumber(t, c, f)
	}
	refused("counters of one backend")(t, c)
}

// qpsTable: every test and server has a name that is understood, and a number.
func qpsTable(t *testing.T, c casefiles.Case) {
	f := readTable(t, c.Path)
	if f.Kind != smalldatum.QPS && f.Kind != smalldatum.QPSRelative {
		t.Fatalf("it is %s", f.Kind)
	}
	everyNumber(t, c, f)
	if want := strings.Contains(c.File, ".rel") || strings.Contains(c.File, "qps.sum"); (f.Kind == smalldatum.QPSRelative) != want {
		t.Errorf("it is %s", f.Kind)
	}
	tests := map[string]bool{}
	for _, cell := range f.Cells {
		test, ok := smalldatum.ParseTest(cell.Test)
		if id, group := workloadOf(test); !ok || id == "" || group == "" && !test.Load && !strings.Contains(test.Name, ".") {
			t.Errorf("%s is %+v, %q of group %q", cell.Test, test, id, group)
		}
		if s := smalldatum.ParseServer(cell.Server); cell.Server != "" && (s.Number == "" || s.Flavor == "") {
			t.Errorf("server %s is %+v", cell.Server, s)
		}
		if !cell.Known() {
			t.Errorf("%+v", cell)
		}
		tests[cell.Test] = true
	}
	if len(tests) < 27 {
		t.Errorf("%d tests only", len(tests))
	}
}

// perOpTable: where another reading of the file lies in derived, it agrees.
func perOpTable(t *testing.T, c casefiles.Case) {
	folder, name, _ := strings.Cut(c.File, "/")
	f := readTable(t, c.Path)
	if f.Kind != smalldatum.PerOp {
		t.Fatalf("it is %s", f.Kind)
	}
	everyNumber(t, c, f)
	path := filepath.Join(casefiles.Folder(t, "09-small-datum"), "derived", folder+"."+name+".csv")
	if _, err := os.Stat(path); err == nil {
		equalDerived(t, f, path)
	}
}

func asDerived(t *testing.T, c casefiles.Case) {
	root := casefiles.Folder(t, "09-small-datum")
	folder, name, ok := strings.Cut(strings.TrimSuffix(filepath.Base(c.File), ".csv"), ".o.met")
	if !ok {
		t.Fatalf("no check for this case, which expects: %s", c.Expected)
	}
	equalDerived(t, readTable(t, filepath.Join(root, folder, "o.met"+name)), c.Path)
	refused("no kind that can be imported")(t, c)
}

func readCSV(t *testing.T, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, row := range rows[1:] {
		m := map[string]string{}
		for i, name := range rows[0] {
			m[name] = row[i]
		}
		out = append(out, m)
	}
	return out
}

func float(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// equalDerived compares with a reading by other code, with its ratios in three decimals.
func equalDerived(t *testing.T, f smalldatum.File, path string) {
	t.Helper()
	casefiles.Used(t, casefiles.Reference, path)
	got, first := map[string]smalldatum.Cell{}, map[string]smalldatum.Cell{}
	n := 0
	for _, c := range f.Cells {
		if c.Relative {
			continue
		}
		n++
		got[c.Test+" "+c.Server+" "+c.Metric] = c
		if _, ok := first[c.Test+" "+c.Metric]; !ok {
			first[c.Test+" "+c.Metric] = c
		}
	}
	seen := 0
	for _, row := range readCSV(t, path) {
		for column, metric := range map[string]string{"cpu_o": "cpu/o", "cs_o": "cs/o", "r_o": "r/o", "rKB_o": "rKB/o", "wKB_o": "wKB/o", "o_s": "o/s"} {
			c, ok := got[row["test"]+" "+row["dbms"]+" "+metric]
			if row[column] == "" && !ok {
				continue
			}
			if seen++; !ok || c.Text != row[column] {
				t.Errorf("%s %s %s is %q, want %q", row["test"], row["dbms"], metric, c.Text, row[column])
			}
			if want := row["rel_"+column]; want != "" && ok {
				base := first[row["test"]+" "+metric]
				if base.Value != 0 && math.Abs(c.Value/base.Value-float(t, want)) > 0.0005001 {
					t.Errorf("%s %s %s: ratio %v, want %s", row["test"], row["dbms"], metric, c.Value/base.Value, want)
				}
			}
		}
	}
	if seen == 0 || seen != n {
		t.Errorf("%d numbers compared, of %d", seen, n)
	}
}

// tableOf finds a table by the set's name in the derived files, which have a
// slash before the last part.
func tableOf(root, set, kind, name string) string {
	return filepath.Join(root, strings.ReplaceAll(set, "/", "_"), "qps."+kind+"."+name+".tsv")
}

// relCheck: as many ratios a table as another program found.
func relCheck(t *testing.T, c casefiles.Case) {
	casefiles.Used(t, casefiles.Reference, c.Path)
	root := casefiles.Folder(t, "09-small-datum")
	for _, row := range readCSV(t, c.Path) {
		f := readTable(t, tableOf(root, row["set"], "rel", row["table"]))
		tests := map[string]bool{}
		for _, c := range f.Cells {
			tests[c.Test] = true
		}
		if fmt.Sprint(len(f.Cells)) != row["cells"] || fmt.Sprint(len(f.Servers)+1) != row["servers"] || fmt.Sprint(len(tests)) != row["tests"] || row["cells_off_by_more_than_0.005"] != "0" {
			t.Errorf("%s %s: %d ratios of %d servers and %d tests; want %v", row["set"], row["table"], len(f.Cells), len(f.Servers)+1, len(tests), row)
		}
	}
}

// groupMedians: the groups are ours but for their names; the file counts
// scan.warm and the tests before the writes too, and has the medians of printed
// ratios.
func groupMedians(t *testing.T, c casefiles.Case) {
	casefiles.Used(t, casefiles.Reference, c.Path)
	root := casefiles.Folder(t, "09-small-datum")
	names := map[string]string{"point": "point", "range": "range", "range-agg": "range-agg-mix", "write": "write"}
	n := 0
	for _, row := range readCSV(t, c.Path) {
		f := readTable(t, tableOf(root, row["set"], "rel", row["table"]))
		var ratios []float64
		for _, cell := range f.Cells {
			test, _ := smalldatum.ParseTest(cell.Test)
			test.Name, _, _ = strings.Cut(test.Name, ".") // with .pre and scan.warm
			_, group := workloadOf(test)
			if cell.Server == row["server"] && names[group] == row["group"] {
				ratios = append(ratios, cell.Value)
			}
		}
		slices.Sort(ratios)
		k := len(ratios)
		if fmt.Sprint(k) != row["tests"] {
			t.Errorf("%s %s %s %s: %d tests, want %s", row["set"], row["table"], row["server"], row["group"], k, row["tests"])
			continue
		}
		got := fmt.Sprintf("%.3f %.2f %.2f", (ratios[(k-1)/2]+ratios[k/2])/2, ratios[0], ratios[k-1])
		if want := row["median_rel_qps"] + " " + row["min"] + " " + row["max"]; got != want || f.Base != row["base"] {
			t.Errorf("%s %s %s %s: median, minimum, maximum %s, want %s", row["set"], row["table"], row["server"], row["group"], got, want)
		}
		n++
	}
	t.Logf("%d medians of groups recompute", n)
}

// perQuery: one backend of 40 was counted, so its share of the queries is 1/40.
func perQuery(t *testing.T, c casefiles.Case) {
	casefiles.Used(t, casefiles.Reference, c.Path)
	dir := filepath.Join(casefiles.Folder(t, "01-perf-stat"), "mytools")
	n := 0
	for _, row := range readCSV(t, c.Path) {
		stem := filepath.Join(dir, row["version"]+"."+row["test"])
		if _, err := os.Stat(stem + ".1.perfstat.txt"); err != nil {
			continue
		}
		n++
		o := sysbenchOf(t, casefiles.Case{Path: stem + ".sysbench.txt"})[0]
		f, err := os.Open(stem + ".1.perfstat.txt")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		sections, _, err := perfstat.ParseText(f)
		if err != nil {
			t.Fatal(err)
		}
		queries := *o.Queries.QueriesPerSecond / float64(o.Threads) * sections[0].Elapsed
		for column, value := range map[string]float64{
			"instr_per_query":  sections[0].Find("instructions")[0].Value / queries,
			"cycles_per_query": sections[0].Find("cycles")[0].Value / queries,
			"cpu_us_per_query": sections[0].Find("cpu-clock")[0].Value * 1000 / queries,
		} {
			if want := float(t, row[column]); math.Abs(value/want-1) > 2e-4 { // the file rounds the window
				t.Errorf("%s %s %s: %v, want %v", row["version"], row["test"], column, value, want)
			}
		}
	}
	if n < 4 {
		t.Errorf("%d rows compared only", n)
	}
}
