package flame

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"opcost/profiles"
)

func TestRefused(t *testing.T) {
	good := func() *profiles.Profile { return profile(t, counted, 2, "main 10") }
	change := func(f func(*profiles.Profile)) *profiles.Profile {
		p := good()
		f(p)
		return p
	}
	for want, in := range map[string]Input{
		"no profile was given":        {},
		"has no samples":              {Base: Side{Profile: profile(t, counted, 2)}},
		"flame graph of v2: the prof": {Base: Side{Profile: good()}, New: Side{Label: "v2", Profile: profile(t, counted, 2)}},
		"of the new side: its operat": {Base: Side{Profile: good()}, New: Side{Profile: change(func(p *profiles.Profile) { p.About.Operations = math.NaN() })}},
		"below 0":                     {Base: Side{Profile: change(func(p *profiles.Profile) { p.Stacks[0].Weight = -1 })}},
		"names frame 7 of 1":          {Base: Side{Profile: change(func(p *profiles.Profile) { p.Stacks[0].Frames[0] = 7 })}},
		"sum of weights is over": {Base: Side{Profile: change(func(p *profiles.Profile) {
			p.Stacks = append(p.Stacks, profiles.Stack{Weight: math.MaxInt64})
		})}},
		"no difference across events": {Base: Side{Profile: good()}, New: Side{Profile: change(func(p *profiles.Profile) { p.Event.Name = "Ir:u" })}},
		"the new side per row":        {Base: Side{Profile: good()}, New: Side{Profile: change(func(p *profiles.Profile) { p.About.Per = "row" })}},
	} {
		var page bytes.Buffer
		if _, err := Write(&page, in); err == nil || !strings.Contains(err.Error(), want) || page.Len() > 0 {
			t.Errorf("want an error with %q and no page, got %v and %d bytes", want, err, page.Len())
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", -1.5: "−1.5", 12345.6: "12,346", 1234567: "1,234,567", 0.012345: "0.01235",
		999.96: "1,000", 100: "100", -123456: "−123,456", 3.00004: "3", 1e-9: "0.000000001",
	} {
		if got := number(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

func TestShownUnits(t *testing.T) {
	for _, c := range []struct {
		unit     string
		perQuery bool
		want     string
	}{
		{profiles.Nanoseconds, true, "<td>7.5</td>"},        // 150,000 ns in 20 operations are 7.5 µs each
		{profiles.Nanoseconds, false, "<td>0.15</td>"},      // ms
		{profiles.Instructions, true, "<td>7,500</td>"},     // instructions
		{profiles.Samples, false, "<td>150,000</td>"},       // samples
		{profiles.Nanoseconds, true, "µs of CPU/statement"}, // its head
		{profiles.Nanoseconds, false, "<th scope=\"col\">ms of CPU</th>"},
	} {
		ops := 0.0
		if c.perQuery {
			ops = 20
		}
		var page bytes.Buffer
		p := profile(t, profiles.Event{Name: "x", Unit: c.unit, Counted: true}, ops, "main 150000")
		if _, err := Write(&page, Input{Base: Side{Profile: p}}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page.String(), c.want) {
			t.Errorf("%s, per query %v: no %q", c.unit, c.perQuery, c.want)
		}
	}
}

func TestSameInputSamePage(t *testing.T) {
	in := Input{
		Base: Side{Profile: profile(t, counted, 2, "main;a 10", "main;b 10", "main;sys_c 10")},
		New:  Side{Profile: profile(t, counted, 2, "main;b 10", "main;d 10")},
	}
	var first bytes.Buffer
	for range 10 {
		var page bytes.Buffer
		if _, err := Write(&page, in); err != nil {
			t.Fatal(err)
		}
		if first.Len() == 0 {
			first = page
		} else if !bytes.Equal(first.Bytes(), page.Bytes()) {
			t.Fatal("the same input gave another page")
		}
	}
}

func TestLongNamesAreCut(t *testing.T) {
	long := strings.Repeat("ä", 3000)
	in := Input{Base: Side{Profile: profile(t, counted, 1, "main;"+long+" 4")}}
	var page bytes.Buffer
	p, err := Write(&page, in)
	if err != nil {
		t.Fatal(err)
	}
	if p.Shortened != 1 || strings.Count(page.String(), "ä") != nameLimit/2 || !utf8.Valid(page.Bytes()) {
		t.Errorf("shortened %d, %d letters left", p.Shortened, strings.Count(page.String(), "ä"))
	}
}

// pageData is the JSON of a page.
func pageData(t testing.TB, page string) data {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<script type="application/json" id="data">`)
	text, _, ok2 := strings.Cut(rest, "</script>")
	if !ok || !ok2 {
		t.Fatal("the page holds no data")
	}
	var d data
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// Whatever a name is, the page has the same elements, and the name is in its data.
func FuzzNames(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if name == "" || len(name) > nameLimit {
			return
		}
		page := func(name string) string {
			b := profiles.NewBuilder(profiles.Event{Name: name, Unit: name})
			if err := b.Add(name, []int32{b.Frame(profiles.Frame{Function: name, Object: name})}, 5, 1); err != nil {
				t.Fatal(err)
			}
			p := b.Profile()
			p.About.Operations, p.About.Per = 1, name
			var out bytes.Buffer
			if _, err := Write(&out, Input{Title: name, Base: Side{name, p}, Threads: true, Notes: []string{name}}); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		got := page(name)
		if n, plain := strings.Count(got, "<"), strings.Count(page("plain"), "<"); n != plain {
			t.Errorf("%q: the page has %d times <, with a plain name %d", name, n, plain)
		}
		d := pageData(t, got)
		if want := strings.ToValidUTF8(name, "\uFFFD"); utf8.ValidString(name) && d.Strings[d.Frames[4*d.Frame[1]]] != want {
			t.Errorf("%q is %q in the page", name, d.Strings[d.Frames[4*d.Frame[1]]])
		}
	})
}
