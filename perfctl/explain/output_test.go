package explain_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"opcost/perfctl/explain"
	"opcost/perfctl/report"
)

// printedPart is a line of an equation's table: points, depth, label.
var printedPart = regexp.MustCompile(`^.*\s(-?\d+\.\d)  ( *)([=+×÷] )?([A-Za-z].*)$`)

type depthPoints struct {
	depth  int
	points float64
	label  string
}

// tables finds the equations of a printed text, each a list of its lines.
func tables(text string) (all [][]depthPoints) {
	inside := false
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(line, "The equation, "), strings.HasPrefix(line, "CPU, "):
			inside = true
			all = append(all, nil)
		case inside && (line == "" || strings.HasPrefix(line, "points:")):
			inside = false
		case inside:
			if m := printedPart.FindStringSubmatch(line); m != nil {
				v, _ := strconv.ParseFloat(m[1], 64)
				all[len(all)-1] = append(all[len(all)-1], depthPoints{len(m[2]) / 2, v, m[4]})
			}
		}
	}
	return all
}

// children adds up what is printed one level below line i.
func children(lines []depthPoints, i int) (sum float64, n int) {
	for _, l := range lines[i+1:] {
		if l.depth <= lines[i].depth {
			break
		}
		if l.depth == lines[i].depth+1 {
			sum += l.points
			n++
		}
	}
	return sum, n
}

// TestOutputsAddUp: in each format the parts that are printed add up to the
// total that is printed.
func TestOutputsAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	checked := 0
	for i := range 40 {
		c := usual()
		for _, name := range []string{"instructions", "cycles", "cpu_us", "cpu_connection_us", "run_queue_connection_us"} {
			c[name] *= 0.5 + rng.Float64()
		}
		base, new := made{version: "old", costs: usual(), response: 100}, made{version: "new", costs: c, response: 100 * (0.6 + rng.Float64())}
		if i%4 == 0 {
			base.response, new.response = 0, 0
		}
		s := study(t, base.runs(), new.runs())
		code := codeOf(t, map[string]int64{"a": 100, "b": 50, "c": 7}, map[string]int64{"a": rng.Int64N(300), "b": rng.Int64N(90), "d": 1 + rng.Int64N(9)})
		e := s.Explain(0, code, "")
		all := explain.Comparison{Schema: explain.Schema, Base: s.Base, New: s.New, Cells: s.Summaries(), Explanations: []explain.Explanation{e}}
		out := func(f report.Format, width int) string {
			var b strings.Builder
			if err := report.WriteExplanation(&b, f, all, report.Layout{Width: width}); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		for _, width := range []int{60, 80, 120, 200} {
			text := out(report.Table, width)
			for _, lines := range tables(text) {
				for k := range lines {
					if sum, n := children(lines, k); n > 0 {
						checked++
						if math.Abs(sum-lines[k].points) > 1e-6 {
							t.Errorf("%d columns: the parts of %q add up to %.1f, not to %.1f:\n%s", width, lines[k].label, sum, lines[k].points, text)
						}
					}
				}
			}
			for line := range strings.SplitSeq(text, "\n") {
				if twwidth.Width(line) > max(width, 80) && !strings.HasPrefix(line, "  opcost ") {
					t.Errorf("%d columns: a line of %d: %q", width, twwidth.Width(line), line)
				}
			}
		}
		if text := out(report.Markdown, 0); strings.Count(text, "\n|") < 10 {
			t.Errorf("Markdown without tables:\n%s", text)
		}
		var back explain.Comparison
		if err := json.Unmarshal([]byte(out(report.JSON, 0)), &back); err != nil {
			t.Fatal(err)
		}
		for _, q := range back.Explanations[0].Equations {
			addsUp(t, "JSON", q.Total, q.Total.Base+q.Total.New)
		}
		csvAddsUp(t, out(report.CSV, 0), ',')
		csvAddsUp(t, out(report.TSV, 0), '\t')
	}
	if checked < 300 {
		t.Errorf("%d sums checked: the tables are not read as they are printed", checked)
	}
}

// csvAddsUp reads the long form back: parts by their depth, functions and
// subsystems by what they add up to.
func csvAddsUp(t *testing.T, text string, separator rune) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = separator
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, h := range lines[0] {
		at[h] = i
	}
	value := func(l []string, name string) float64 {
		v, err := strconv.ParseFloat(strings.TrimPrefix(l[at[name]], "'"), 64)
		if err != nil {
			t.Fatalf("%s of %v: %v", name, l, err)
		}
		return v
	}
	var parts []depthPoints
	sums := map[string]float64{}
	flush := func() {
		for k := range parts {
			if sum, n := children(parts, k); n > 0 && math.Abs(sum-parts[k].points) > 1e-6*(1+math.Abs(parts[k].points)) {
				t.Errorf("%q: %v, not %v", parts[k].label, sum, parts[k].points)
			}
		}
		parts = nil
	}
	for _, l := range lines[1:] {
		switch table := l[at["table"]]; table {
		case "part":
			if d := value(l, "depth"); d == 0 {
				flush()
			}
			parts = append(parts, depthPoints{int(value(l, "depth")), value(l, "points"), l[at["label"]]})
		case "function", "subsystem":
			sums[table] += value(l, "delta")
		}
	}
	flush()
	if math.Abs(sums["function"]-sums["subsystem"]) > 1e-6 {
		t.Errorf("functions add up to %v, subsystems to %v", sums["function"], sums["subsystem"])
	}
}

// TestCalls: whether a function is called more often or costs more. By hand:
// 10 calls of 20 become 20 calls of 20 (all by calls), and 10 of 20 become 10 of
// 40 (all by cost).
func TestCalls(t *testing.T) {
	for _, c := range []struct {
		calls, each    int64
		more, costlier float64
		text           string
	}{
		{20, 20, 200, 0, "more calls: 10 → 20/query"},
		{10, 40, 0, 200, "costlier calls: 20 → 40 a call"},
		{20, 40, 300, 300, "more calls (10 → 20/query), each costlier (20 → 40)"},
		{5, 20, -100, 0, "fewer calls: 10 → 5/query"},
	} {
		code := counted(t, 10, 20, c.calls, c.each)
		found := false
		for _, r := range code.Rows {
			if r.Function != "f" {
				continue
			}
			found = true
			if r.Calls == nil || math.Abs(r.Calls.More-c.more) > 1e-6 || math.Abs(r.Calls.Costlier-c.costlier) > 1e-6 || r.CallsText() != c.text {
				t.Errorf("%+v: %+v %q, want %v, %v, %q", c, r.Calls, r.CallsText(), c.more, c.costlier, c.text)
			}
		}
		if !found || !code.Calls {
			t.Errorf("%s", fmt.Sprint(code))
		}
	}
}
