package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"opcost/perfctl/result"
	"opcost/profiles"
	"opcost/profiles/onefile"
	"opcost/profiles/onefile/browser"
	"opcost/profiles/pprof"
)

// hostileTexts try to leave their place in a page, to steer a terminal, to be run
// by a spreadsheet, or to be taken for Markdown or a second line of a format.
func hostileTexts() []string {
	return append(onefile.Hostile(),
		"\x1b]0;title\x07\x1b[31mred\x1b[0m", "C1 \u009b31m \u202eleft\u2066 \u200b", "=cmd|' /C calc'!A0", "+1+1", "@SUM(A1)", "-2+3", "\t=1+1", "＝1+1",
		"| a | b |\n|---|", "[link](javascript:window.broken=1)", "# heading\n\n<h1>x</h1>", "a,b\tc;d\"e", "BenchmarkX 1 2 ns/op\nunit: x")
}

// filler puts a hostile text into every text of a record, the next one each time.
type filler struct {
	texts []string
	next  int
}

func (f *filler) text() string {
	f.next++
	return f.texts[f.next%len(f.texts)]
}

// fill fills in whatever there is, but for words of our own vocabulary.
func (f *filler) fill(v reflect.Value) {
	switch at := v.Addr().Interface().(type) {
	case *time.Time:
		*at = time.Unix(1_700_000_000, 0).UTC()
		return
	case *result.State:
		*at = result.OK
		return
	case *result.Source:
		*at = result.SourceProc
		return
	case *result.Scope:
		*at = result.UserKernel
		return
	case *result.PassKind:
		*at = result.PassCount
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text())
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint64:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			f.fill(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key)
			f.fill(value)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	}
}

// hostileRun is a run whose every text is hostile. Shift chooses which text is
// where; two runs of one shift and different versions are of one cell.
func hostileRun(shift, start int, version string) result.Run {
	f := &filler{texts: hostileTexts(), next: shift}
	var r result.Run
	f.fill(reflect.ValueOf(&r).Elem())
	r.Schema, r.ID = result.Schema, fmt.Sprintf("s%d-%s-%d", shift, regexp.MustCompile(`\W+`).ReplaceAllString(version, "_"), start)
	r.Version, r.Repeat, r.Clients, r.PlanHash, r.Checksum = version, start, 1, "0123", ""
	r.Start = fmt.Sprint(version, start)
	for i := range r.Passes {
		for j := range r.Passes[i].Windows {
			w := &r.Passes[i].Windows[j]
			w.DurationNS, w.EdgeNS, w.Evidence = 1e9, [2]int64{}, []string{"evidence.json"}
			w.Ops.Begin, w.Ops.End, w.Ops.Source, w.Ops.Per = 0, 1000, result.SourceClient, "statement"
			w.OtherOps = nil
			w.Quality = append(w.Quality, result.Quality{Name: f.text(), Value: 2, Limit: 1, Text: f.text()})
			w.Readings = append(w.Readings, result.Got("cpu_us", 1000*(1+0.01*float64(start)), "us", result.SourceProc, result.UserKernel),
				result.Got("instructions", 1e6, "count", result.SourcePerf, result.UserKernel),
				result.Lacking(f.text(), f.text(), result.SourcePerf, result.User, result.Failed, f.text(), f.text()))
		}
	}
	return r
}

// hostileResults is a folder of runs whose every text is hostile, profiles too.
func hostileResults(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "results")
	folder, err := result.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	texts := hostileTexts()
	for shift := range 3 {
		for _, version := range []string{"8.0", "8.4", texts[shift] + "9", texts[shift+3]} {
			for start := range 3 {
				r := hostileRun(11*shift, start, version)
				r.Base = "8.0"
				evidence, err := folder.Begin(r.ID)
				if err != nil {
					t.Fatal(err)
				}
				if err := folder.Write(r); err != nil {
					t.Fatal(err)
				}
				b := profiles.NewBuilder(profiles.Event{Name: "cycles", Unit: profiles.Cycles})
				for i, name := range texts {
					f := b.Frame(profiles.Frame{Function: name, Object: texts[(i+1)%len(texts)], Space: profiles.User})
					_ = b.Add(texts[(i+2)%len(texts)], []int32{f}, 1000, 10)
				}
				p := b.Profile()
				p.About = profiles.About{Version: version, Workload: r.Workload, Clients: 1, Operations: 100, Per: "statement", Binary: texts[4], Server: texts[5]}
				var out bytes.Buffer
				if err := pprof.Write(&out, &profiles.Set{Profiles: []*profiles.Profile{p}}); err != nil {
					t.Fatal(err)
				}
				for name, text := range map[string][]byte{result.ProfileFile: out.Bytes(), "<img src=x onerror=window.broken=1>.json": []byte("{}")} {
					if err := os.WriteFile(filepath.Join(evidence, name), text, 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	return dir
}

// TestSecurityHostileText: whatever a record says, what is printed of it does
// nothing to the terminal, the spreadsheet or the page that it is looked at in.
func TestSecurityHostileText(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir()) // no stored noise
	dir := hostileResults(t)
	for name, args := range map[string][]string{
		"report": {"report", dir}, "base": {"report", dir, "--base", "8.0"}, "previous": {"report", dir, "--base", "previous"}, "relative": {"report", dir, "--relative"}, "sweep": {"report", dir, "--sweep"},
		"series": {"report", dir, "--series"}, "costs": {"report", dir, "--costs", "query"},
		"compare": {"compare", dir, "--base", "8.0", "--new", "8.4", "--all"},
		"top":     {"profile", "top", dir},
		"diff":    {"profile", "diff", dir, "--base", "8.0,workload=+1+1", "--new", "8.4,workload=+1+1"},
	} {
		for _, format := range []string{"table", "markdown", "csv", "tsv", "json", "benchfmt"} {
			o := inProcess(append(slices.Clone(args), "--format", format)...)
			if lacks := format == "benchfmt" && strings.Contains(o.stderr, "--format must be one of "); !lacks && (o.code != exitDone || o.stdout == "") {
				t.Errorf("%s as %s: exit %d, %d bytes were printed: %s", name, format, o.code, len(o.stdout), o.stderr)
			}
			harmless(t, name+" as "+format, format, o.stdout)
			harmless(t, name+" as "+format+", on stderr", "table", o.stderr)
		}
	}
}

// markdownCode is a block of code behind a heading in bold, in which nothing is markup.
var markdownCode = regexp.MustCompile(`(?m)^\*\*.*\*\*\n\n(?:    .*\n)+`)

// harmless fails for what a text of a format must not hold.
func harmless(t *testing.T, what, format, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsPrint(r) && r != '\n' && !(r == '\t' && (format == "tsv" || format == "benchfmt"))
	}); i >= 0 {
		t.Errorf("%s: a character that is not printable in %q", what, text[max(0, i-30):min(len(text), i+30)])
	}
	switch format {
	case "markdown":
		text = markdownCode.ReplaceAllString(text, "")
		for _, m := range regexp.MustCompile(`(\\?)<([^>]{0,10})`).FindAllStringSubmatch(text, -1) {
			if m[1] == "" && m[2] != "br" {
				t.Errorf("%s: HTML in Markdown: %q", what, m[0])
			}
		}
		if regexp.MustCompile(`(^|[^\\])\]\(`).MatchString(text) {
			t.Errorf("%s: a link in Markdown", what)
		}
	case "csv", "tsv":
		r := csv.NewReader(strings.NewReader(text))
		r.FieldsPerRecord = -1
		if format == "tsv" {
			r.Comma, r.LazyQuotes = '\t', true // Small Datum's layout quotes nothing
		}
		rows, err := r.ReadAll()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if begin := strings.TrimLeft(cell, " \t"); begin != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(begin)[0]) && !number.MatchString(cell) && !strings.HasPrefix(cell, "--- ") {
					t.Errorf("%s: a formula: %q", what, cell)
				}
			}
		}
	}
}

// number is one, or a mark for none. (A line "--- absolute" parts Small Datum's
// tables.)
var number = regexp.MustCompile(`^[-+]?(\d[\d.e+-]*%?)?$`)

// TestSecurityPage: the pages of such records hold none of their texts as
// markup, and name a policy by which nothing else is loaded or run.
func TestSecurityPage(t *testing.T) {
	for path, text := range hostilePages(t) {
		policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindStringSubmatch(text)
		if policy == nil || !strings.Contains(policy[1], "default-src &#39;none&#39;") && !strings.Contains(policy[1], "default-src 'none'") || strings.Contains(policy[1], "unsafe") {
			t.Errorf("%s: policy %q", filepath.Base(path), policy)
		}
		if i := strings.Index(text, "<meta http-equiv"); i > 300 {
			t.Errorf("%s: its policy comes after %d bytes", filepath.Base(path), i)
		}
		if m := regexp.MustCompile(`<\w[^<>]*\ssrc=`).FindString(text); m != "" {
			t.Errorf("%s: something is loaded by %q", filepath.Base(path), m)
		}
		for _, bad := range []string{"<img", "<svg onload", "</style><style", "href=\"javascript", "http://"} {
			for from := 0; ; {
				i := strings.Index(text[from:], bad)
				if i < 0 {
					break
				}
				i += from
				from = i + 1
				if bad == "http://" && strings.HasPrefix(text[i:], "http://www.w3.org/") {
					continue // the name of SVG
				}
				t.Errorf("%s: %q in %q", filepath.Base(path), bad, text[max(0, i-40):min(len(text), i+40)])
				break
			}
		}
	}
}

// hostilePages are the report's page and the flame graphs beside it, by file.
func hostilePages(t *testing.T) map[string]string {
	t.Helper()
	dir := hostileResults(t)
	page := filepath.Join(dir, "index.html")
	if o := inProcess("report", dir, "--format", "html", "--noise", "none", "--flames", "--out", page); o.code != exitDone {
		t.Fatal(o.stderr)
	}
	files, err := filepath.Glob(filepath.Join(dir, "index.flames", "*.html"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v %v", files, err)
	}
	pages := map[string]string{}
	for _, path := range append(files, page) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pages[path] = string(text)
	}
	return pages
}

// TestSecurityPageLong opens the pages in a browser: nothing is run that their
// texts ask for, nothing is loaded, no dialog opens.
func TestSecurityPageLong(t *testing.T) {
	long(t)
	b := browser.Start(t)
	for path := range hostilePages(t) {
		b.Open(path, "")
		time.Sleep(200 * time.Millisecond) // what would run later
		if browser.Value[bool](b, "window.broken !== undefined") {
			t.Errorf("%s: a text was run as a script", filepath.Base(path))
		}
		b.Misdeeds()
	}
}
