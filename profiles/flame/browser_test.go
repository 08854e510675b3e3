package flame

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"

	"opcost/profiles/onefile/browser"
)

// tab is the one tab of a headless Chromium. What a page in it did that a page of
// ours must not do fails the test.
type tab struct {
	*browser.Tab
	t *testing.T // the running one
}

// startChromium starts the browser, which ends with the test.
func startChromium(t *testing.T) *tab {
	t.Helper()
	return &tab{browser.Start(t), t}
}

// in makes t the running test.
func (b *tab) in(t *testing.T) { b.t, b.T = t, t }

// open writes a page and opens it; fragment is what follows # in its address.
func (b *tab) open(in Input, fragment string) {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "flame.html")
	f, err := os.Create(path)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := Write(f, in); err != nil {
		b.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.Open(path, fragment)
}

func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	return browser.Call(b.Tab, command, params)
}

func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	b.Run(actions...)
}

func (b *tab) click(selectors ...chromedp.CSS) {
	b.t.Helper()
	b.Click(selectors...)
}

// value is what an expression in the page gives.
func value[T any](b *tab, expression string) T {
	b.t.Helper()
	return browser.Value[T](b.Tab, expression)
}

func (b *tab) text(selector string) string {
	b.t.Helper()
	return b.Text(selector)
}

// drawnBox is a box as the page shows it; Left and Width are shares of the graph.
type drawnBox struct {
	Name, Text, Label, Class, Colour, Role string
	Left, Width                            float64
	Level, Tab                             int
	Focused                                bool
}

// boxes are the drawn boxes by the path of their names, as their positions give
// it: a box's caller is the one above its middle.
func (b *tab) boxes() map[string]drawnBox {
	b.t.Helper()
	list := value[[]drawnBox](b, `[...document.querySelectorAll('#graph .box')].map(e => {
		const g = document.getElementById('graph').getBoundingClientRect(), r = e.getBoundingClientRect();
		return {Text: e.textContent, Label: e.getAttribute('aria-label'), Class: e.className, Role: e.getAttribute('role'),
			Colour: getComputedStyle(e).backgroundColor, Left: (r.left - g.left) / g.width, Width: r.width / g.width,
			Level: Math.round((r.top - g.top) / 20) + 1, Tab: e.tabIndex, Focused: e === document.activeElement};
	})`)
	out := map[string]drawnBox{}
	paths := make([]string, len(list))
	for i, x := range list {
		x.Name, _, _ = strings.Cut(x.Label, ", ")
		for j, y := range list[:i] {
			middle := x.Left + x.Width/2
			if y.Level == x.Level-1 && y.Left <= middle && middle <= y.Left+y.Width {
				paths[i] = paths[j] + ";"
			}
		}
		paths[i] += x.Name
		out[paths[i]] = x
	}
	if len(out) != len(list) {
		b.t.Errorf("%d boxes are drawn, at %d places", len(list), len(out))
	}
	return out
}

// wide checks the widths of drawn boxes, and that no others are drawn.
func (b *tab) wide(what string, want map[string]float64) {
	b.t.Helper()
	got := b.boxes()
	for path, w := range want {
		x, ok := got[path]
		if diff := x.Width - w; !ok || diff > 0.002 || diff < -0.002 {
			b.t.Errorf("%s: %s is %.4f wide, want %.4f", what, path, x.Width, w)
		}
	}
	for path := range got {
		if _, ok := want[path]; !ok {
			b.t.Errorf("%s: %s is drawn", what, path)
		}
	}
}

// focused is the name of the box that has the focus, or "".
func (b *tab) focused() string {
	for path, x := range b.boxes() {
		if x.Focused {
			return path
		}
	}
	return ""
}
