package report

import (
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"opcost/perfctl/compare"
)

// piece is as many columns of a block as fit beside each other: the base, and
// some versions with their ratios.
type piece struct {
	block   block
	columns []int // the block's columns shown
	stacked bool  // ratios stand below the values, not beside them
	widths  widths
}

// widths of a block's texts, in characters.
type widths struct{ label, value, ratio int }

const gap = 2 // between columns

func (b block) widths() widths {
	w := widths{value: 12} // a version's name has to be read too
	for _, r := range b.rows {
		label := len([]rune(r.label))
		if r.part {
			label += 2
		}
		w.label = max(w.label, label)
		for _, c := range r.cells {
			w.value = max(w.value, len([]rune(c.value)))
			w.ratio = max(w.ratio, len([]rune(c.ratio)), len(c.verdict))
		}
	}
	return w
}

// longest of the versions' names.
func (b block) longest() (n int) {
	for _, c := range b.columns {
		n = max(n, len([]rune(c.name)))
	}
	return n
}

// pieces cuts the block so that each piece fits the width, as far as one version
// beside the base can. All versions beside each other with their ratios are
// best, with their names whole where there is room to spare; then ratios below the
// values; then several pieces, each with the base.
func (b block) pieces(width int) []piece {
	w := b.widths()
	n := len(b.columns)
	baseFirst := n > 0 && b.columns[0].base
	others := n
	if baseFirst {
		others--
	}
	fixed := w.label
	if baseFirst {
		fixed += gap + w.value
	}
	beside := gap + w.value
	if w.ratio > 0 {
		beside += gap + w.ratio
	}
	stacked := fixed+others*beside > width && w.ratio > 0
	each := beside
	if stacked {
		w.ratio = 0
		for _, r := range b.rows {
			for _, c := range r.cells {
				w.ratio = max(w.ratio, len([]rune(tight(c.ratio))), len(c.verdict))
			}
		}
		each = gap + max(w.value, w.ratio)
	}
	if spare := width - fixed - others*each; !stacked && spare > 0 {
		w.value = min(max(w.value, b.longest()), w.value+spare/n)
	}
	fit := max(1, (width-fixed)/each)
	var ps []piece
	for from := n - others; from < n || len(ps) == 0; from += fit {
		p := piece{block: b, stacked: stacked, widths: w}
		if baseFirst {
			p.columns = append(p.columns, 0)
		}
		for c := from; c < min(n, from+fit); c++ {
			p.columns = append(p.columns, c)
		}
		ps = append(ps, p)
	}
	return ps
}

// write lays the piece out.
func (p piece) write(w io.Writer, paint func(style, string) string) error {
	header := []string{""}
	for _, c := range p.columns {
		name, room := p.block.columns[c].name, p.widths.value
		if p.stacked && c > 0 {
			room = max(room, p.widths.ratio)
		}
		header = append(header, spaced(fold(name, room)))
		if p.beside(c) {
			header = append(header, spaced(""))
		}
	}
	rows := make([][]string, len(p.block.rows))
	for i, r := range p.block.rows {
		rows[i] = p.cells(r, paint)
	}
	return writeColumns(w, header, rows)
}

// beside: the column's ratios stand in a column of their own.
func (p piece) beside(c int) bool {
	return !p.stacked && p.widths.ratio > 0 && !(c == 0 && p.block.columns[0].base)
}

func (p piece) cells(r row, paint func(style, string) string) []string {
	label := r.label
	if r.part {
		label = "  " + label
	}
	texts := []string{label}
	for _, i := range p.columns {
		c := r.cells[i]
		ratio := c.ratio
		if p.stacked {
			ratio = tight(ratio)
		}
		if c.verdict != compare.None {
			look := verdictStyle(c.verdict)
			ratio = paint(look, ratio) + "\n" + paint(look, string(c.verdict))
		} else {
			ratio = paint(dim, ratio)
		}
		switch {
		case p.beside(i):
			texts = append(texts, spaced(c.value), spaced(ratio))
		case ratio != "":
			texts = append(texts, spaced(c.value+"\n"+ratio))
		default:
			texts = append(texts, spaced(c.value))
		}
	}
	return texts
}

// tableOptions: no borders but a line under the header, text as it is given.
// The gap between columns is in the texts: the library's own padding clips cells
// that are not to be wrapped.
func tableOptions(aligns []tw.Align) []tablewriter.Option {
	section := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Alignment:  tw.CellAlignment{Global: tw.AlignRight, PerColumn: aligns},
		Padding:    tw.CellPadding{Global: tw.PaddingNone},
	}
	return []tablewriter.Option{
		tablewriter.WithConfig(tablewriter.Config{Header: section, Row: section}),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbols(tw.StyleLight),
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
				Lines:      tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off, ShowHeaderLine: tw.On},
			},
		})),
	}
}

// tight writes an interval without its space, so that three versions fit beside
// each other in 80 columns.
func tight(ratio string) string { return strings.ReplaceAll(ratio, ", ", ",") }

// spaced puts the gap between columns in front of each line of a cell.
func spaced(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.Repeat(" ", gap) + l
	}
	return strings.Join(lines, "\n")
}
