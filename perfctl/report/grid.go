package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/tw"
)

// grid is a table whose last column is a text of any length.
type grid struct {
	title   string
	columns []gridColumn
	rows    [][]string
	notes   []string // below it
}

type gridColumn struct {
	name string
	left bool
	// from is the width in columns from which a terminal shows it.
	from int
	// most is how wide its cells may be below the width of 120; 0: any.
	most int
}

// leastText is how wide the text at a line's end is at least, however narrow
// the terminal.
const leastText = 16

// write lays the grid out for a terminal. The text is cut to what the width
// leaves for it; columns that the width has no room for are left out.
func (g grid) write(w io.Writer, width int, paint func(style, string) string) error {
	if g.title != "" {
		fmt.Fprintln(w, paint(bold, wrap(g.title, width, "", "")))
	}
	if len(g.rows) > 0 {
		if err := g.writeRows(w, width); err != nil {
			return err
		}
	}
	for _, n := range g.notes {
		fmt.Fprintln(w, paint(dim, wrap(plain(n), width, "", "  ")))
	}
	_, err := fmt.Fprintln(w)
	return err
}

func (g grid) writeRows(w io.Writer, width int) error {
	last := len(g.columns) - 1
	var shown []int
	for i, c := range g.columns {
		if c.from <= width {
			shown = append(shown, i)
		}
	}
	room := width
	for _, i := range shown {
		if i != last {
			room -= gap + g.width(i, width)
		}
	}
	room = max(room-gap, leastText)

	var aligns []tw.Align
	var header []string
	for _, i := range shown {
		a := tw.AlignRight
		if g.columns[i].left || i == last {
			a = tw.AlignLeft
		}
		aligns, header = append(aligns, a), append(header, spaced(g.columns[i].name))
	}
	var out strings.Builder
	t := tablewriter.NewTable(&out, tableOptions(aligns)...)
	t.Header(header)
	for _, row := range g.rows {
		var cells []string
		for _, i := range shown {
			text := plain(row[i])
			switch most := g.most(i, width); {
			case i == last:
				text = clip(text, room)
			case most > 0:
				text = clip(text, most)
			}
			cells = append(cells, spaced(text))
		}
		if err := t.Append(cells); err != nil {
			return err
		}
	}
	if err := t.Render(); err != nil {
		return err
	}
	for l := range strings.Lines(out.String()) {
		fmt.Fprintln(w, strings.TrimRight(l, " \n"))
	}
	return nil
}

func (g grid) most(i, width int) int {
	if width >= 120 {
		return 0
	}
	return g.columns[i].most
}

// width of a column on a terminal.
func (g grid) width(i, width int) int {
	n := twwidth.Width(g.columns[i].name)
	for _, r := range g.rows {
		w := twwidth.Width(plain(r[i]))
		if most := g.most(i, width); most > 0 {
			w = min(w, most)
		}
		n = max(n, w)
	}
	return n
}

// clip cuts text to so many columns of a terminal, in which a character may
// take two.
func clip(text string, width int) string {
	if twwidth.Width(text) <= width {
		return text
	}
	return twwidth.Truncate(text, width, "…")
}

func (g grid) writeMarkdown(b *strings.Builder) {
	if g.title != "" {
		fmt.Fprintf(b, "### %s\n\n", escape(g.title))
	}
	if len(g.rows) > 0 {
		g.rowsMarkdown(b)
	}
	for _, n := range g.notes {
		fmt.Fprintf(b, "\n- %s\n", escape(n))
	}
	b.WriteByte('\n')
}

func (g grid) rowsMarkdown(b *strings.Builder) {
	b.WriteByte('|')
	for _, c := range g.columns {
		fmt.Fprintf(b, " %s |", escape(c.name))
	}
	b.WriteString("\n|")
	for i, c := range g.columns {
		if c.left || i == len(g.columns)-1 {
			b.WriteString(":--|")
		} else {
			b.WriteString("--:|")
		}
	}
	b.WriteByte('\n')
	for _, r := range g.rows {
		b.WriteByte('|')
		for _, text := range r {
			fmt.Fprintf(b, " %s |", escape(text))
		}
		b.WriteByte('\n')
	}
}

// without leaves columns out that have nothing to say: those in which every row
// has the same text of the given ones.
func (g grid) without(nothing ...string) grid {
	for i := len(g.columns) - 2; i >= 0; i-- {
		empty := len(g.rows) > 0 && !slices.ContainsFunc(g.rows, func(r []string) bool { return !slices.Contains(nothing, r[i]) })
		if empty {
			g.columns = slices.Delete(slices.Clone(g.columns), i, i+1)
			for j, r := range g.rows {
				g.rows[j] = slices.Delete(slices.Clone(r), i, i+1)
			}
		}
	}
	return g
}
