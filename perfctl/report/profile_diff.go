package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"opcost/profiles/diff"
	"opcost/profiles/granularity"
)

// Diff is what changed between two versions, and what is shown of it.
type Diff struct {
	Title string
	*diff.Table
	Limit    int // rows of people's tables; 0: all
	Warnings []string
}

// WriteDiff lays out which functions' costs changed, in the formats of [Write].
func WriteDiff(w io.Writer, f Format, d Diff, l Layout) error {
	w = forJSON(w, f)
	switch f {
	case Table:
		width, paint := l.Width, painter(l.Color)
		if width <= 0 {
			width = 80
		}
		for _, g := range diffGrids(d) {
			if err := g.write(w, width, paint); err != nil {
				return err
			}
		}
		return nil
	case Markdown:
		var b strings.Builder
		for _, g := range diffGrids(d) {
			g.writeMarkdown(&b)
		}
		_, err := io.WriteString(w, b.String())
		return err
	case CSV:
		return writeDiffLong(w, d, ',')
	case TSV:
		return writeDiffLong(w, d, '\t')
	case JSON:
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(d.Table)
	}
	return noFormat(f)
}

func diffGrids(d Diff) []grid {
	unit := perUnit(d.Unit, d.Per, 1)
	title := fmt.Sprintf("%s: %s → %s %s, %s%s", plain(d.Title), number(d.Total.Base), number(d.Total.New), unit, signed(d.Total.Delta), changeText(d.Total))
	rows := diffGrid(title, d, d.Rows, d.By)
	if d.By == granularity.Subsystem {
		return []grid{rows.withNotes(d)}
	}
	places := diffGrid("By subsystem", d, d.Subsystems, granularity.Subsystem)
	return []grid{rows, places.withNotes(d)}
}

func diffGrid(title string, d Diff, rows []diff.Row, by granularity.Level) grid {
	states := 0
	if by == granularity.Function || by == granularity.Name {
		states = 100 // narrower, a dash in a column and the name in brackets say as much
	}
	g := grid{title: title, columns: []gridColumn{{name: "base"}, {name: "new"}, {name: "change"}, {name: "±", from: 100}, {name: "share"}, {name: "", left: true, from: states},
		{name: "subsystem", left: true, most: 20}, {name: "object", left: true, from: 110, most: 20}, {name: nameOfRows(by), left: true}}}
	for _, r := range limited(rows, d.Limit) {
		g.rows = append(g.rows, diffCells(r, by))
	}
	if by == granularity.Subsystem {
		for i := range g.rows {
			g.rows[i][6] = "" // it is the row's name
		}
	}
	return g.without("", "-")
}

func diffCells(r diff.Row, by granularity.Level) []string {
	share := "-"
	if r.Share != nil {
		share = shareSigned(*r.Share)
	}
	half := ""
	if r.Uncertainty != nil {
		half = "±" + number(*r.Uncertainty)
	}
	return []string{zeroAs(r.Base, r.State == diff.OnlyNew), zeroAs(r.New, r.State == diff.OnlyBase), signed(r.Delta), half, share, rowState(r),
		subsystemText(r.Subsystem, r.Inherited > 0.5), r.Object, rowName(by, r.Function, r.Object, r.Subsystem)}
}

// limited is the first rows and one that stands for the others. What is within
// noise stays a row of its own.
func limited(rows []diff.Row, limit int) []diff.Row {
	var noise []diff.Row
	if n := len(rows); n > 0 && rows[n-1].State == diff.Noise {
		rows, noise = rows[:n-1], rows[n-1:]
	}
	if limit > 0 && len(rows) > limit+1 { // one row alone is no longer than what stands for it
		rows = append(slices.Clone(rows[:limit]), sumOf(rows[limit:]))
	}
	return slices.Concat(rows, noise)
}

// sumOf folds rows that are not shown into one, so that what is shown adds up.
func sumOf(rows []diff.Row) diff.Row {
	sum := diff.Row{}
	share := 0.0
	for _, r := range rows {
		sum.Base, sum.New, sum.Delta = sum.Base+r.Base, sum.New+r.New, sum.Delta+r.Delta
		sum.Folded += max(1, r.Folded)
		if r.Share != nil {
			share += *r.Share
			sum.Share = &share
		}
	}
	sum.Function = fmt.Sprintf("[%d more]", sum.Folded)
	sum.Subsystem = ""
	return sum
}

// withNotes says how far the comparison is to be trusted.
func (g grid) withNotes(d Diff) grid {
	q := d.Quality
	g.notes = append(g.notes, fmt.Sprintf("base: %s; new: %s; event %s; the rows add up to the whole change", sideText(q.Base), sideText(q.New), d.Event))
	if q.Method != "" {
		g.notes = append(g.notes, "what is within noise: "+q.Method)
	} else {
		g.notes = append(g.notes, "one profile of each, so nothing says what is within noise: repeat the measurement")
	}
	if q.Named != nil {
		g.notes = append(g.notes, fmt.Sprintf("rows with a name explain %s of all movement", shareText(*q.Named)))
	}
	if strings.Contains(strings.Join(placesOf(d.Rows), " "), "~") {
		g.notes = append(g.notes, "~: the subsystem of the nearest caller that has one")
	}
	for _, side := range []struct {
		name string
		q    diff.SideQuality
	}{{"base", q.Base}, {"new", q.New}} {
		for _, c := range side.q.Checks {
			if !c.OK {
				g.notes = append(g.notes, "warning: "+side.name+": "+c.Text)
			}
		}
	}
	return g.withQuality(nil, append(append([]string(nil), q.Warnings...), d.Warnings...))
}

func placesOf(rows []diff.Row) (out []string) {
	for _, r := range rows {
		out = append(out, subsystemText(r.Subsystem, r.Inherited > 0.5))
	}
	return out
}

func sideText(q diff.SideQuality) string {
	text := q.Version
	if text == "" {
		text = "no version"
	}
	text += fmt.Sprintf(", %s operations", number(q.Operations))
	if q.Samples > 0 {
		text += fmt.Sprintf(", %s samples", thousands(strconv.FormatInt(q.Samples, 10)))
	}
	if q.Repeats > 1 {
		text += fmt.Sprintf(" in %d profiles", q.Repeats)
	}
	return text
}

// changeText is a whole change in percent, with its uncertainty where known.
func changeText(c diff.Change) string {
	if c.Base <= 0 {
		return ""
	}
	if c.Uncertainty != nil {
		return fmt.Sprintf(" (%s ±%.2g points)", shareSigned(c.Delta/c.Base), 100**c.Uncertainty/c.Base)
	}
	return fmt.Sprintf(" (%s)", shareSigned(c.Delta/c.Base))
}

func shareSigned(share float64) string {
	if p := shareText(share); share > 0 && !strings.HasPrefix(p, "<") {
		return "+" + p
	} else {
		return p
	}
}

// zeroAs writes a cost; that of code which is not there is a dash.
func zeroAs(v float64, absent bool) string {
	if absent || math.Abs(v) == 0 {
		return "-"
	}
	return number(v)
}

func rowState(r diff.Row) string {
	if r.State != diff.Unresolved && r.WithinNoise() {
		return "noise"
	}
	switch r.State {
	case diff.OnlyBase:
		return "gone"
	case diff.OnlyNew:
		return "new"
	case diff.Unresolved:
		return "no name"
	case diff.Noise:
		return "noise"
	}
	return ""
}

func writeDiffLong(w io.Writer, d Diff, separator rune) error {
	c := csv.NewWriter(w)
	c.Comma = separator
	all := [][]string{{"event", "unit", "per", "granularity", "function", "object", "subsystem", "inherited", "state", "base", "new", "delta", "uncertainty", "share"}}
	add := func(by granularity.Level, r diff.Row) {
		all = append(all, []string{field(d.Event), d.Unit, d.Per, string(by), field(r.Function), field(r.Object), field(r.Subsystem), digits(&r.Inherited), string(r.State),
			digits(&r.Base), digits(&r.New), digits(&r.Delta), digits(r.Uncertainty), digits(r.Share)})
	}
	add("total", diff.Row{Change: d.Total})
	for _, r := range d.Rows {
		add(d.By, r)
	}
	if d.By != granularity.Subsystem {
		for _, r := range d.Subsystems {
			add(granularity.Subsystem, r)
		}
	}
	return c.WriteAll(all)
}
