package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// sweepRuns are imported single runs of three releases at 1 and 4 clients.
func sweepRuns() (runs []result.Run) {
	for _, c := range []struct {
		workload, group string
		clients         int
		qps             [3]float64
	}{
		{"point-query", "point", 1, [3]float64{1000, 900, 600}},
		{"random-points_range=10", "point", 1, [3]float64{500, 450, 200}},
		{"scan", "range", 1, [3]float64{7000, 6300, 5600}},
		{"point-query", "point", 4, [3]float64{3000, 3600, 3300}},
		{"random-points_range=10", "point", 4, [3]float64{2000, 2400, 1900}},
		{"scan", "range", 4, [3]float64{28000, 25200, 22400}},
	} {
		for i, v := range []string{"5.6.51", "5.7.44", "8.0.28"} {
			w := result.Window{ID: "w", State: result.OK, Ops: result.OpCount{Source: result.SourceImport, Per: "statement"}}
			for _, m := range []struct {
				name string
				v    float64
			}{{"qps", c.qps[i]}, {"o/s", c.qps[i]}, {"cpu/o", 50 / c.qps[i]}, {"cs/o", 3.5}, {"r/o", 0}} {
				r := result.Got(m.name, m.v, "count", result.SourceImport, "")
				r.Gauge = true
				w.Readings = append(w.Readings, r)
			}
			runs = append(runs, result.Run{Schema: 1, ID: fmt.Sprint(c.workload, c.clients, v), Host: "h", Version: v, Workload: c.workload, Group: c.group,
				Clients: c.clients, Driver: "sysbench", Started: time.Unix(1, 0), Passes: []result.Pass{{Kind: result.PassCount, State: result.OK, Windows: []result.Window{w}}}})
		}
	}
	return runs
}

func viewsOf(t *testing.T, runs []result.Run) map[string]func(b *strings.Builder, f Format, l Layout) error {
	t.Helper()
	toBase, toPrevious := compare.BuildBoth(runs, compare.Options{ByNumber: true, Metric: "qps"})
	sweep, err := compare.SweepOf(toBase, "qps")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]func(b *strings.Builder, f Format, l Layout) error{
		"relative": func(b *strings.Builder, f Format, l Layout) error {
			return WriteRelative(b, f, compare.RelativeOf(toBase, "qps"), l)
		},
		"slower": func(b *strings.Builder, f Format, l Layout) error {
			return WriteRelative(b, f, compare.RelativeOf(toBase, "response_us"), l)
		},
		"sweep": func(b *strings.Builder, f Format, l Layout) error { return WriteSweep(b, f, sweep, l) },
		"series": func(b *strings.Builder, f Format, l Layout) error {
			return WriteSeries(b, f, compare.SeriesOf(toBase, toPrevious, "qps"), l)
		},
		"costs": func(b *strings.Builder, f Format, l Layout) error { return WriteCosts(b, f, toBase, CostsHost, l) },
	}
}

// All views come in all formats, fit the width, and show no colour unasked.
func TestViews(t *testing.T) {
	for name, write := range viewsOf(t, sweepRuns()) {
		for _, f := range Formats() {
			var b strings.Builder
			if err := write(&b, f, Layout{Width: 80}); err != nil || b.Len() == 0 {
				t.Errorf("%s as %s: %d bytes, %v", name, f, b.Len(), err)
			}
			switch f {
			case Table:
				for l := range strings.Lines(b.String()) {
					if n := len([]rune(strings.TrimSuffix(l, "\n"))); n > 80 {
						t.Errorf("%s: %d columns: %s", name, n, l)
					}
				}
			case JSON:
				var v map[string]any
				if err := json.Unmarshal([]byte(b.String()), &v); err != nil || v["schema"] != 1.0 {
					t.Errorf("%s: %v, schema %v", name, err, v["schema"])
				}
			case CSV:
				if _, err := csv.NewReader(strings.NewReader(b.String())).ReadAll(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if strings.ContainsRune(b.String(), '\x1b') {
				t.Errorf("%s as %s has colours", name, f)
			}
		}
		if err := write(&strings.Builder{}, Bench, Layout{}); err == nil || !strings.Contains(err.Error(), "table, markdown, csv, tsv, json") {
			t.Errorf("%s as benchfmt: %v", name, err)
		}
	}
}

// The published layout, to the letter; the numbers are divided by hand.
func TestPublishedLayout(t *testing.T) {
	one := slices.DeleteFunc(sweepRuns(), func(r result.Run) bool { return r.Clients != 1 })
	got := textOf(t, func(b *strings.Builder) error { return viewsOf(t, one)["relative"](b, TSV, Layout{}) })
	want := strings.Join([]string{
		"Relative to: 5.6.51", "col-1 : 5.7.44", "col-2 : 8.0.28", "",
		"col-1\tcol-2",
		"0.90\t0.60\tpoint-query",
		"0.90\t0.40\trandom-points_range=10",
		"0.90\t0.80\tscan", "",
		"0.90\t0.50\tmedian_point", "0.90\t0.40\tminimum_point", "0.90\t0.60\tmaximum_point",
		"0.90\t0.80\tmedian_range", "0.90\t0.80\tminimum_range", "0.90\t0.80\tmaximum_range", "",
	}, "\n")
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	csvText := textOf(t, func(b *strings.Builder) error { return viewsOf(t, one)["relative"](b, CSV, Layout{}) })
	if want := "workload,5.7.44,8.0.28,group,clients,host,relative_to,metric\npoint-query,0.90,0.60,point,1,h,5.6.51,qps\n"; !strings.HasPrefix(csvText, want) {
		t.Errorf("csv is\n%s", csvText)
	}
}

func TestViewsSay(t *testing.T) {
	views := viewsOf(t, sweepRuns())
	for _, c := range []struct {
		view string
		f    Format
		want []string
	}{
		{"slower", Table, []string{"1.67 times slower", "1.20 times faster", "Response times were not measured: they follow from the throughput"}},
		{"relative", Markdown, []string{"### Point queries, 1 client", "| point-query | 1,000 | 0.90 | 0.60 |", "| **minimum** |  | 0.90 | 0.40 |"}},
		{"sweep", Table, []string{
			"In 5.7.44, most point queries are faster than 5.6.51 from 4 clients on; most are slower at 1 client (by single runs, no interval).",
			"In 8.0.28, at no number of clients measured (1 to 4) are all point queries faster than 5.6.51 (by single runs, no interval).",
			"In 5.7.44, at no number of clients measured (1 to 4) are most range queries without aggregation faster than 5.6.51"}},
		{"series", Table, []string{"5.7.44 → 8.0.28: 6 of 6 changed in QPS, 0 up and 6 down",
			"random-points_range=10, 1 client: −56% (single runs), cpu/o +125%, cs/o 0%"}},
		{"costs", TSV, []string{"point-query, 1 client --- absolute cpu/o cs/o r/o rKB/o wKB/o o/s dbms 0.050000 3.5 0 - - 1000 5.6.51",
			"--- relative to 5.6.51 1.11 1.00 - - - 0.90 5.7.44"}},
	} {
		got := textOf(t, func(b *strings.Builder) error { return views[c.view](b, c.f, Layout{Width: 200}) })
		for _, want := range c.want {
			if !strings.Contains(strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(want), " ")) {
				t.Errorf("%s does not say %q:\n%s", c.view, want, got)
			}
		}
	}
}

// A measured step is said with its bounds, as a change in percent.
func TestStepText(t *testing.T) {
	lo, hi, evidence := 0.94, 0.962, 1.06
	got := stepText(compare.Step{Workload: "scan", Clients: 1, R: compare.R{Ratio: 0.95, Low: &lo, High: &hi}, Evidence: []compare.Beside{{Metric: "instructions_per_query", Ratio: &evidence}}}, false)
	if want := "scan, 1 client: −5% [−6, −3.8], instructions/query +6%"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for by, want := range map[float64]string{0.06: "+6%", -0.05: "−5%", 1.14: "+114%", 0.0001: "0%", -0.0384: "−3.8%", 0.2: "+20%", 0.004: "+0.4%"} {
		if got := change(by); got != want {
			t.Errorf("%v is %s, want %s", by, got, want)
		}
	}
	for ratio, want := range map[float64]string{3.8: "3.80 times slower", 0.5: "2.00 times faster", 1.001: "as fast"} {
		if got := timesSlower(ratio); got != want {
			t.Errorf("%v is %s, want %s", ratio, got, want)
		}
	}
	low, high := 0.81, 0.853
	if got := relativeText("qps", compare.R{Ratio: 0.83, Low: &low, High: &high}); got != "0.83±0.03" || math.IsNaN(high) {
		t.Errorf("a ratio with its interval: %s", got)
	}
}

// Names from outside break no line and no cell of any view.
func TestViewsHostile(t *testing.T) {
	runs := sweepRuns()
	for i := range runs {
		if runs[i].Version == "8.0.28" {
			runs[i].Version = "=cmd|' /C calc'!A0\n\x1b[31m| 8.0.28 %s"
		}
	}
	for name, write := range viewsOf(t, runs) {
		for _, f := range []Format{Table, Markdown, TSV, CSV} {
			got := textOf(t, func(b *strings.Builder) error { return write(b, f, Layout{Width: 80}) })
			if strings.ContainsRune(got, '\x1b') && f != CSV && f != TSV || strings.Contains(got, "MISSING") {
				t.Errorf("%s as %s passes control characters on:\n%s", name, f, got)
			}
			if f == CSV {
				if strings.Contains(got, "\n=cmd") || strings.Contains(got, ",=cmd") || strings.Contains(got, "\"=cmd") {
					t.Errorf("%s as csv has a formula", name)
				}
			}
		}
	}
}
