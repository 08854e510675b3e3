package report

import (
	"io"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// writeColumns lays rows of texts out below a heading: the first column to the
// left, the others to the right, lines of one cell below each other. The gap
// between columns is in the texts. Large reports have a thousand such tables, of
// which the library that lays out grids takes as long as all the rest of a
// report; these need none of what it can do.
func writeColumns(w io.Writer, header []string, rows [][]string) error {
	all := append([][]string{header}, rows...)
	cells := make([][][]string, len(all))
	widths := make([]int, len(header))
	for i, row := range all {
		cells[i] = make([][]string, len(row))
		for c, text := range row {
			cells[i][c] = strings.Split(text, "\n")
			for _, l := range cells[i][c] {
				widths[c] = max(widths[c], columnsOf(l))
			}
		}
	}
	var b strings.Builder
	for i, row := range cells {
		height := 1
		for _, lines := range row {
			height = max(height, len(lines))
		}
		for n := range height {
			pending := 0 // spaces, written when something follows them
			for c, lines := range row {
				text := ""
				if n < len(lines) {
					text = lines[n]
				}
				pad := widths[c] - columnsOf(text)
				if c > 0 {
					pending += pad
				}
				if trimmed := strings.TrimLeft(text, " "); trimmed != "" {
					pending += len(text) - len(trimmed)
					b.WriteString(strings.Repeat(" ", pending))
					b.WriteString(trimmed)
					pending = 0
				} else {
					pending += len(text)
				}
				if c == 0 {
					pending += pad
				}
			}
			b.WriteByte('\n')
		}
		if i == 0 {
			total := 0
			for _, width := range widths {
				total += width
			}
			b.WriteString(strings.Repeat("─", total) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// columnsOf is how many columns of a terminal a text takes, without the
// sequences that colour it.
func columnsOf(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\x1b':
			end := strings.IndexByte(s[i:], 'm')
			if end < 0 {
				return n
			}
			i += end
		case s[i] < 0x80:
			n++
		case s[i] < 0xc0: // within a character
		case s[i] < 0xe1 || strings.HasPrefix(s[i:], "→") || strings.HasPrefix(s[i:], "−") || strings.HasPrefix(s[i:], "…"):
			n++ // letters of Latin, Greek and Cyrillic, and signs of ours
		default:
			return n + twwidth.Width(s[i:]) // which leaves colours out too
		}
	}
	return n
}
