package flame

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is the one tab of a headless Chromium. What a page in it did that a page of
// ours must not do fails the test.
type tab struct {
	t   *testing.T // the running one
	ctx context.Context

	mu  sync.Mutex
	own string // the address of the open page
	bad []string
}

// startChromium starts the browser, which ends with the test.
func startChromium(t *testing.T) *tab {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		const reason = "no Chromium on this machine; `testbed/install.sh chromium` installs it"
		if os.Getenv("OPCOST_TEST_ALL") == "1" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.DisableGPU, chromedp.WindowSize(1280, 900), chromedp.WSURLReadTimeout(time.Minute))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // its sandbox refuses root
	}
	b := &tab{t: t}
	ctx, endAll := context.WithTimeout(context.Background(), 3*time.Minute)
	ctx, endProgram := chromedp.NewExecAllocator(ctx, options...)
	ctx, endBrowser := chromedp.NewContext(ctx, chromedp.WithListener(b.watch))
	b.ctx = ctx
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil { // waits for its end
			t.Log("end Chromium:", err)
		}
		endBrowser()
		endProgram()
		endAll()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal("start Chromium:", err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	return b
}

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
	b.mu.Lock()
	b.own = "file://" + path
	b.mu.Unlock()
	b.run(chromedp.Navigate(b.own + fragment))
}

// misdeeds fails the test for what its pages did.
func (b *tab) misdeeds() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, what := range b.bad {
		b.t.Error(what)
	}
	b.bad = nil
}

func (b *tab) watch(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	what := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		what = "exception: " + fmt.Sprint(e.ExceptionDetails.Text, " ", e.ExceptionDetails.Exception.Description)
	case *runtime.EventConsoleAPICalled:
		what = "console: " + string(e.Type)
		for _, a := range e.Args {
			what += " " + string(a.Value)
		}
	case *log.EventEntryAdded:
		what = "log: " + e.Entry.Text
	case *page.EventJavascriptDialogOpening:
		what = "dialog: " + e.Message
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; !strings.HasPrefix(url, b.own) && url != "data:," {
			what = "loads " + url
		}
	}
	if what != "" {
		b.bad = append(b.bad, what)
	}
}

// patience is for one step in the browser, on a busy machine.
func (b *tab) patience() (context.Context, context.CancelFunc) {
	return context.WithTimeout(b.ctx, 30*time.Second)
}

// call sends a command of the browser's protocol to the tab.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, giveUp := b.patience()
	defer giveUp()
	result, err := chromedp.Call(ctx, command, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return result
}

func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, giveUp := b.patience()
	defer giveUp()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// click clicks the first element of each CSS selector.
func (b *tab) click(selectors ...chromedp.CSS) {
	b.t.Helper()
	for _, s := range selectors {
		b.run(chromedp.Click(s))
	}
}

// value is what an expression in the page gives.
func value[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, giveUp := b.patience()
	defer giveUp()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%v, of %s", err, expression)
	}
	return v
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

// text is the text of an element.
func (b *tab) text(selector string) string {
	b.t.Helper()
	return value[string](b, fmt.Sprintf("document.querySelector(%q).textContent", selector))
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
