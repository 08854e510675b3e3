package page

import (
	"encoding/json"
	"html"
	"io"
	"net/url"
	"os"
	"strings"
	"testing"

	"opcost/perfctl/compare"
	"opcost/perfctl/report"
	"opcost/perfctl/result"
)

// What must be readable without a script is: verdicts with the worst first, what
// is unlike, warnings.
func TestStatic(t *testing.T) {
	in := small().input()
	in.Report.Warnings = append(in.Report.Warnings, result.Warning{Code: "unlike", Text: "charset: utf8 → latin1"}, result.Warning{Code: "x", Text: "a <warning>"})
	path, w := written(t, in)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page, _, _ := strings.Cut(string(text), `<script type="application/json"`)
	page = html.UnescapeString(page)
	v := report.VerdictsOf(in.Report)
	if v.Counts == "" || len(v.Each) < 12 {
		t.Fatalf("the report has verdicts %+v", v)
	}
	last := 0
	for _, each := range v.Each {
		at := strings.Index(page, each.Text)
		if at < last {
			t.Errorf("%q is at %d, after %d", each.Text, at, last)
		}
		last = at
	}
	for _, want := range []string{v.Counts, v.By, "charset: utf8 → latin1", "a <warning>", "Versions: "} {
		if !strings.Contains(page, want) {
			t.Errorf("lacks %q", want)
		}
	}
	if w.Bytes != len(text) || len(w.LeftOut) != 0 || w.Metrics != len(metricNames(in.Report, "qps")) {
		t.Errorf("written: %+v, of %d bytes", w, len(text))
	}
	again, _ := written(t, in)
	if other, _ := os.ReadFile(again); string(other) != string(text) {
		t.Error("the same report makes another page")
	}
}

// Metrics are left out from the end of the list, and named, until the page fits;
// what stays is whole.
func TestLimit(t *testing.T) {
	n := small()
	n.more = 200
	in := n.input()
	_, whole := written(t, in)
	for _, share := range []float64{0.9, 0.5, 0.3} {
		in.Limit = int(share * float64(whole.Bytes))
		path, w := written(t, in)
		text, _ := os.ReadFile(path)
		if w.Bytes > in.Limit || len(w.LeftOut) == 0 || w.Metrics+len(w.LeftOut) != whole.Metrics {
			t.Errorf("limit %d: %d bytes, %d metrics, %d left out, of %d", in.Limit, w.Bytes, w.Metrics, len(w.LeftOut), whole.Metrics)
		}
		if !strings.Contains(string(text), w.LeftOut[len(w.LeftOut)-1]) {
			t.Error("the page does not name what is left out")
		}
		_, rest, _ := strings.Cut(string(text), `id="data">`)
		encoded, _, _ := strings.Cut(rest, "</script>")
		var d struct {
			Metrics []dataMetricHead
			Facts   []fact
			Judged  []judged
		}
		if err := json.Unmarshal([]byte(encoded), &d); err != nil {
			t.Fatal(err)
		}
		for _, m := range d.Metrics {
			for _, f := range m.Fact {
				if f >= len(d.Facts) {
					t.Errorf("%s refers to fact %d of %d", m.Name, f, len(d.Facts))
				}
			}
			for _, j := range m.Judged {
				if j >= len(d.Judged) {
					t.Errorf("%s refers to verdict %d of %d", m.Name, j, len(d.Judged))
				}
			}
		}
		if d.Metrics[0].Name != "qps" {
			t.Errorf("the chosen metric is not first: %s", d.Metrics[0].Name)
		}
	}
	in.Limit = 1000
	if _, err := Write(io.Discard, in); err == nil || !strings.Contains(err.Error(), "fewer folders") {
		t.Errorf("no room at all: %v", err)
	}
	if _, err := Write(io.Discard, Input{Report: compare.Report{}}); err == nil {
		t.Error("an empty page")
	}
}

type dataMetricHead struct {
	Name         string
	Fact, Judged []int
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{{0, "0"}, {1, "1"}, {0.98765432, "0.987654"}, {123456.789, "123457"}, {1234567.89, "1234568"}, {44088.26, "44088.3"}, {-2.5, "-2.5"}, {1e-9, "1e-09"}, {2e18, "2e+18"}, {0.8, "0.8"}} {
		if got := string(appendNumber(nil, &c.v)); got != c.want {
			t.Errorf("%v: %s, want %s", c.v, got, c.want)
		}
	}
}

// No name makes a link that leaves the page's place.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{"runs/a/evidence/x", "javascript:alert(1)", "//host/x", "../x", "/etc/passwd", "https://host", "a b?c#d", "..", "", "C:\\x", "\x00", "data:text/html,x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got := address(path)
		u, err := url.Parse(got)
		if err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		if u.Scheme != "" || u.Host != "" || u.RawQuery != "" || u.Fragment != "" || strings.HasPrefix(u.Path, "/") {
			t.Errorf("%q became %q: %+v", path, got, u)
		}
		if back := strings.TrimPrefix(u.Path, "./"); back != path && u.Path != path {
			t.Errorf("%q became %q", path, u.Path)
		}
	})
}
