package page

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"

	"opcost/perfctl/compare"
	"opcost/perfctl/importer"
	"opcost/perfctl/result"
	"opcost/profiles/onefile"
	"opcost/profiles/onefile/browser"
)

func testScreenReader(t *testing.T, b *browser.Tab) {
	open(b, small().input(), "#metric=instructions_per_query")
	tree := browser.Call(b, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	names := map[string][]string{}
	for _, n := range tree.Nodes {
		if n.Role != nil && n.Name != nil && !n.Ignored {
			role, name := strings.Trim(string(n.Role.Value), `"`), strings.Trim(string(n.Name.Value), `"`)
			names[role] = append(names[role], name)
		}
	}
	for role, want := range map[string]string{"heading": "By group of workloads", "combobox": "Metric", "radio": "Ratio", "checkbox": "v2", "image": "v3: 1: 1.50, 4: 1.50, 16: 0.80",
		"columnheader": "ratio", "rowheader": "point-query", "region": "Table", "group": "scan"} {
		if !slices.ContainsFunc(names[role], func(n string) bool { return strings.Contains(n, want) }) {
			t.Errorf("no %s is named %q; there are %q", role, want, names[role])
		}
	}
	for _, role := range []string{"combobox", "radio", "checkbox", "button", "image"} {
		if slices.Contains(names[role], "") {
			t.Errorf("a %s has no name", role)
		}
	}
}

// Every text of a report is shown as it is, and does nothing.
func testHostile(t *testing.T, b *browser.Tab) {
	names := onefile.Hostile()
	n := night{versions: append([]string{"v1"}, names[:6]...), clients: []int{1, 2}, starts: 2, noise: 0.001, groups: map[string][]string{"point": names},
		factor: func(v, w, clients int) float64 { return 1 + 0.1*float64(v*clients) }}
	runs := n.runs()
	for i := range runs {
		runs[i].Host, runs[i].Driver = names[0], names[1]
		w := &runs[i].Passes[0].Windows[0]
		w.Readings = append(w.Readings, result.Lacking(names[2], "count", result.SourcePerf, result.User, result.Failed, names[3], names[4]))
		w.Quality = append(w.Quality, result.Quality{Name: names[5], Value: 2, Limit: 1, Text: names[6]})
	}
	r := compare.Build(runs, compare.Options{})
	for _, name := range names {
		r.Warnings = append(r.Warnings, result.Warning{Code: "unlike", Text: name}, result.Warning{Code: name, Text: name})
	}
	toBase, toPrevious := compare.BuildBoth(runs, compare.Options{Metric: "qps", Only: compare.SeriesMetrics("qps")})
	in := Input{Title: names[0], Report: r, Series: []compare.Series{compare.SeriesOf(toBase, toPrevious, "qps")}, Notes: names}
	for _, run := range runs {
		in.Evidence = append(in.Evidence, Run{Host: run.Host, Version: run.Version, Workload: run.Workload, Clients: run.Clients, Protocol: run.Protocol, Driver: run.Driver,
			ID: run.ID, Folder: "javascript:window.broken=1//" + run.ID, Files: names, Flame: "javascript:window.broken=1"})
	}
	open(b, in, "#metric=%3C/script%3E")
	b.Click("#sweep .each summary", "#table td button")
	eventually(b, "document.querySelector('#sweep .each .chart') !== null && document.querySelector('#table .runs a') !== null", "charts and links")
	for _, metric := range []string{"instructions_per_query", names[2] + "_per_query"} {
		choose(b, "metric", metric)
	}
	choose(b, "metric", "qps")
	choose(b, "rows", "3")
	shown := b.Text("body")
	for _, name := range names[:6] {
		if !strings.Contains(shown, name) {
			t.Errorf("%q is not shown", name)
		}
	}
	if bad := browser.Value[[]string](b, `[...document.querySelectorAll('a')].map(a => a.href).filter(h => !h.startsWith('file:'))`); len(bad) > 0 {
		t.Errorf("links to %q", bad)
	}
	if browser.Value[bool](b, "window.broken !== undefined || document.querySelector('img, iframe, object, link[rel=stylesheet]') !== null") {
		t.Error("a name became markup or ran")
	}
	if n := browser.Value[int](b, "document.scripts.length"); n != 2 {
		t.Errorf("%d scripts in the page, want 2", n)
	}
}

// leastContrast of text with what is behind it, as WCAG computes it, and of bars
// and lines with the page.
const leastContrast = `(() => {
	const canvas = document.createElement('canvas'), c = canvas.getContext('2d', {willReadFrequently: true});
	const light = colour => {
		c.fillStyle = colour;
		c.fillRect(0, 0, 1, 1);
		const [r, g, b] = [...c.getImageData(0, 0, 1, 1).data].map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
	};
	const behind = e => { for (; e; e = e.parentElement) { const s = getComputedStyle(e).backgroundColor; if (s !== 'rgba(0, 0, 0, 0)') return s; } };
	const ratio = (a, b) => (x => Math.max(...x) / Math.min(...x))([light(a), light(b)]);
	const least = (selector, property) => Math.min(...[...document.querySelectorAll(selector)].map(e => ratio(getComputedStyle(e)[property], behind(e.closest('svg') ?? e))));
	return [least('p, h2, h3, h4, li, th, td, button, .name, .number, .interval, caption, small, label', 'color'), least('svg text', 'fill'),
		least('#bars .bar, .shares .bar', 'fill'), least('.path, .marker', 'stroke')];
})()`

func testMedia(t *testing.T, b *browser.Tab) {
	in := small().input()
	in.Title = "A long title that a narrow page has to break somewhere, with_a_long_word_in_it_that_has_no_space_at_all_in_it_anywhere"
	path, _ := written(t, in)
	defer browser.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	defer browser.Call(b, emulation.ClearDeviceMetricsOverride, cdp.Empty{})
	var backgrounds []string
	for _, scheme := range []string{"light", "dark"} {
		browser.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		b.Open(path, "#metric=instructions_per_query")
		backgrounds = append(backgrounds, browser.Value[string](b, "getComputedStyle(document.body).backgroundColor"))
		for i, least := range browser.Value[[]float64](b, leastContrast) {
			if want := []float64{4.5, 4.5, 3, 3}[i]; least < want {
				t.Errorf("%s: %s have a contrast of %.2f, want %v", scheme, []string{"texts", "charts' texts", "bars", "lines"}[i], least, want)
			}
		}
	}
	if backgrounds[0] == backgrounds[1] {
		t.Errorf("light and dark are both %s", backgrounds[0])
	}
	browser.Call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 390, Height: 844, DeviceScaleFactor: 2, Mobile: true})
	for _, fragment := range []string{"#metric=cycles_per_query&show=value", "#metric=instructions_per_query"} {
		b.Open(path, fragment)
		browser.Value[bool](b, "document.querySelectorAll('details').forEach(d => { d.open = true; }), true")
		b.Click("#table td button")
		if w := browser.Value[int](b, "document.documentElement.scrollWidth"); w != 390 {
			t.Errorf("on a phone 390 wide the page at %s is %d wide", fragment, w)
		}
	}
	if w := browser.Value[float64](b, "Math.min(...[...document.querySelectorAll('#bars .row[data-row] .plot')].map(p => p.getBoundingClientRect().width))"); w < 150 {
		t.Errorf("on a phone bars have %.0f pixels", w)
	}
	browser.Call(b, emulation.ClearDeviceMetricsOverride, cdp.Empty{})
	b.Open(path, "")
	browser.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	browser.Value[bool](b, "dispatchEvent(new Event('beforeprint'))")
	if browser.Value[string](b, "getComputedStyle(document.querySelector('.controls')).display") != "none" {
		t.Error("the controls are printed")
	}
	if browser.Value[string](b, "getComputedStyle(document.querySelector('#bars .bar')).printColorAdjust") != "exact" {
		t.Error("the bars' colours are not printed")
	}
	if browser.Value[bool](b, "[...document.querySelectorAll('header details')].some(d => !d.open)") {
		t.Error("verdicts or warnings stay folded in print")
	}
}

// A sweep of 15 releases over all workloads keeps within its limit, and is drawn
// while one waits.
func testLarge(t *testing.T, b *browser.Tab) {
	n := night{clients: []int{1, 4, 10, 20, 30, 40}, starts: 1, more: 30, groups: map[string][]string{}, noise: 0.01,
		factor: func(v, w, clients int) float64 {
			return 1 + 0.02*float64(v) - 0.001*float64(clients) + 0.002*float64(w)
		}}
	for i := range 15 {
		n.versions = append(n.versions, fmt.Sprintf("8.0.%d", 28+i))
	}
	for i := range 32 {
		g := groupOrder[i%3]
		n.groups[g] = append(n.groups[g], fmt.Sprintf("random-points_range=%d", i))
	}
	in := n.input()
	if len(in.Report.Rows) != 2880 {
		t.Fatalf("%d rows", len(in.Report.Rows))
	}
	begin := time.Now()
	path, w := written(t, in)
	made := time.Since(begin)
	begin = time.Now()
	b.Open(path, "")
	ms := browser.Value[float64](b, `(t => (document.getElementById('metric').value = 'instructions_per_query',
		document.getElementById('metric').dispatchEvent(new Event('change', {bubbles: true})), document.body.offsetHeight, performance.now() - t))(performance.now())`)
	t.Logf("2,880 rows: %d metrics in %.1f MB, left out: %q; made in %v; opened in %v, another metric in %.0f ms", w.Metrics, float64(w.Bytes)/1e6, w.LeftOut,
		made.Round(time.Millisecond), time.Since(begin).Round(time.Millisecond), ms)
	if w.Bytes > DefaultLimit {
		t.Errorf("%d bytes", w.Bytes)
	}
	if got, want := browser.Value[int](b, "document.querySelectorAll('#bars .row[data-row]').length"), 32*14; got != want {
		t.Errorf("%d bars, want %d", got, want)
	}
	if got := browser.Value[int](b, "document.querySelectorAll('#table tbody tr').length"); got != 32*15 {
		t.Errorf("%d rows in the table, want %d", got, 32*15)
	}
}

// Small Datum's published tables: the bars are his ratios.
func testPublished(t *testing.T, b *browser.Tab) {
	root := os.Getenv("OPCOST_CASES")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared", "cases")
	}
	root = filepath.Join(root, "09-small-datum")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the folder of cases is not there (set OPCOST_CASES): ", err)
	}
	folder := "mar25.sb.in.c48_dop10"
	im, _, err := importer.Import(t.Context(), []string{filepath.Join(root, folder)}, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Title: folder, Report: compare.Build(im.Runs, compare.Options{ByNumber: true})}
	open(b, in, "#axis=0")
	checked := 0
	for _, d := range bars(b) {
		row := in.Report.Rows[d.Row]
		this, base := row.Metrics["qps"].Value, (*float64)(nil)
		for _, o := range in.Report.Rows {
			if o.Version == in.Report.Base && o.Workload == row.Workload && o.Clients == row.Clients {
				base = o.Metrics["qps"].Value
			}
		}
		if this == nil || base == nil {
			continue
		}
		checked++
		if ratio := *this / *base; d.Cut != "end" && math.Abs(d.End-ratio) > 0.01 {
			t.Errorf("%s, %s: the bar ends at %.3f, the published numbers are as %.3f", row.Workload, row.Version, d.End, ratio)
		}
		if d.Verdict != "" {
			t.Errorf("%s, %s: a verdict from single runs", row.Workload, row.Version)
		}
	}
	if checked < 100 {
		t.Errorf("%d bars were checked", checked)
	}
}
