package report

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"opcost/perfctl/compare"
)

// writeTable writes the report for a terminal: what is unlike, the blocks, the
// verdicts, and what the marks mean.
func writeTable(w io.Writer, r compare.Report, l Layout) error {
	return writeTableWith(w, r, l, tableParts{})
}

// tableParts are what a table may have besides the report.
type tableParts struct {
	head  string                                                               // a line above the blocks
	more  func(w io.Writer, width int, paint func(style, string) string) error // between blocks and legend
	brief bool                                                                 // without the legend
}

func writeTableWith(w io.Writer, r compare.Report, l Layout, parts tableParts) error {
	width := l.Width
	if width <= 0 {
		width = 80
	}
	paint := painter(l.Color)
	e := newExplanations()
	var b strings.Builder
	say := func(style style, first, text string) {
		indent := strings.Repeat(" ", len([]rune(first)))
		fmt.Fprintln(&b, paint(style, first+wrap(text, width-len(indent), indent)))
	}

	unlike, other := warnings(r)
	for _, t := range unlike {
		say(bold, "unlike: ", t)
	}
	if len(unlike) > 0 {
		b.WriteByte('\n')
	}
	if parts.head != "" {
		say(none, "", parts.head)
		b.WriteByte('\n')
	}
	bs := blocks(r, e)
	if len(bs) == 0 {
		say(none, "", "There is no run to report.")
	}
	if err := writeBlocks(&b, bs, width, paint); err != nil {
		return err
	}
	if summary, by, each := verdictLines(r); summary != "" {
		say(bold, "", summary)
		say(none, "", by)
		for _, v := range each {
			say(verdictStyle(v.verdict), fmt.Sprintf("  %-6s  ", v.verdict), v.text)
		}
		b.WriteByte('\n')
	}
	if parts.more != nil {
		if err := parts.more(&b, width, paint); err != nil {
			return err
		}
	}
	if !parts.brief {
		for _, t := range e.legend(r) {
			say(dim, "", t)
		}
	}
	for _, t := range other {
		say(none, "warning: ", t)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeBlocks lays blocks out on all CPUs, as a night has hundreds of them.
func writeBlocks(w io.Writer, bs []block, width int, paint func(style, string) string) error {
	texts, errs := make([]strings.Builder, len(bs)), make([]error, len(bs))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(bs)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(bs); i = int(next.Add(1)) - 1 {
				errs[i] = bs[i].write(&texts[i], width, paint)
			}
		})
	}
	wg.Wait()
	for i := range texts {
		if _, err := io.WriteString(w, texts[i].String()); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

func (b block) write(w io.Writer, width int, paint func(style, string) string) error {
	for i, piece := range b.pieces(width) {
		title := b.title
		if i > 0 {
			title += " (continued)"
		}
		fmt.Fprintln(w, paint(bold, wrap(title, width, "")))
		if err := piece.write(w, paint); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}

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

// pieces cuts the block so that each piece fits the width, as far as one version
// beside the base can. All versions beside each other with their ratios are
// best; then ratios below the values; then several pieces, each with the base.
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
	var header []string
	var aligns []tw.Align
	col := func(name string, a tw.Align) {
		header, aligns = append(header, name), append(aligns, a)
	}
	col("", tw.AlignLeft)
	for _, c := range p.columns {
		name, room := p.block.columns[c].name, p.widths.value
		if p.stacked && c > 0 {
			room = max(room, p.widths.ratio)
		}
		col(spaced(fold(name, room)), tw.AlignRight)
		if p.beside(c) {
			col(spaced(""), tw.AlignRight)
		}
	}
	var out strings.Builder
	t := tablewriter.NewTable(&out, tableOptions(aligns)...)
	t.Header(header)
	for _, r := range p.block.rows {
		if err := t.Append(p.cells(r, paint)); err != nil {
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
