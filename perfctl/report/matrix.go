package report

import (
	"fmt"
	"io"
	"strings"
)

// matrix is a table with a label a row and a short text for each of many
// columns. A terminal too narrow for all columns gets several pieces.
type matrix struct {
	title   string
	label   string // above the rows' labels
	columns []string
	rows    []matrixRow
	keep    int // so many of the first columns stand in each piece
}

type matrixRow struct {
	label string
	cells []string
	style style
	rule  bool // a summary: apart from the rows above it
}

// leastColumn is how wide a column is at least, so that names can be read.
const leastColumn = 8

func (m matrix) widths() (label int, columns []int) {
	label = len([]rune(m.label))
	columns = make([]int, len(m.columns))
	for i := range columns {
		columns[i] = leastColumn
	}
	for _, r := range m.rows {
		label = max(label, len([]rune(plain(r.label))))
		for i, c := range r.cells {
			columns[i] = max(columns[i], len([]rune(plain(c))))
		}
	}
	return label, columns
}

// pieces gives the columns of each piece.
func (m matrix) pieces(width int) (ps [][]int) {
	label, columns := m.widths()
	room := label
	var kept []int
	for i := range min(m.keep, len(columns)) {
		kept = append(kept, i)
		room += gap + columns[i]
	}
	piece, used := append([]int{}, kept...), room
	for i := len(kept); i < len(columns); i++ {
		if used+gap+columns[i] > width && len(piece) > len(kept) {
			ps = append(ps, piece)
			piece, used = append([]int{}, kept...), room
		}
		piece, used = append(piece, i), used+gap+columns[i]
	}
	return append(ps, piece)
}

func (m matrix) write(w io.Writer, width int, paint func(style, string) string) error {
	_, widths := m.widths()
	for i, piece := range m.pieces(width) {
		title := m.title
		if i > 0 {
			title += " (continued)"
		}
		fmt.Fprintln(w, paint(bold, wrap(plain(title), width, "", "  ")))
		header := []string{plain(m.label)}
		for _, c := range piece {
			header = append(header, spaced(fold(plain(m.columns[c]), widths[c])))
		}
		var rows [][]string
		for j, r := range m.rows {
			if r.rule && j > 0 && !m.rows[j-1].rule {
				rows = append(rows, make([]string, len(header)))
			}
			cells := []string{paint(r.style, plain(r.label))}
			for _, c := range piece {
				cells = append(cells, spaced(paint(r.style, plain(r.cells[c]))))
			}
			rows = append(rows, cells)
		}
		if err := writeColumns(w, header, rows); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}

func (m matrix) writeMarkdown(b *strings.Builder) {
	fmt.Fprintf(b, "### %s\n\n| %s |", escape(m.title), escape(m.label))
	for _, c := range m.columns {
		fmt.Fprintf(b, " %s |", escape(c))
	}
	b.WriteString("\n|:--|" + strings.Repeat("--:|", len(m.columns)) + "\n")
	for _, r := range m.rows {
		label := escape(r.label)
		if r.rule {
			label = "**" + label + "**"
		}
		fmt.Fprintf(b, "| %s |", label)
		for _, c := range r.cells {
			fmt.Fprintf(b, " %s |", escape(c))
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
}

// sentences are said below tables, one a line.
type sentences struct {
	title string
	texts []string
}

func (s sentences) write(w io.Writer, width int, paint func(style, string) string) {
	if len(s.texts) == 0 {
		return
	}
	fmt.Fprintln(w, paint(bold, wrap(plain(s.title), width, "", "  ")))
	for _, t := range s.texts {
		fmt.Fprintln(w, wrap(plain(t), width, "  ", "    "))
	}
	fmt.Fprintln(w)
}

func (s sentences) writeMarkdown(b *strings.Builder) {
	if len(s.texts) == 0 {
		return
	}
	fmt.Fprintf(b, "**%s**\n\n", escape(s.title))
	for _, t := range s.texts {
		fmt.Fprintf(b, "- %s\n", escape(t))
	}
	b.WriteByte('\n')
}
