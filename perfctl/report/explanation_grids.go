package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/compare"
	"opcost/perfctl/explain"
	"opcost/profiles/symbol"
)

// part of a sheet.
func (g grid) writeTo(w io.Writer, width int, paint func(style, string) string) error {
	if len(g.rows) == 0 && len(g.notes) == 0 {
		return nil
	}
	return g.write(w, width, paint)
}

// mostCells is how many cells people are shown of those that are not explained.
const mostCells = 24

// cellsGrid is all cells in short, the worst first.
func cellsGrid(c explain.Comparison) grid {
	g := grid{title: fmt.Sprintf("%s → %s, the worst first", plain(c.Base), plain(c.New)), columns: []gridColumn{{name: "workload", left: true, most: 28}, {name: "host", left: true, from: 140, most: 16},
		{name: "clients"}, {name: "verdict", left: true}, {name: "ratio"}, {name: "by", left: true, from: 100, most: 20}, {name: "response", from: 90}, {name: "CPU/query", from: 90}, {name: "kinds", left: true}}}
	for i, s := range c.Cells {
		if i == mostCells && len(c.Cells) > mostCells+1 && len(c.Explanations) < len(c.Cells) {
			g.notes = append(g.notes, fmt.Sprintf("and %d more (--all, or `--format csv`, lists them)", len(c.Cells)-i))
			break
		}
		r, by := "-", ""
		if s.Verdict.Ratio != nil {
			r, by = ratio(*s.Verdict.Ratio), labelOf(s.Verdict.Metric)
		}
		word := s.Verdict.Word
		if word == "" {
			word = "none"
		}
		g.rows = append(g.rows, []string{s.Workload, s.Host, strconv.Itoa(s.Clients), word, r, by, changeShare(s.Response), changeShare(s.CPU), kindNames(s)})
	}
	return g
}

// kindNames marks those that are not sure.
func kindNames(s explain.Summary) string {
	var names []string
	for _, k := range s.Kinds {
		if slices.Contains(s.NotSure, k) {
			k += "?"
		}
		names = append(names, k)
	}
	return strings.Join(names, ", ")
}

func changeShare(v *float64) string {
	if v == nil {
		return "-"
	}
	return shareSigned(*v)
}

// mostUnlike is how many differences people are shown.
const mostUnlike = 20

func differencesGrid(e explain.Explanation) grid {
	g := grid{title: unlikeTitle, columns: []gridColumn{{name: "", left: true, from: 100}, {name: "what", left: true, most: 26}, {name: e.Base, left: true, most: 14},
		{name: e.New, left: true, most: 14}, {name: "to set alone", left: true, from: 120, most: 40}, {name: "why it matters", left: true}}}
	for i, d := range e.Differences {
		if i == mostUnlike && len(e.Differences) > mostUnlike+1 {
			g.notes = append(g.notes, moreDifferences(len(e.Differences)-i))
			break
		}
		alone := d.Isolate.Where
		switch {
		case alone != "" && d.Isolate.Key != "":
			alone += ": " + d.Isolate.Key
		case alone == "":
			alone = "-"
		}
		why := d.Why
		if why == "" {
			why = "-"
		}
		base, new := compare.Apart(d.Base, d.New)
		g.rows = append(g.rows, []string{string(d.Class), d.Name, middle(base), middle(new), alone, why})
	}
	if len(e.Differences) == 0 {
		g.notes = []string{"nothing that is recorded"}
	}
	return g
}

// middle cuts a value that would make a table too wide.
func middle(s string) string {
	const most = 48
	rs := []rune(s)
	if len(rs) <= most {
		return s
	}
	return string(rs[:most-1]) + "…"
}

// equation is a table whose indents say what is part of what.
type equation struct{ grid }

// writeMarkdown marks depth by dots, as a table there has no indents.
func (e equation) writeMarkdown(b *strings.Builder) {
	g := e.grid
	g.rows = nil
	for _, r := range e.rows {
		last := r[len(r)-1]
		text := strings.TrimLeft(last, " ")
		depth := (len(last) - len(text)) / 2
		g.rows = append(g.rows, append(r[:len(r)-1:len(r)-1], strings.Repeat("· ", depth)+text))
	}
	g.writeMarkdown(b)
}

// equationGrid lists the terms, indented below what they make. Points are
// rounded so that they add up.
func equationGrid(q explain.Equation, further bool) equation {
	unit := perUnit(q.Unit, q.Per, 1)
	title := "The equation, " + unit
	if further {
		title = "CPU, " + unit
	}
	g := grid{title: title, columns: []gridColumn{{name: "base"}, {name: "new"}, {name: "change"}, {name: "95% interval", from: 112}, {name: "points"}, {name: "", left: true}}}
	var add func(p explain.Part, depth int, points float64, sign string)
	decimals := 1
	add = func(p explain.Part, depth int, points float64, sign string) {
		span := "-"
		if p.Low != nil && p.High != nil {
			span = signed(*p.Low) + " .. " + signed(*p.High)
		}
		text := p.Label
		if sign != "" {
			text = sign + " " + text
		}
		if p.Unit != q.Unit && p.Unit != "" && p.Unit != "count" {
			text += ", " + p.Unit
		}
		g.rows = append(g.rows, []string{number(p.Base), number(p.New), signed(p.Delta), span, strconv.FormatFloat(points, 'f', decimals, 64), strings.Repeat("  ", depth) + text})
		if len(p.Parts) == 0 {
			return
		}
		rounded := explain.RoundTo(pointsOf(p.Parts), points, decimals)
		for i, x := range p.Parts {
			mark := "+"
			if p.Of == "product" {
				mark = "×"
				if strings.HasPrefix(x.Label, "clock") || strings.HasPrefix(x.Label, "user cycles") {
					mark = "÷"
				}
			}
			if i == 0 {
				mark = "="
			}
			add(x, depth+1, rounded[i], mark)
		}
	}
	add(q.Total, 0, explain.Round([]float64{q.Total.Points}, decimals)[0], "")
	g.notes = []string{"points: percent of the base's total; a factor's part is by logarithmic means, so that parts add up"}
	if further {
		g.notes = nil
	}
	return equation{g}
}

func pointsOf(ps []explain.Part) (out []float64) {
	for _, p := range ps {
		out = append(out, p.Points)
	}
	return out
}

// mostFunctions is how many functions people are shown; the rest is one row.
const mostFunctions = 12

func codeGrids(c explain.Code) []part {
	unit := perUnit(c.Unit, c.Per, 1)
	g := grid{title: fmt.Sprintf("Which code: %s %s, %s → %s %s", signed(c.Total.Delta), unit, number(c.Total.Base), number(c.Total.New), plain(c.Event)),
		columns: []gridColumn{{name: "base"}, {name: "new"}, {name: "change"}, {name: "share"}, {name: "calls", left: true, from: 120, most: 60}, {name: "subsystem", left: true, most: 20}, {name: "function", left: true}}}
	rest := explain.CodeRow{}
	folded, share := 0, 0.0
	for i, r := range c.Rows {
		if i >= mostFunctions && len(c.Rows) > mostFunctions+1 {
			rest.Base, rest.New, rest.Delta = rest.Base+r.Base, rest.New+r.New, rest.Delta+r.Delta
			folded++
			if r.Share != nil {
				share += *r.Share
				rest.Share = &share
			}
			continue
		}
		g.rows = append(g.rows, codeCells(r))
	}
	if folded > 0 {
		rest.Function = fmt.Sprintf("[%d more]", folded)
		g.rows = append(g.rows, codeCells(rest))
	}
	g.notes = append(g.notes, c.Words())
	for _, w := range c.Warnings {
		g.notes = append(g.notes, "warning: "+w)
	}
	places := grid{title: "By subsystem", columns: []gridColumn{{name: "base"}, {name: "new"}, {name: "change"}, {name: "share"}, {name: "subsystem", left: true}}}
	for i, r := range c.Subsystems {
		if i == mostFunctions {
			break
		}
		cells := codeCells(r)
		places.rows = append(places.rows, append(cells[:4:4], r.Subsystem))
	}
	return []part{g.without("", "-"), places}
}

func codeCells(r explain.CodeRow) []string {
	name := r.Function
	if name == "" {
		name = "[not known]"
	}
	share := "-"
	if r.Share != nil {
		share = shareSigned(*r.Share)
	}
	name = symbol.Short(name)
	switch r.State {
	case "only_new":
		name += " (new)"
	case "only_base":
		name += " (gone)"
	}
	zero := func(v float64) string {
		if math.Abs(v) == 0 {
			return "-"
		}
		return number(v)
	}
	return []string{zero(r.Base), zero(r.New), signed(r.Delta), share, r.CallsText(), r.Subsystem, name}
}
