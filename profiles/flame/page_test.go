package flame

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"opcost/profiles"
)

// TestPage runs the page in a real browser, one for all.
func TestPage(t *testing.T) {
	chromium := startChromium(t)
	for _, c := range []struct {
		name string
		test func(*testing.T, *tab)
	}{
		{"widths", testWidths},
		{"search", testSearch},
		{"zoom", testZoom},
		{"keyboard", testKeyboard},
		{"difference", testDifference},
		{"uniform slowdown", testUniform},
		{"sampling error", testSamplingError},
		{"hostile names", testHostile},
		{"links", testLinks},
		{"screen reader", testScreenReader},
		{"phone, dark, print", testMedia},
		{"full page", testFullPage},
	} {
		t.Run(c.name, func(t *testing.T) {
			chromium.in(t)
			c.test(t, chromium)
			chromium.Misdeeds()
		})
	}
}

// single is a graph whose numbers are easy: 1,000 instructions in 10 operations.
func single(t *testing.T) Input {
	return Input{Title: "one", Base: Side{"v1", profile(t, counted, 10,
		"main 100", "main;run;read 300", "main;run;read;read;sys_read 200", "main;parse 400")}}
}

func testWidths(t *testing.T, b *tab) {
	b.open(single(t), "")
	all := map[string]float64{"all": 1, "all;main": 1, "all;main;run": 0.5, "all;main;run;read": 0.5,
		"all;main;run;read;read": 0.2, "all;main;run;read;read;sys_read": 0.2, "all;main;parse": 0.4}
	b.wide("whole graph", all)
	if text := b.text("#scale"); text != "full width: 100 instructions per statement" {
		t.Errorf("scale: %q", text)
	}
	hover(b, "parse")
	tip := b.text("#tip")
	for _, want := range []string{"parse", "with all it calls4040.00 %", "/usr/sbin/mysqld"} {
		if !strings.Contains(tip, want) {
			t.Errorf("the tooltip lacks %q: %q", want, tip)
		}
	}
	if hidden := value[bool](b, "document.getElementById('tip').hidden"); hidden {
		t.Error("no tooltip under the pointer")
	}
	if legend := b.text("#legend"); !strings.Contains(legend, "user code 80.00 %") || !strings.Contains(legend, "kernel 20.00 %") {
		t.Errorf("legend: %q", legend)
	}
}

// hover moves the pointer to the first box of a name.
func hover(b *tab, name string) {
	b.t.Helper()
	at := value[[]float64](b, fmt.Sprintf(`(r => [r.left + r.width / 2, r.top + r.height / 2])(document.querySelector('[aria-label^=%q]').getBoundingClientRect())`, name))
	b.run(chromedp.MouseEvent(chromedp.MouseMoved, at[0], at[1]))
}

func (b *tab) search(text string) {
	b.t.Helper()
	value[bool](b, "document.getElementById('query').value = '', true")
	b.run(chromedp.SendKeys(chromedp.ID("query"), text))
}

func (b *tab) hits() []string {
	var names []string
	for path, x := range b.boxes() {
		if strings.Contains(" "+x.Class+" ", " hit ") {
			names = append(names, path)
		}
	}
	slices.Sort(names)
	return names
}

func testSearch(t *testing.T, b *tab) {
	b.open(single(t), "")
	b.search("READ")
	// read below read is counted once.
	if got, want := b.text("#found"), "2 names in 3 boxes, with all they call: 50.00 % of the total (50 instructions per statement)"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	if got := b.hits(); len(got) != 3 {
		t.Errorf("marked: %q", got)
	}
	b.search("^(read|parse)$")
	if got := b.text("#found"); got != "No box has such a name." || len(b.hits()) != 0 {
		t.Errorf("as plain text: %q, %q", got, b.hits())
	}
	b.click("#regexp")
	if got, want := b.text("#found"), "2 names in 3 boxes, with all they call: 90.00 % of the total (90 instructions per statement)"; got != want {
		t.Errorf("as regexp: %q, want %q", got, want)
	}
	b.click("#next")
	first := b.focused()
	b.click("#next")
	if first != "all;main;run;read" || b.focused() != "all;main;run;read;read" {
		t.Errorf("next match: %q, then %q", first, b.focused())
	}
	b.search("(")
	if got := b.text("#found"); !strings.HasPrefix(got, "Not a regular expression: ") || value[string](b, "document.getElementById('query').ariaInvalid") != "true" {
		t.Errorf("bad regexp: %q", got)
	}
	b.click("#legend li:nth-child(2) button")
	if got := b.hits(); len(got) != 1 || got[0] != "all;main;run;read;read;sys_read" {
		t.Errorf("boxes of the kernel: %q", got)
	}
}

func testZoom(t *testing.T, b *tab) {
	b.open(single(t), "")
	b.click(`[aria-label^="run"]`)
	b.wide("zoomed to run", map[string]float64{"all": 1, "all;main": 1, "all;main;run": 1, "all;main;run;read": 1,
		"all;main;run;read;read": 0.4, "all;main;run;read;read;sys_read": 0.4})
	if got := b.text("#crumbs ol"); got != "allmainrun" {
		t.Errorf("path: %q", got)
	}
	if got := b.text("#status"); !strings.HasPrefix(got, "Zoomed to run, 50.00 %, 50 instructions per statement") {
		t.Errorf("said to screen readers: %q", got)
	}
	b.click("#crumbs li:nth-child(2) button")
	if w := b.boxes()["all;main;run"].Width; w < 0.499 || w > 0.501 {
		t.Errorf("back at main, run is %v wide", w)
	}
	b.click(`[aria-label^="parse"]`, "#crumbs .reset")
	if n := len(b.boxes()); n != 7 {
		t.Errorf("%d boxes after the reset, want 7", n)
	}
}

func testKeyboard(t *testing.T, b *tab) {
	b.open(single(t), "")
	b.run(chromedp.Focus(chromedp.CSS(`#graph [tabindex="0"]`)))
	for _, step := range []struct{ key, want string }{
		{"", "all"},
		{kb.ArrowDown, "all;main"},
		{kb.ArrowDown, "all;main;run"},
		{kb.ArrowRight, "all;main;parse"},
		{kb.ArrowRight, "all;main;parse"},
		{kb.ArrowLeft, "all;main;run"},
		{kb.ArrowDown, "all;main;run;read"},
		{kb.Enter, "all;main;run;read"},
		{kb.ArrowDown, "all;main;run;read;read"},
		{kb.ArrowUp, "all;main;run;read"},
		{kb.Escape, "all;main;run"},
		{kb.Home, "all"},
	} {
		if step.key != "" {
			b.run(chromedp.KeyEvent(step.key))
		}
		if got := b.focused(); got != step.want {
			t.Fatalf("after %q the focus is on %q, want %q", step.key, got, step.want)
		}
		if step.key == kb.Enter {
			if w := b.boxes()["all;main;run;read"].Width; w < 0.999 {
				t.Errorf("Enter did not zoom: %v", w)
			}
		}
	}
	if n := len(b.boxes()); n != 7 {
		t.Errorf("%d boxes after Home, want 7", n)
	}
	if value[bool](b, "document.getElementById('tip').hidden") {
		t.Error("no tooltip for the box with the focus")
	}
	stops := 0
	for _, x := range b.boxes() {
		if x.Tab == 0 {
			stops++
		}
	}
	if stops != 1 {
		t.Errorf("%d boxes are in the order of the tab key, want 1", stops)
	}
	b.click(`[aria-label^="parse"]`, "#crumbs .reset")
	stops = value[int](b, `document.querySelectorAll('#graph [tabindex="0"]').length`)
	if stops != 1 {
		t.Errorf("after a click %d boxes are in the order of the tab key, want 1", stops)
	}
	b.run(chromedp.KeyEvent("/"))
	if id := value[string](b, "document.activeElement.id"); id != "query" {
		t.Errorf("/ leads to %q", id)
	}
	value[bool](b, "document.activeElement.value = '', true") // the key is sent as a text too
	b.run(chromedp.KeyEvent("parse"))
	if got := b.hits(); len(got) != 1 {
		t.Errorf("typed after /: %q", got)
	}
}

// pair has code that only one side has. Per statement: A 100, B 120.
func pair(t *testing.T) Input {
	return Input{
		Base: Side{"v1", profile(t, counted, 10, "main;same 500", "main;old;sys_old 300", "main;less 200")},
		New:  Side{"v2", profile(t, counted, 20, "main;same 1000", "main;fresh 1200", "main;less 200")},
	}
}

func testDifference(t *testing.T, b *tab) {
	b.open(pair(t), "")
	// The larger of both: same 50, old 30, less 20 (10 in B), fresh 60; in sum 160.
	b.wide("difference", map[string]float64{"all": 1, "all;main": 1, "all;main;same": 50. / 160, "all;main;old": 30. / 160,
		"all;main;old;sys_old": 30. / 160, "all;main;less": 20. / 160, "all;main;fresh": 60. / 160})
	boxes := b.boxes()
	for path, want := range map[string]string{"all;main;old": "gone: old", "all;main;old;sys_old": "sys_old", "all;main;fresh": "new: fresh", "all;main;same": "same"} {
		if got := boxes[path].Text; got != want {
			t.Errorf("%s says %q, want %q", path, got, want)
		}
	}
	colours := map[string]bool{}
	for _, path := range []string{"all;main;same", "all;main;old", "all;main;fresh"} {
		colours[boxes[path].Colour] = true
	}
	if len(colours) != 3 {
		t.Errorf("same, gone and new code have the colours %v", colours)
	}
	if got := boxes["all;main;fresh"].Label; !strings.HasPrefix(got, "fresh, only in B, +60 instructions per statement, +60.00 % of A") {
		t.Errorf("said to screen readers: %q", got)
	}
	hover(b, "less")
	for _, want := range []string{"with all it calls2010−10", "share20.00 %8.33 %−10.00 % of A"} {
		if tip := b.text("#tip"); !strings.Contains(tip, want) {
			t.Errorf("the tooltip lacks %q: %q", want, tip)
		}
	}
	b.click(`#views input[value="a"]`)
	// One scale: A is 100 of the 120 that B takes.
	b.wide("A", map[string]float64{"all": 100. / 120, "all;main": 100. / 120, "all;main;same": 50. / 120, "all;main;old": 30. / 120,
		"all;main;old;sys_old": 30. / 120, "all;main;less": 20. / 120})
	b.click(`#views input[value="b"]`)
	b.wide("B", map[string]float64{"all": 1, "all;main": 1, "all;main;same": 50. / 120, "all;main;fresh": 60. / 120, "all;main;less": 10. / 120})
	b.search("same")
	if got, want := b.text("#found"), "1 name in 1 box, with all they call: 50.00 % of A (50 instructions per statement), 41.67 % of B (50 instructions per statement), B − A 0"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	b.click(`[aria-label^="fresh"]`, `#views input[value="a"]`)
	if got := b.text("#empty"); len(b.boxes()) != 0 || got != "fresh has no cost in this view." {
		t.Errorf("A, zoomed to what only B has: %q, %d boxes", got, len(b.boxes()))
	}
	if got := value[string](b, "document.querySelector('header').innerText"); !strings.Contains(got, "+20") || !strings.Contains(got, "1.200") {
		t.Errorf("the head lacks the difference: %q", got)
	}
}

// Everything costs a fifth more, in a window with three times the operations.
func testUniform(t *testing.T, b *tab) {
	b.open(Input{
		Base: Side{"v1", profile(t, counted, 10, "main;a 700", "main;b 300")},
		New:  Side{"v2", profile(t, counted, 30, "main;a 2520", "main;b 1080")},
	}, "")
	boxes := b.boxes()
	neutral := value[string](b, "(e => (document.body.append(e), e.style.background = 'var(--none)', getComputedStyle(e).backgroundColor))(document.createElement('i'))")
	for path, x := range boxes {
		if x.Colour == neutral || x.Colour == "" {
			t.Errorf("%s has the colour of no change, %q", path, x.Colour)
		}
	}
	b.click(`#views input[value="a"]`)
	b.wide("A", map[string]float64{"all": 1 / 1.2, "all;main": 1 / 1.2, "all;main;a": 0.7 / 1.2, "all;main;b": 0.3 / 1.2})
	b.click(`#views input[value="b"]`)
	b.wide("B", map[string]float64{"all": 1, "all;main": 1, "all;main;a": 0.7, "all;main;b": 0.3})
}

// 100 samples against 110 are no change; 100 against 400 are.
func testSamplingError(t *testing.T, b *tab) {
	sampled := func(a, b int) *profiles.Profile {
		lines := append(slices.Repeat([]string{"main;a 1000"}, a), slices.Repeat([]string{"main;b 1000"}, b)...)
		return profile(t, profiles.Event{Name: "cycles", Unit: profiles.Cycles}, 1000, lines...)
	}
	b.open(Input{Base: Side{"v1", sampled(100, 100)}, New: Side{"v2", sampled(110, 400)}}, "")
	boxes := b.boxes()
	if boxes["all;main;a"].Colour == boxes["all;main;b"].Colour {
		t.Errorf("both are %s", boxes["all;main;a"].Colour)
	}
	hover(b, "a,")
	// 2 × √(100²/100 + 110²/110) = 28.98
	if tip := b.text("#tip"); !strings.Contains(tip, "within sampling error (±28.98)") {
		t.Errorf("tooltip: %q", tip)
	}
	hover(b, "b,")
	if tip := b.text("#tip"); strings.Contains(tip, "sampling error") {
		t.Errorf("tooltip: %q", tip)
	}
}

func testScreenReader(t *testing.T, b *tab) {
	b.open(pair(t), "")
	call(b, accessibility.Enable, cdp.Empty{})
	nodes := call(b, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes
	roles := map[string]int{}
	named := map[string]bool{}
	for _, n := range nodes {
		if n.Ignored || n.Role == nil {
			continue
		}
		role := unquote(t, string(n.Role.Value))
		roles[role]++
		if n.Name != nil {
			named[role+" "+unquote(t, string(n.Name.Value))] = true
		}
	}
	if roles["treeitem"] != 7 || roles["radio"] != 3 || roles["tree"] != 1 {
		t.Errorf("roles: %v", roles)
	}
	for _, want := range []string{"radio Difference", "checkbox regexp", "button Next match", "button Reset zoom", "searchbox Find", "combobox Colour by",
		"treeitem old, only in A, −30 instructions per statement, −30.00 % of A, user code"} {
		if !named[want] {
			t.Errorf("no %q in %v", want, named)
		}
	}
}

func unquote(t *testing.T, text string) string {
	var s string
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return s
}
