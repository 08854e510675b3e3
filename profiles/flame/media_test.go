package flame

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"opcost/profiles"
	"opcost/profiles/subsystem"
)

// Every text of a profile is shown as it is, and does nothing.
func testHostile(t *testing.T, tab *tab) {
	var rules strings.Builder
	b := profiles.NewBuilder(profiles.Event{Name: hostile[0], Unit: hostile[1]})
	for i, name := range hostile {
		fmt.Fprintf(&rules, "[%s]\nuser %s\n", strings.Join(strings.Fields(strings.ToValidUTF8(name, "?")), " "), fmt.Sprintf("f%d", i))
		for _, f := range []profiles.Frame{{Function: name, Object: name}, {Function: fmt.Sprintf("f%d", i)}} {
			if err := b.Add(name, []int32{b.Frame(f)}, int64(1000-i), 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	table, err := subsystem.Load(strings.NewReader(strings.ReplaceAll(rules.String(), "#", "")), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := b.Profile()
	p.About.Operations, p.About.Per, p.About.Version = 1, hostile[2], hostile[3]
	for _, in := range []Input{
		{Title: hostile[0], Base: Side{"", p}, Subsystems: table, Threads: true, Notes: hostile},
		{Title: hostile[1], Base: Side{"", p}, New: Side{hostile[0], p}, Subsystems: table, Notes: hostile},
	} {
		tab.open(in, "#find=%3C/script%3E%3Cimg%20src%3Dx%20onerror%3Dwindow.broken%3D1%3E")
		shown := value[[]string](tab, `[...document.querySelectorAll('#graph .box')].map(e => e.getAttribute('aria-label'))`)
		for i, name := range hostile {
			want := strings.ToValidUTF8(name, "\uFFFD")
			// Each bad byte is one mark in Go's JSON, a run of them is one in ToValidUTF8.
			found := false
			for _, s := range shown {
				found = found || strings.HasPrefix(strings.ReplaceAll(s, "\uFFFD\uFFFD\uFFFD", "\uFFFD"), want+", ")
			}
			if !found {
				t.Errorf("name %d, %q, is not shown", i, name)
			}
		}
		// Tooltip, path and legend write names too.
		value[bool](tab, `(() => {
			for (let i = 0; i < 4; i++) {
				const box = document.querySelectorAll('#graph .box')[i];
				box.focus();
				box.click();
				document.querySelectorAll('#legend button')[i].click();
				document.querySelector('#crumbs .reset').click();
			}
			return true;
		})()`)
		if value[bool](tab, "window.broken !== undefined || document.querySelector('img, svg, iframe, object, link[rel=stylesheet]') !== null") {
			t.Error("a name became markup or ran")
		}
		if n := value[int](tab, "document.scripts.length"); n != 2 {
			t.Errorf("%d scripts in the page, want 2", n)
		}
		if got := tab.text("h1"); got != in.Title {
			t.Errorf("title %q, want %q", got, in.Title)
		}
	}
}

func testLinks(t *testing.T, tab *tab) {
	tab.open(pair(t), "#view=a&find=^old%24&regexp&by=group")
	if got := tab.hits(); len(got) != 1 || got[0] != "all;main;old" {
		t.Errorf("marked: %q", got)
	}
	if got := tab.text("#scale"); got != "full width: 120 instructions per statement" {
		t.Errorf("scale: %q", got)
	}
	tab.open(pair(t), "#view=%22%5D&find=(&regexp&by=x") // nothing of it fits; what breaks of it is a misdeed
}

// contrast is the least contrast of drawn text, and its box, as WCAG computes it.
const contrast = `(() => {
	const pairs = [...document.querySelectorAll('#graph .box, body')].map(e => getComputedStyle(e)).map(s => [s.color, s.backgroundColor]);
	const colours = [...new Set(pairs.flat())];
	const canvas = document.createElement('canvas');
	canvas.width = colours.length;
	const c = canvas.getContext('2d', {willReadFrequently: true});
	colours.forEach((colour, i) => { c.fillStyle = colour; c.fillRect(i, 0, 1, 1); });
	const bytes = c.getImageData(0, 0, colours.length, 1).data;
	const light = new Map(colours.map((colour, i) => {
		const [r, g, b] = [...bytes.slice(4 * i, 4 * i + 3)].map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return [colour, 0.2126 * r + 0.7152 * g + 0.0722 * b];
	}));
	return Math.min(...pairs.map(p => p.map(x => light.get(x) + 0.05)).map(([a, b]) => Math.max(a, b) / Math.min(a, b)));
})()`

func testMedia(t *testing.T, tab *tab) {
	a, b := realFolded(t, "my8408-sp0.folded.gz"), realFolded(t, "my8408-sp1.folded.gz")
	a.About.Operations, b.About.Operations = 9e5, 7e5
	tab.open(Input{Title: "A long title that a narrow page has to break somewhere, with_a_long_word_in_it_that_has_no_space",
		Base: Side{"v1", a}, New: Side{"v2", b}, Subsystems: subsystem.Default(), Threads: true}, "")
	defer call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	var backgrounds []string
	for _, scheme := range []string{"light", "dark"} {
		call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		backgrounds = append(backgrounds, value[string](tab, "getComputedStyle(document.body).backgroundColor"))
		for _, by := range []string{"total", "self", "group"} {
			tab.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(e => (e.value = %q, e.dispatchEvent(new Event('change'))))(document.getElementById('colour'))`, by)))
			if least := value[float64](tab, contrast); least < 4.5 {
				t.Errorf("%s, colours by %s: text has a contrast of %.2f, want 4.5", scheme, by, least)
			}
		}
	}
	if backgrounds[0] == backgrounds[1] {
		t.Errorf("light and dark are both %s", backgrounds[0])
	}
	call(tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 390, Height: 844, DeviceScaleFactor: 2, Mobile: true})
	if w := value[int](tab, "document.documentElement.scrollWidth"); w != 390 {
		t.Errorf("on a phone 390 wide the page is %d wide", w)
	}
	call(tab, emulation.ClearDeviceMetricsOverride, cdp.Empty{})
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	if value[string](tab, "getComputedStyle(document.querySelector('.controls')).display") != "none" {
		t.Error("the controls are printed")
	}
	if value[string](tab, "getComputedStyle(document.querySelector('#graph .box')).printColorAdjust") != "exact" {
		t.Error("the boxes' colours are not printed")
	}
}

// A page of nearly 2 MB opens and answers.
func testFullPage(t *testing.T, tab *tab) {
	r := rand.New(rand.NewPCG(1, 2))
	tab.open(Input{Base: Side{"v1", randomProfile(t, r, 25_000)}, New: Side{"v2", randomProfile(t, r, 25_000)}}, "#find=f1")
	boxes := value[int](tab, "document.querySelectorAll('#graph .box').length")
	all := len(value[[]int](tab, "JSON.parse(document.getElementById('data').textContent).depth"))
	ms := value[float64](tab, `(t => (document.querySelector('#views input[value="b"]').click(), document.getElementById('graph').offsetHeight, performance.now() - t))(performance.now())`)
	t.Logf("%d of %d boxes drawn; another view took %.0f ms", boxes, all, ms)
	if boxes == 0 || all < 50_000 {
		t.Errorf("%d of %d boxes drawn", boxes, all)
	}
	if !strings.Contains(tab.text("#found"), "1 name in ") {
		t.Errorf("found: %q", tab.text("#found"))
	}
}
