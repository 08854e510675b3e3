package importer

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"opcost/perfctl/compare"
	"opcost/perfctl/importer/smalldatum"
	"opcost/testbed/casefiles"
)

// readTable parses one file in place.
func readTable(t *testing.T, path string) smalldatum.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	file, _, err := smalldatum.Parse(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return file
}

// tally of published ratios against the quotients of published numbers.
type tallies struct {
	exact    int // the quotient of the printed numbers rounds to the printed ratio
	rounded  int // it does for numbers that are printed so: their last digit is rounded
	off      []string
	noNumber int // -1/-1 printed as 1.000, NA: no ratio at all
}

func (s *tallies) add(what string, ratio, of, base smalldatum.Cell) {
	switch {
	case !of.Known() || !base.Known():
		s.noNumber++
	case smalldatum.Recomputes(ratio, of, base):
		s.exact++
	case smalldatum.Agrees(ratio, of, base):
		s.rounded++
	default:
		s.off = append(s.off, fmt.Sprintf("%s: %s printed, %s/%s", what, ratio.Text, of.Text, base.Text))
	}
}

func (s tallies) report(t *testing.T, name string) {
	t.Helper()
	t.Logf("%s: %d ratios recompute, %d more within the rounding of what they are of, %d are of no numbers, %d do not",
		name, s.exact, s.rounded, s.noNumber, len(s.off))
}

// Every ratio that Small Datum's tables hold is that of the numbers they hold,
// keyed by test (workload and range) and server.
func TestPublishedRatios(t *testing.T) {
	root := casefiles.Folder(t, "09-small-datum")
	var all tallies
	for name, f := range map[string]func(*testing.T, string) tallies{
		"qps.rel of qps.abs": ratiosOfQPS, "o.met": ratiosOfCosts, "o.qps.rel of o.qps.abs, by clients": ratiosByClients,
		"insert benchmark": ratiosOfInserts, "perf counters": ratiosOfCounters,
	} {
		s := f(t, root)
		s.report(t, name)
		if s.exact == 0 {
			t.Errorf("%s: no ratio was checked", name)
		}
		all.exact, all.rounded, all.noNumber = all.exact+s.exact, all.rounded+s.rounded, all.noNumber+s.noNumber
		all.off = append(all.off, s.off...)
	}
	all.report(t, "all of 09-small-datum")
	for i, off := range all.off {
		if i < 20 {
			t.Error(off)
		}
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func ratiosOfQPS(t *testing.T, root string) (s tallies) {
	for _, path := range glob(t, filepath.Join(root, "*", "qps.rel.*.tsv")) {
		absPath := strings.Replace(path, "qps.rel.", "qps.abs.", 1)
		if _, err := os.Stat(absPath); err != nil {
			continue // published alone
		}
		abs, rel := readTable(t, absPath), readTable(t, path)
		of := map[string]smalldatum.Cell{}
		for _, c := range abs.Cells {
			of[c.Test+" "+c.Server] = c
		}
		for _, c := range rel.Cells {
			s.add(path+" "+c.Test+" "+c.Server, c, of[c.Test+" "+c.Server], of[c.Test+" "+rel.Base])
		}
		csv := readTable(t, strings.TrimSuffix(path, "tsv")+"csv")
		if len(csv.Cells) != len(rel.Cells) {
			t.Errorf("%s: %d ratios in the csv, %d in the tsv", path, len(csv.Cells), len(rel.Cells))
		}
		for i, c := range csv.Cells {
			if r := rel.Cells[i]; c.Test != r.Test || c.Text != r.Text || c.Column != r.Column {
				t.Errorf("%s: the csv has %+v, the tsv %+v", path, c, r)
			}
		}
	}
	return s
}

// ratiosOfCosts: a block's ratios are to its first server.
func ratiosOfCosts(t *testing.T, root string) (s tallies) {
	files := append(glob(t, filepath.Join(root, "*", "o.met*")), glob(t, filepath.Join(root, "*", "*_o.met*"))...)
	for _, path := range append(files, glob(t, filepath.Join(root, "*", "met.*.txt"))...) {
		file := readTable(t, path)
		of, base := map[string]smalldatum.Cell{}, map[string]smalldatum.Cell{}
		for _, c := range file.Cells {
			if c.Relative {
				s.add(path+" "+c.Test+" "+c.Server+" "+c.Metric, c, of[c.Test+c.Server+c.Metric], base[c.Test+c.Metric])
				continue
			}
			of[c.Test+c.Server+c.Metric] = c
			if _, ok := base[c.Test+c.Metric]; !ok {
				base[c.Test+c.Metric] = c
			}
		}
	}
	return s
}

func ratiosByClients(t *testing.T, root string) (s tallies) {
	for _, path := range glob(t, filepath.Join(root, "*", "*_o.qps.rel*")) {
		abs, rel := readTable(t, strings.Replace(path, "_o.qps.rel", "_o.qps.abs", 1)), readTable(t, path)
		of, base := map[string]smalldatum.Cell{}, map[string]smalldatum.Cell{}
		for _, c := range abs.Cells {
			of[fmt.Sprint(c.Test, c.Server, c.Column)] = c
			if _, ok := base[fmt.Sprint(c.Test, c.Column)]; !ok {
				base[fmt.Sprint(c.Test, c.Column)] = c
			}
		}
		for _, c := range rel.Cells {
			s.add(path+" "+c.Test+" "+c.Server, c, of[fmt.Sprint(c.Test, c.Server, c.Column)], base[fmt.Sprint(c.Test, c.Column)])
		}
	}
	return s
}

func ratiosOfInserts(t *testing.T, root string) (s tallies) {
	for _, path := range glob(t, filepath.Join(root, "ibench.jan2021", "*_rel.*")) {
		abs, rel := readTable(t, strings.Replace(path, "_rel.", "_mrg.", 1)), readTable(t, path)
		of, base := map[string]smalldatum.Cell{}, map[string]smalldatum.Cell{}
		key := func(c smalldatum.Cell, server string) string {
			return fmt.Sprint(c.Test, " ", c.Column, " ", c.Metric, " ", server)
		}
		for _, c := range abs.Cells {
			of[key(c, c.Server)] = c
			if _, ok := base[key(c, "")]; !ok {
				base[key(c, "")] = c
			}
		}
		for _, c := range rel.Cells {
			s.add(path+" "+key(c, c.Server), c, of[key(c, c.Server)], base[key(c, "")])
		}
	}
	return s
}

func ratiosOfCounters(t *testing.T, root string) (s tallies) {
	for _, path := range glob(t, filepath.Join(root, "perf", "*", "join1.rel.*")) {
		if st, err := os.Stat(path); err != nil || st.Size() == 0 {
			continue // published empty
		}
		abs, rel := readTable(t, strings.Replace(path, "join1.rel.", "join1.abs.", 1)), readTable(t, path)
		of := map[string]smalldatum.Cell{}
		for _, c := range abs.Cells {
			of[fmt.Sprint(c.Metric, c.Column)] = c
		}
		for _, c := range rel.Cells { // to the first column, which has none
			s.add(path+" "+c.Metric, c, of[fmt.Sprint(c.Metric, c.Column+1)], of[fmt.Sprint(c.Metric, 0)])
		}
	}
	return s
}

// The same through the whole path: import a folder, compare as a report does,
// and read the ratio of QPS by workload, version and base.
func TestPublishedRatiosImported(t *testing.T) {
	root := casefiles.Folder(t, "09-small-datum")
	checked, folders := 0, map[string]Imported{}
	type question struct{ dir, base string }
	reports := map[question]compare.Report{}
	for _, path := range glob(t, filepath.Join(root, "*", "qps.rel.*.tsv")) {
		dir := filepath.Dir(path)
		rel := readTable(t, path)
		im, ok := folders[dir]
		if !ok {
			var err error
			if im, _, err = Import(t.Context(), []string{dir}, Options{}); err != nil {
				t.Fatal(err)
			}
			folders[dir] = im
		}
		clients := 0
		if f := factsOf(source{name: filepath.Base(path), dir: dir}); f.clients > 0 {
			clients = f.clients
		}
		names := map[string]string{}
		for _, r := range im.Runs {
			names[r.Server.VersionText] = r.Version
		}
		ratios := map[string]float64{}
		q := question{dir, rel.Base}
		if _, ok := reports[q]; !ok {
			reports[q] = compare.Build(im.Runs, compare.Options{Base: names[rel.Base]})
		}
		for _, row := range reports[q].Rows {
			for _, metric := range []string{"qps", "qps_relative"} {
				if r, ok := row.VsBase[metric]; ok && (clients == 0 || row.Clients == clients) {
					if r.Verdict != "" {
						t.Errorf("%s %s: the verdict %q on a single imported run", row.Version, row.Workload, r.Verdict)
					}
					ratios[row.Workload+" "+row.Version] = r.Ratio
				}
			}
		}
		for _, c := range rel.Cells {
			test, _ := smalldatum.ParseTest(c.Test)
			id, _ := workloadOf(test)
			got, ok := ratios[id+" "+names[c.Server]]
			if !ok || math.Abs(got-c.Value) > c.Half()+1e-9 {
				t.Errorf("%s: %s of %s is %v (found: %v), printed %s", path, id, names[c.Server], got, ok, c.Text)
			}
			checked++
		}
	}
	t.Logf("%d published ratios of QPS in %d folders come out of an import and a comparison as they were printed", checked, len(folders))
	if checked < 4000 {
		t.Errorf("%d ratios were checked only", checked)
	}
}

// A post's table of ratios is of another run than the numbers that were
// published beside it. Importing the folder says so, and keeps the numbers.
func TestRatiosOfAnotherRun(t *testing.T) {
	dir := filepath.Join(casefiles.Folder(t, "09-small-datum"), "oct25.sb.gcp.ma")
	im, ws, err := Import(t.Context(), []string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range ws {
		if w.Code == "import_ratio" {
			// 375465/372261 by hand
			if !strings.Contains(w.Text, "qps.sum.txt: 15 of its ratios") || !strings.Contains(w.Text, "is 1.03, and 375465/372261 is 1.0086") {
				t.Error(w.Text)
			}
			if has(&im.Runs[0], "qps_relative") {
				t.Error("a ratio was kept beside its numbers")
			}
			return
		}
	}
	t.Errorf("no warning of it in %v", ws)
}
