package report

import (
	"bufio"
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"opcost/perfctl/compare"
	"opcost/perfctl/importer"
	"opcost/perfctl/result"
)

// smallDatum is where Small Datum's published tables lie; they are read in place.
func smallDatum(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("OPCOST_CASES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "cases")
	}
	dir = filepath.Join(dir, "09-small-datum")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the published tables are not here: %v (set OPCOST_CASES)", err)
	}
	return dir
}

func imported(t *testing.T, path string) []result.Run {
	t.Helper()
	im, _, err := importer.Import(context.Background(), []string{path}, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return im.Runs
}

// published is a qps.rel file: its base, its versions, and the ratios as they
// are printed, by test and version.
type published struct {
	base  string
	cells map[[2]string]string
}

func readPublished(t *testing.T, path string) published {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := published{cells: map[[2]string]string{}}
	var versions []string
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		fields := strings.Split(line, "\t")
		if base, ok := strings.CutPrefix(line, "Relative to: "); ok {
			p.base = base
		} else if _, name, ok := strings.Cut(line, " : "); ok {
			versions = append(versions, name)
		} else if len(fields) == len(versions)+1 && len(versions) > 0 {
			for i, v := range versions {
				p.cells[[2]string{fields[len(versions)], v}] = fields[i]
			}
		}
	}
	return p
}

// Every ratio that the tables print comes out of ours, to the last printed digit
// (half of which may be lost, as the published QPS are whole numbers too).
func TestPublishedRatios(t *testing.T) {
	tables, ratios := 0, 0
	files, err := filepath.Glob(filepath.Join(smallDatum(t), "*", "qps.rel.*.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	runs := map[string][]result.Run{}
	for _, file := range files {
		dir := filepath.Dir(file)
		if _, err := os.Stat(strings.Replace(file, "qps.rel.", "qps.abs.", 1)); err != nil {
			continue // ratios whose numbers were not published
		}
		if runs[dir] == nil {
			runs[dir] = imported(t, dir)
		}
		name := map[string]string{} // as the file has it: as ours has it
		for _, r := range runs[dir] {
			name[r.Server.VersionText] = r.Version
		}
		p := readPublished(t, file)
		base, ok := name[p.base]
		if !ok {
			t.Errorf("%s: its base %s was not imported", file, p.base)
			continue
		}
		rel := compare.RelativeOf(compare.Build(runs[dir], compare.Options{Base: base, ByNumber: true, Only: compare.RelativeMetrics("qps")}), "qps")
		ours := map[[2]string]float64{}
		for _, table := range rel.Tables {
			for _, g := range table.Groups {
				for _, row := range g.Rows {
					for i, c := range row.Cells {
						if c.Ratio != nil {
							ours[[2]string{row.Workload, table.Versions[i]}] = c.Ratio.Ratio
						}
					}
				}
			}
		}
		tables++
		for k, text := range p.cells {
			test, _, _ := strings.Cut(k[0], "_range=")
			got, ok := ours[[2]string{k[0], name[k[1]]}]
			if !ok {
				got, ok = ours[[2]string{test, name[k[1]]}] // a test of one size has its name alone
			}
			want, err := strconv.ParseFloat(text, 64)
			if !ok || err != nil || math.Abs(got-want) > 0.005+1e-9 {
				t.Errorf("%s: %v is %s, ours %v (%v)", file, k, text, got, err)
			}
			ratios++
		}
	}
	t.Logf("%d ratios of %d published tables recomputed", ratios, tables)
	if tables < 20 || ratios < 3000 {
		t.Errorf("only %d ratios of %d tables were found", ratios, tables)
	}
}

// Medians, minima and maxima of the groups, as computed from the printed ratios
// by other means (derived/group-medians.csv).
func TestPublishedGroups(t *testing.T) {
	cases := smallDatum(t)
	f, err := os.Open(filepath.Join(cases, "derived", "group-medians.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	type key struct{ version, group string }
	checked := 0
	of := map[string]map[key]compare.GroupRatios{}
	for _, line := range lines[1:] { // set, table, base, server, group, tests, median, min, max
		dir := filepath.Join(cases, strings.ReplaceAll(line[0], "/", "_"))
		group := line[4]
		if group != "point" && group != "write" {
			continue // range has a test there that warms up, and its own name for the other
		}
		id := dir + line[2]
		if of[id] == nil {
			of[id] = map[key]compare.GroupRatios{}
			runs := imported(t, dir)
			base := ""
			for _, r := range runs {
				if r.Server.VersionText == line[2] {
					base = r.Version
				}
			}
			rel := compare.RelativeOf(compare.Build(runs, compare.Options{Base: base, Only: []string{"qps"}}), "qps")
			for _, table := range rel.Tables {
				for _, g := range table.Groups {
					for i, s := range g.Summary {
						for _, r := range runs {
							if r.Version == table.Versions[i] {
								of[id][key{r.Server.VersionText, g.Group}] = s
								break
							}
						}
					}
				}
			}
		}
		s, ok := of[id][key{line[3], group}]
		if !ok || strconv.Itoa(s.N) != line[5] {
			continue // not all tests of the table are of the group here
		}
		for i, got := range []*float64{s.Median, s.Minimum, s.Maximum} {
			want, err := strconv.ParseFloat(line[6+i], 64)
			if err != nil || got == nil || math.Abs(*got-want) > 0.0051 {
				t.Errorf("%s, %s, %s: column %d is %s, ours %v", line[0], line[3], group, 6+i, line[6+i], *got)
			}
			checked++
		}
	}
	t.Logf("%d medians, minima and maxima agree", checked)
	if checked < 300 {
		t.Errorf("only %d could be compared", checked)
	}
}

// What was concluded in March 2025 from the sweep of 1, 4, 10 and 40 clients:
// range queries without aggregation are always fastest in 5.6.51, 5.7.44 is
// faster than 8.0 on most, and 8.0.28 collapses on random-points range=1000.
func TestMarch2025(t *testing.T) {
	cases := smallDatum(t)
	var runs []result.Run
	for _, dop := range []string{"1", "4", "10", "40"} {
		runs = append(runs, imported(t, filepath.Join(cases, "mar25.sb.in.c48_dop"+dop))...)
	}
	o := compare.Options{ByNumber: true, Metric: "qps", Only: compare.SeriesMetrics("qps")}
	toBase, toPrevious := compare.BuildBoth(runs, o)
	sweep, err := compare.SweepOf(toBase, "qps")
	if err != nil || sweep.Base != "5.6.51" {
		t.Fatalf("base %q, %v", sweep.Base, err)
	}
	ranges := 0
	for _, l := range sweep.Lines {
		if l.Group != "range" || l.Workload == "" {
			continue
		}
		for _, p := range l.Points {
			if p.Ratio >= 1 {
				t.Errorf("%s, %s at %d clients: %v of 5.6.51", l.Workload, l.Version, p.Clients, p.Ratio)
			}
			ranges++
		}
		if l.Crossover.Kind != compare.CrossoverNever || !l.Crossover.Single {
			t.Errorf("%s, %s: %+v", l.Workload, l.Version, l.Crossover)
		}
	}
	if ranges < 5*5*4 {
		t.Errorf("only %d points of range queries", ranges)
	}

	// 5.7.44 against each 8.0: most workloads are slower in 8.0.
	to57 := compare.RelativeOf(compare.Build(runs, compare.Options{Base: "5.7.44", ByNumber: true, Only: []string{"qps"}}), "qps")
	for _, table := range to57.Tables {
		for i, v := range table.Versions {
			if !strings.HasPrefix(v, "8.0.") {
				continue
			}
			slower, all := 0, 0
			for _, g := range table.Groups {
				for _, row := range g.Rows {
					if r := row.Cells[i].Ratio; r != nil {
						all++
						if r.Ratio < 1 {
							slower++
						}
					}
				}
			}
			if all < 27 || 2*slower <= all { // 21 of 30 at 40 clients, 27 and more at fewer
				t.Errorf("%s at %d clients is slower than 5.7.44 on %d of %d only", v, table.Clients, slower, all)
			}
		}
	}

	series := compare.SeriesOf(toBase, toPrevious, "qps")
	collapses := 0
	for _, l := range series.Lines {
		for i, p := range l.Points {
			if l.Workload == "random-points_range=1000" && series.Versions[i] == "8.0.28" && p.Odd < -0.3 {
				collapses++
			}
		}
	}
	if collapses != 4 {
		t.Errorf("the collapse of 8.0.28 on random-points_range=1000 is odd at %d of 4 numbers of clients", collapses)
	}
	text := textOf(t, func(b *strings.Builder) error { return WriteSeries(b, Table, series, Layout{Width: 200}) })
	if want := "8.0.28, random-points_range=1000, 1 client: −53% beyond both neighbours: 258.0 (5.7.44) → 95.00 → 203.0 (8.0.32)"; !strings.Contains(text, want) {
		t.Errorf("the table does not say %q", want)
	}
	text = textOf(t, func(b *strings.Builder) error { return WriteSweep(b, Table, sweep, Layout{Width: 200}) })
	if want := "In 5.7.44, most point queries are faster than 5.6.51 from 10 clients on; most are slower at 1 and 4 clients (by single runs, no interval)."; !strings.Contains(text, want) {
		t.Errorf("the table does not say %q:\n%s", want, text)
	}
}

func textOf(t *testing.T, write func(b *strings.Builder) error) string {
	t.Helper()
	var b strings.Builder
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
