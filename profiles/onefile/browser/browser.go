// Package browser opens pages of ours in a headless Chromium, for tests. What a
// page does that a page of ours must not do is kept for [Tab.Misdeeds].
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
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

// Tab is the one tab of a headless Chromium.
type Tab struct {
	T   *testing.T // the running one
	ctx context.Context

	mu  sync.Mutex
	own string // the address of the open page
	bad []string
}

// Start starts the browser, which ends with the test. Without one on the machine
// the test is skipped, or fails where the set-up has installed everything.
func Start(t *testing.T) *Tab {
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
	b := &Tab{T: t}
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
	Call(b, network.Enable, network.EnableParams{})
	Call(b, log.Enable, cdp.Empty{})
	return b
}

// Open opens a page from its file; fragment is what follows in its address,
// with its #.
func (b *Tab) Open(path, fragment string) {
	b.T.Helper()
	b.mu.Lock()
	b.own = "file://" + path
	b.mu.Unlock()
	b.Run(chromedp.Navigate(b.own + fragment))
}

// Misdeeds fails the test for what its pages did since the last call: messages on
// the console, exceptions, dialogs, loading anything.
func (b *Tab) Misdeeds() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, what := range b.bad {
		b.T.Error(what)
	}
	b.bad = nil
}

func (b *Tab) watch(event any) {
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
func (b *Tab) patience() (context.Context, context.CancelFunc) {
	return context.WithTimeout(b.ctx, 30*time.Second)
}

// Call sends a command of the browser's protocol to the tab.
func Call[P, R any](b *Tab, command cdp.Command[P, R], params P) R {
	b.T.Helper()
	ctx, giveUp := b.patience()
	defer giveUp()
	result, err := chromedp.Call(ctx, command, params)
	if err != nil {
		b.T.Fatal(err)
	}
	return result
}

// Run does actions in their order.
func (b *Tab) Run(actions ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	ctx, giveUp := b.patience()
	defer giveUp()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.T.Fatal(err)
	}
}

// Click clicks the first element of each CSS selector.
func (b *Tab) Click(selectors ...chromedp.CSS) {
	b.T.Helper()
	for _, s := range selectors {
		b.Run(chromedp.Click(s))
	}
}

// Value is what an expression in the page gives.
func Value[T any](b *Tab, expression string) T {
	b.T.Helper()
	ctx, giveUp := b.patience()
	defer giveUp()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.T.Fatalf("%v, of %s", err, expression)
	}
	return v
}

// Text is the text of the first element of a CSS selector.
func (b *Tab) Text(selector string) string {
	b.T.Helper()
	return Value[string](b, fmt.Sprintf("document.querySelector(%q).textContent", selector))
}
