package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"opcost/perfctl/compare"
	"opcost/perfctl/report"
	"opcost/profiles/onefile/browser"
)

// TestPage runs pages in a real browser, one for all.
func TestPage(t *testing.T) {
	chromium := browser.Start(t)
	for _, c := range []struct {
		name string
		test func(*testing.T, *browser.Tab)
	}{
		{"bars", testBars},
		{"cut bars", testCut},
		{"metrics", testMetrics},
		{"numbers", testNumbers},
		{"sorting", testSorting},
		{"sweep", testSweep},
		{"series", testSeries},
		{"states", testStates},
		{"links", testLinks},
		{"address", testAddress},
		{"screen reader", testScreenReader},
		{"hostile names", testHostile},
		{"phone, dark, print", testMedia},
		{"large", testLarge},
		{"published numbers", testPublished},
	} {
		t.Run(c.name, func(t *testing.T) {
			chromium.T = t
			c.test(t, chromium)
			chromium.Misdeeds()
		})
	}
}

// choose sets a choice as a reader does.
func choose(b *browser.Tab, id, value string) {
	b.T.Helper()
	if !browser.Value[bool](b, fmt.Sprintf(`(e => (e.value = %q, e.dispatchEvent(new Event('change', {bubbles: true})), e.value === %q))(document.getElementById(%q))`, value, value, id)) {
		b.T.Fatalf("%s has no %q", id, value)
	}
}

// eventually waits until a condition holds in the page.
func eventually(b *browser.Tab, condition, what string) {
	b.T.Helper()
	for range 1000 {
		if browser.Value[bool](b, condition) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.T.Errorf("there is never %s", what)
}

// drawnBar is a bar as its pixels show it: ends and interval in the axis' numbers,
// which are found from the places of two of the axis' labels.
type drawnBar struct {
	Row                   int
	End, Low, High        float64
	Number, Verdict, Name string
	Cut                   string
	From                  float64 // where the bar begins
	Whole                 bool    // it reaches the end of the plot
}

func bars(b *browser.Tab) (all []drawnBar) {
	b.T.Helper()
	return browser.Value[[]drawnBar](b, `[...document.querySelectorAll('#bars .group')].flatMap(g => {
		const middle = e => (r => (r.left + r.right) / 2)(e.getBoundingClientRect());
		const ticks = [...g.querySelectorAll('.axis text')], a = ticks[0], z = ticks.at(-1);
		const value = x => Number(a.textContent) + (x - middle(a)) / (middle(z) - middle(a)) * (Number(z.textContent) - Number(a.textContent));
		return [...g.querySelectorAll('.row[data-row]')].map(r => {
			const bar = r.querySelector('.bar').getBoundingClientRect(), whisker = r.querySelector('.whisker')?.getBoundingClientRect();
			return {Row: Number(r.dataset.row), From: value(bar.left), End: value(bar.right), Low: whisker ? value(whisker.left) : 0, High: whisker ? value(whisker.right) : 0,
				Number: r.querySelector('.number').textContent, Verdict: r.querySelector('.number .verdict')?.textContent ?? '', Name: r.querySelector('.name').textContent,
				Cut: r.querySelector('.cut.end') ? 'end' : r.querySelector('.cut.below') ? 'below' : r.querySelector('.cut.start') ? 'start' : '',
				Whole: Math.abs(bar.right - r.querySelector('.plot').getBoundingClientRect().right) < 1};
		});
	})`)
}

func near(a, b float64) bool { return math.Abs(a-b) < 0.006 }

// steady is a night whose ratios all lie near 1.
func steady() night {
	n := small()
	n.noise = 0.01
	n.factor = func(v, w, clients int) float64 { return []float64{1, 0.95 - 0.02*float64(w), 1.06}[v] }
	return n
}

func testBars(t *testing.T, b *browser.Tab) {
	in := steady().input()
	open(b, in, "#metric=instructions_per_query")
	for _, axis := range []float64{0.8, 0} {
		b.Click(chromedp.CSS(fmt.Sprintf(`#axis label:has([value="%v"])`, axis)))
		drawn := bars(b)
		if len(drawn) != 8 { // two versions, four workloads
			t.Fatalf("axis from %v: %d bars, want 8", axis, len(drawn))
		}
		for _, d := range drawn {
			row := in.Report.Rows[d.Row]
			r := row.VsBase["instructions_per_query"]
			if row.Clients != 1 || row.Version != d.Name {
				t.Errorf("row %d is of %s at %d clients, the bar of %s at 1", d.Row, row.Version, row.Clients, d.Name)
			}
			if !near(d.From, axis) || !near(d.End, r.Ratio) || !near(d.Low, *r.Low) || !near(d.High, *r.High) {
				t.Errorf("%s, %s: the bar goes from %.3f to %.3f [%.3f, %.3f], want from %v to %.3f [%.3f, %.3f]", row.Workload, row.Version,
					d.From, d.End, d.Low, d.High, axis, r.Ratio, *r.Low, *r.High)
			}
			if d.Verdict != string(r.Verdict) || !strings.HasPrefix(d.Number, fmt.Sprintf("%.2f", r.Ratio)) && !strings.HasPrefix(d.Number, fmt.Sprintf("%.3f", r.Ratio)) {
				t.Errorf("%s, %s: says %q %q, want %v, %s", row.Workload, row.Version, d.Number, d.Verdict, r.Ratio, r.Verdict)
			}
			if torn := d.Cut == "start"; torn != (axis > 0) {
				t.Errorf("axis from %v: cut %q", axis, d.Cut)
			}
		}
	}
	if got := browser.Value[int](b, `document.querySelectorAll('#bars .median .row').length`); got != 2 {
		t.Errorf("%d bars of medians, want one a version in the group of two workloads", got)
	}
	b.Click(`#versions label:nth-of-type(1) input`)
	if n := len(bars(b)); n != 4 {
		t.Errorf("%d bars with one version hidden, want 4", n)
	}
}

func testCut(t *testing.T, b *browser.Tab) {
	in := small().input()
	open(b, in, "#metric=instructions_per_query")
	var cut drawnBar
	for _, d := range bars(b) {
		if in.Report.Rows[d.Row].VsBase["instructions_per_query"].Ratio > 5 {
			cut = d
		} else if d.Cut == "end" {
			t.Errorf("%s: cut, though it is no longer than most", d.Number)
		}
	}
	if cut.Cut != "end" || !cut.Whole || !strings.HasPrefix(cut.Number, "10.0") && !strings.HasPrefix(cut.Number, "9.9") || !strings.HasSuffix(cut.Number, " cut") {
		t.Errorf("the bar of ten times: %+v", cut)
	}
	if note := b.Text("#bars-note"); !strings.Contains(note, "cut at 3: 1.") || !strings.Contains(note, "begins at 0.8") {
		t.Errorf("note: %q", note)
	}
	choose(b, "clients", "16")
	b.Click(`#axis label:has([value="0.8"])`)
	for _, d := range bars(b) {
		if r := in.Report.Rows[d.Row].VsBase["instructions_per_query"].Ratio; r < 0.8 && d.Cut != "below" {
			t.Errorf("%v with an axis from 0.8: cut %q", r, d.Cut)
		}
	}
}

func testMetrics(t *testing.T, b *browser.Tab) {
	in := small().input()
	open(b, in, "")
	if got := browser.Value[string](b, "document.getElementById('metric').value"); got != "qps" {
		t.Errorf("shown first: %q", got)
	}
	names := browser.Value[[]string](b, "[...document.getElementById('metric').options].map(o => o.value)")
	for name := range in.Report.Rows[0].Metrics {
		if !slices.Contains(names, name) {
			t.Errorf("no choice of %s", name)
		}
	}
	before := b.Text("#bars")
	choose(b, "metric", "cpu_us_per_query")
	if after := b.Text("#bars"); after == before || !strings.Contains(b.Text("#about"), "CPU/query, µs: less is better; source: proc, user+kernel; per statement; 4 server starts") {
		t.Errorf("after the switch: %q", b.Text("#about"))
	}
	b.Click(`#show label:has([value="value"])`)
	row := in.Report.Rows[0]
	want := report.Number(*row.Metrics["cpu_us_per_query"].Value)
	if got := b.Text(`#bars .row[data-row="0"] .number`); !strings.HasPrefix(got, want+" [") {
		t.Errorf("value of the base: %q, want %s", got, want)
	}
	if n := browser.Value[int](b, "document.querySelectorAll('#bars .row[data-row]').length"); n != 12 {
		t.Errorf("%d values, want 12: the base's too", n)
	}
	// The longest bar of each workload fills its scale, the others are in proportion.
	shares := browser.Value[[]float64](b, `[...document.querySelectorAll('#bars [aria-label="scan"] .bar')].map(e => e.getBoundingClientRect().width)`)
	if r := shares[1] / shares[0]; !near(r, 1.04) {
		t.Errorf("bars of scan are as 1 to %.3f, want 1.04", r)
	}
}

// The page and the tables write the same number in the same way.
func testNumbers(t *testing.T, b *browser.Tab) {
	values := []float64{0, 1, -1, 0.5, 0.05, 0.00099, 0.0005, 9.9994, 9.9996, 99.994, 99.996, 999.94, 999.96, 12345.6, 999_999.4, 999_999.6, 1.5e7, 3.3e9, 9.99949e9, 2e12, 5e15, 0.9994, 0.99951, 123e-9}
	for x := 1.2345e-7; x < 1e14; x *= 3.7 {
		values = append(values, x, -x)
	}
	source, err := files.ReadFile("assets/format.js")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, v := range values {
		list = append(list, fmt.Sprintf("%v", v))
	}
	for i, got := range browser.Value[[]string](b, "(() => {\n"+string(source)+"\nreturn ["+strings.Join(list, ",")+"].map(number)})()") {
		want := report.Number(values[i])
		if same := got == want || math.Abs(values[i]) < 0.001; !same { // below, exponents are written unlike
			t.Errorf("%v: %q, in tables %q", values[i], got, want)
		}
	}
}

func column(b *browser.Tab, name string) []string {
	b.T.Helper()
	return browser.Value[[]string](b, fmt.Sprintf(`(i => [...document.querySelectorAll('#table tbody tr')].map(r => r.cells[i].textContent))
		([...document.querySelectorAll('#table thead th')].findIndex(h => h.textContent === %q))`, name))
}

func testSorting(t *testing.T, b *browser.Tab) {
	open(b, small().input(), "#metric=instructions_per_query")
	if n := len(column(b, "value")); n != 12 {
		t.Fatalf("%d rows, want 12", n)
	}
	b.Click(`[data-column="ratio"]`)
	up := column(b, "ratio")
	b.Click(`[data-column="ratio"]`)
	down := column(b, "ratio")
	// 1.04, 1.5 and 10; the four rows of the base have no ratio and are last.
	if up[0][:3] != "1.0" || up[7] != "9.99" && up[7] != "10.0" || up[11] != "base" || down[0] != up[7] || down[11] != "base" {
		t.Errorf("up %q, down %q", up, down)
	}
	sorts := browser.Value[[]string](b, `[...document.querySelectorAll('#table th[aria-sort]')].map(h => h.getAttribute('aria-sort')).filter(s => s !== 'none')`)
	if !slices.Equal(sorts, []string{"descending"}) {
		t.Errorf("aria-sort: %q", sorts)
	}
	// By keyboard alone: from the table's own stop to the headings, and Enter.
	b.Run(chromedp.Focus(chromedp.CSS("#table")), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	if got := column(b, "version"); !slices.IsSorted(got) {
		t.Errorf("sorted by version: %q", got)
	}
	b.Run(chromedp.KeyEvent(kb.Enter)) // the focus stayed
	if got := column(b, "version"); got[0] != "v3" {
		t.Errorf("sorted by version, the other way: %q", got)
	}
	if got := b.Text("#status"); got != "Sorted by version, descending" {
		t.Errorf("said to screen readers: %q", got)
	}
	choose(b, "rows", "0")
	if got := column(b, "metric"); !slices.Contains(got, "QPS") && !slices.Contains(got, "qps") || !slices.Contains(got, "instructions/query: kernel") {
		t.Errorf("all metrics of a workload: %q", got)
	}
}

// heights are what the markers of a chart's lines show, found from the places of
// the axis' labels.
func heights(b *browser.Tab, chart string) [][]float64 {
	b.T.Helper()
	return browser.Value[[][]float64](b, fmt.Sprintf(`(f => {
		const middle = e => (r => (r.top + r.bottom) / 2)(e.getBoundingClientRect());
		const ticks = [...f.querySelectorAll('text.y')], a = ticks[0], z = ticks.at(-1);
		const value = y => Number(a.textContent) + (y - middle(a)) / (middle(z) - middle(a)) * (Number(z.textContent) - Number(a.textContent));
		return [...f.querySelectorAll('.line')].map(l => [...l.querySelectorAll('.path')].flatMap((p, i) => {
			const [y1, y2] = [p.y1, p.y2].map(v => value(p.ownerSVGElement.getBoundingClientRect().top + v.baseVal.value));
			return i === 0 ? [y1, y2] : [y2];
		}));
	})([...document.querySelectorAll('.chart')].find(f => f.querySelector('figcaption').textContent.startsWith(%q)))`, chart))
}

func testSweep(t *testing.T, b *browser.Tab) {
	in := small().input()
	open(b, in, "#metric=instructions_per_query")
	s, err := compare.SweepOf(in.Report, "instructions_per_query")
	if err != nil {
		t.Fatal(err)
	}
	got := heights(b, "Writes")
	n := 0
	for _, l := range s.Lines {
		if l.Group != "write" || l.Stat != compare.OfMost {
			continue
		}
		for i, p := range l.Points {
			if n >= len(got) || math.Abs(got[n][i]-p.Ratio) > 0.02 {
				t.Errorf("%s at %d clients: drawn %v, want %.3f", l.Version, p.Clients, got, p.Ratio)
			}
		}
		n++
	}
	if n != 2 || len(got) != 2 {
		t.Errorf("%d lines drawn of %d", len(got), n)
	}
	text := b.Text("#sweep .said")
	for _, l := range s.Lines {
		if l.Stat != compare.OfWorkload && !strings.Contains(text, l.Crossover.Sentence) {
			t.Errorf("lacks %q", l.Crossover.Sentence)
		}
	}
	if !strings.Contains(text, "faster than v1 from 16 clients on") {
		t.Errorf("no crossover at 16 clients: %q", text)
	}
	b.Click("#sweep .each summary")
	eventually(b, "document.querySelectorAll('#sweep .each .chart').length === 4", "a chart for each of four workloads")
	choose(b, "metric", "ipc")
}

func testSeries(t *testing.T, b *browser.Tab) {
	in := small().input()
	open(b, in, "#metric=instructions_per_query&clients=4")
	want := 0
	for _, s := range in.Series[1].Steps {
		if s.Clients == 4 {
			want++
		}
	}
	if n := browser.Value[int](b, "document.querySelectorAll('#series .changed').length"); n != want || want == 0 {
		t.Errorf("%d changes marked, want %d", n, want)
	}
	got := heights(b, "scan")
	for i, w := range []float64{1, 1.04, 1.5} {
		if len(got) != 1 || math.Abs(got[0][i]-w) > 0.02 {
			t.Errorf("scan by release: %v, want 1, 1.04, 1.5", got)
			break
		}
	}
	choose(b, "metric", "cpu_us_per_query")
	if text := b.Text("#series"); !strings.Contains(text, "--metric") {
		t.Errorf("a metric without series: %q", text)
	}
}

func testStates(t *testing.T, b *browser.Tab) {
	open(b, small().input(), "#metric=cycles_per_query")
	for _, place := range []string{"#bars", "#table"} {
		text := b.Text(place)
		for _, want := range []string{"unsupported", "this machine shows no hardware counters to its guest", "give the guest a virtual PMU"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", place, want)
			}
		}
	}
	if values := column(b, "value"); slices.ContainsFunc(values, func(v string) bool { return v != "–" }) {
		t.Errorf("values of what is not counted: %q", values)
	}
}

func testLinks(t *testing.T, b *browser.Tab) {
	open(b, small().input(), "")
	b.Click("#table td button")
	eventually(b, "document.querySelector('#table .runs a') !== null", "links of the first row")
	links := browser.Value[[]string](b, "[...document.querySelectorAll('#table .runs a')].map(a => a.getAttribute('href'))")
	want := []string{"./page.flames/v1.html", "./runs/point-query-v1-1-0/run.json", "./runs/point-query-v1-1-0/evidence/w0-perf.json", "./runs/point-query-v1-1-0/evidence/profile.pb.gz"}
	if len(links) != 16 || !slices.Equal(links[:4], want) {
		t.Errorf("links of 4 starts: %q, want %q first", links, want)
	}
}

func testAddress(t *testing.T, b *browser.Tab) {
	open(b, small().input(), "")
	choose(b, "metric", "cpu_us_per_query")
	choose(b, "clients", "16")
	b.Click(`#show label:has([value="value"])`)
	address := browser.Value[string](b, "location.hash")
	open(b, small().input(), address)
	if got := browser.Value[[]string](b, `[document.getElementById('metric').value, document.getElementById('clients').value, document.querySelector('#show :checked').value]`); !slices.Equal(got, []string{"cpu_us_per_query", "16", "value"}) {
		t.Errorf("%s gives %q", address, got)
	}
	open(b, small().input(), "#metric=__proto__&clients=&place=constructor&show=%22&axis=-1&clients=99") // nothing of it fits; what breaks is a misdeed
	if n := len(bars(b)); n != 8 {
		t.Errorf("%d bars", n)
	}
}
