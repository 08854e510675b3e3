package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

func liveText(t *testing.T, f Format, d Live, l LiveLayout) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteLive(&b, f, d, l); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func wide(n int) LiveLayout { return LiveLayout{Layout: Layout{Width: n}} }

// The golden files are looked at when they change: their numbers follow from
// liveRun and againstDemo by hand.
func TestLiveGolden(t *testing.T) {
	perSecond := liveRun("10.11.19", time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	w := &perSecond.Passes[0].Windows[0]
	w.Ops = result.OpCount{Source: result.SourceHost, Per: "second"}
	w.Digests, w.Readings = nil, slices.DeleteFunc(w.Readings, func(r result.Reading) bool { return r.Source == result.SourceServer })
	for _, c := range []struct {
		file string
		d    Live
		f    Format
		l    LiveLayout
	}{
		{"live-80.txt", liveDemo(), Table, wide(80)},
		{"live-200.txt", liveDemo(), Table, wide(200)},
		{"live-second-80.txt", Live{Report: compare.Build([]result.Run{perSecond}, compare.Options{}), Tables: compare.Live(perSecond)}, Table, wide(80)},
		{"against-80.txt", againstDemo(), Table, wide(80)},
		{"against-200.txt", againstDemo(), Table, wide(200)},
		{"against.md", againstDemo(), Markdown, LiveLayout{}},
		{"against.csv", againstDemo(), CSV, LiveLayout{}},
		{"hostile-80.txt", hostileDemo(), Table, wide(80)},
	} {
		t.Run(c.file, func(t *testing.T) {
			got := liveText(t, c.f, c.d, c.l)
			path := filepath.Join("testdata", c.file)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("differs from %s (-want +got; run with -update after looking at it):\n%s", path, d)
			}
		})
	}
}

// columns of a line on a terminal, by a rule of its own: Hangul, kana and
// ideographs take two.
func columns(line string) (n int) {
	for _, r := range line {
		n++
		if unicode.In(r, unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Han) || r == 'ー' {
			n++
		}
	}
	return n
}

func TestLiveTableFitsAndIsSafe(t *testing.T) {
	for _, d := range []Live{liveDemo(), againstDemo(), hostileDemo()} {
		for _, width := range []int{80, 100, 132, 200} {
			text := liveText(t, Table, d, wide(width))
			if !utf8.ValidString(text) {
				t.Errorf("width %d: no UTF-8", width)
			}
			for line := range strings.SplitSeq(text, "\n") {
				if n := columns(line); n > width {
					t.Errorf("%d columns of %d: %s", n, width, line)
				}
				if i := strings.IndexFunc(line, unicode.IsControl); i >= 0 {
					t.Errorf("a control character in %q", line)
				}
			}
		}
	}
	// On a narrower terminal lines may be too long, but nothing is lost but columns.
	if text := liveText(t, Table, hostileDemo(), wide(20)); !strings.Contains(text, "…") {
		t.Error(text)
	}
}

// Columns of CJK users line up: the place of what follows, counted in columns
// of the terminal, is the same in each row.
func TestLiveTableLinesUp(t *testing.T) {
	text := liveText(t, Table, hostileDemo(), wide(200))
	at := map[int]int{}
	for line := range strings.SplitSeq(text, "\n") {
		if i := strings.Index(line, "데이터베이스"); i >= 0 && strings.Contains(line, "ユーザー") {
			at[columns(line[:i])]++
		}
	}
	if len(at) != 1 {
		t.Errorf("the database's column begins at %v", at)
	}
}

func TestLiveMarkdownIsSafe(t *testing.T) {
	text := liveText(t, Markdown, hostileDemo(), LiveLayout{})
	pipes := 0
	for line := range strings.SplitSeq(text, "\n") {
		n := strings.Count(line, "|") - strings.Count(line, `\|`)
		switch {
		case !strings.HasPrefix(line, "|"):
			pipes = 0
		case pipes == 0:
			pipes = n
		case n != pipes:
			t.Errorf("%d cells, not %d: %s", n-1, pipes-1, line)
		}
		if strings.ContainsFunc(line, unicode.IsControl) || strings.Contains(strings.ReplaceAll(line, `\<`, ""), "<script") {
			t.Errorf("unsafe: %q", line)
		}
	}
}

func TestLiveLongIsSafeAndWhole(t *testing.T) {
	d := hostileDemo()
	for f, comma := range map[Format]rune{CSV: ',', TSV: '\t'} {
		r := csv.NewReader(strings.NewReader(liveText(t, f, d, LiveLayout{})))
		r.Comma = comma
		lines, err := r.ReadAll() // which fails on lines of unlike length
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int{}
		for _, l := range lines[1:] {
			counts[l[0]]++
			for _, cell := range l[:6] {
				if strings.HasPrefix(cell, "=") {
					t.Errorf("a formula: %q", cell)
				}
			}
		}
		if counts["digest"] != 32*12 || counts["thread"] != 34*9 || counts["kind"] != 4*3 {
			t.Errorf("%s has not all rows: %v", f, counts)
		}
	}
}

func TestLiveJSON(t *testing.T) {
	var got struct {
		Schema   int
		Rows     []compare.Row
		Warnings []result.Warning
		Kinds    []compare.Kind
		Digests  []compare.DigestCost
		Threads  []compare.ThreadCost
		Mix      *compare.Mix
		Seconds  float64
	}
	if err := json.Unmarshal([]byte(liveText(t, JSON, hostileDemo(), LiveLayout{Digests: 1, Threads: 1})), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != 1 || len(got.Rows) != 1 || len(got.Kinds) != 4 || len(got.Digests) != 32 || len(got.Threads) != 34 || got.Mix != nil || got.Seconds != 10 {
		t.Errorf("%+v", got)
	}
	if err := json.Unmarshal([]byte(liveText(t, JSON, againstDemo(), LiveLayout{})), &got); err != nil {
		t.Fatal(err)
	}
	// By hand, see againstDemo.
	if m := got.Mix; m == nil || m.Latency.Base != 220 || m.Latency.New != 260 || math.Abs(m.Latency.Mix-29) > 1e-9 || math.Abs(m.Latency.Cost-11) > 1e-9 || len(m.Rows) != 2 {
		t.Errorf("mix %+v", m)
	}
	d := hostileDemo()
	d.Tables.Warnings = []result.Warning{{Code: "void", Text: "com_x is void"}}
	if err := json.Unmarshal([]byte(liveText(t, JSON, d, LiveLayout{})), &got); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(got.Warnings, d.Tables.Warnings[0]) {
		t.Errorf("the window's warnings are lost: %v", got.Warnings)
	}
}

func TestLiveSaysWhyTablesAreEmpty(t *testing.T) {
	run := liveRun("10.11.19", time.Time{})
	w := &run.Passes[0].Windows[0]
	w.Digests, w.Threads = nil, nil
	w.Readings = append(w.Readings, result.Lacking("collector_digest", "", result.SourceServer, "", result.Unsupported, "performance_schema is off", "set it on"),
		result.Lacking("collector_threads", "", result.SourceProc, "", result.Failed, "the process ended", ""))
	d := Live{Report: compare.Build([]result.Run{run}, compare.Options{}), Tables: compare.Live(run)}
	for _, f := range []Format{Table, Markdown} {
		text := liveText(t, f, d, wide(120))
		for _, want := range []string{"performance\\_schema is off. Remedy: set it on", "failed: the process ended"} {
			if !strings.Contains(text, strings.ReplaceAll(want, `\_`, "_")) {
				t.Errorf("%s lacks %q:\n%s", f, want, text)
			}
		}
	}
	if text := liveText(t, Table, d, LiveLayout{Layout: Layout{Width: 120}, Brief: true}); strings.Contains(text, "Counted by") || !strings.Contains(text, "By kind of statement") {
		t.Errorf("brief:\n%s", text)
	}
}

func TestLabelsOfUnits(t *testing.T) {
	for per, want := range map[string]string{"": "CPU/query", "statement": "CPU/query", "transaction": "CPU/trx", "second": "CPU/s", "row": "CPU/row", "com_call_procedure": "CPU/com_call_procedure"} {
		if got := (line{"cpu_us_per_query", "CPU/{query}", ""}).text(per); got != want {
			t.Errorf("per %q: %q, want %q", per, got, want)
		}
	}
	if got := (line{"server_latency_us", "server latency, µs", ""}).text("transaction"); got != "server latency/trx, µs" {
		t.Error(got)
	}
}
