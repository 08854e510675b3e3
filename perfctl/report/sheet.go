package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// sheet is a report of one kind, ready for a terminal or for Markdown: parts of
// tables and sentences in the order of reading.
type sheet struct {
	unlike, warnings []string
	head             []string // said first
	parts            []part
	notes            []string // said last: rules, meanings
}

type part interface {
	writeTo(w io.Writer, width int, paint func(style, string) string) error
	writeMarkdown(b *strings.Builder)
}

func (m matrix) writeTo(w io.Writer, width int, paint func(style, string) string) error {
	return m.write(w, width, paint)
}

func (s sentences) writeTo(w io.Writer, width int, paint func(style, string) string) error {
	s.write(w, width, paint)
	return nil
}

func newSheet(ws []result.Warning) *sheet {
	var s sheet
	s.unlike, s.warnings = warnings(compare.Report{Warnings: ws})
	return &s
}

func (s *sheet) write(w io.Writer, f Format, l Layout) error {
	if f == Markdown {
		return s.writeMarkdown(w)
	}
	width := l.Width
	if width <= 0 {
		width = 80
	}
	paint := painter(l.Color)
	var b strings.Builder
	say := func(st style, first, text string) {
		indent := strings.Repeat(" ", len([]rune(first)))
		fmt.Fprintln(&b, paint(st, wrap(plain(text), width, first, indent)))
	}
	for _, t := range s.unlike {
		say(bold, "unlike: ", t)
	}
	if len(s.unlike) > 0 {
		b.WriteByte('\n')
	}
	for _, t := range s.head {
		say(none, "", t)
	}
	if len(s.head) > 0 {
		b.WriteByte('\n')
	}
	for _, p := range s.parts {
		if err := p.writeTo(&b, width, paint); err != nil {
			return err
		}
	}
	for _, t := range s.notes {
		say(dim, "", t)
	}
	for _, t := range s.warnings {
		say(none, "warning: ", t)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *sheet) writeMarkdown(w io.Writer) error {
	var b strings.Builder
	sentences{"Unlike:", s.unlike}.writeMarkdown(&b)
	for _, t := range s.head {
		fmt.Fprintf(&b, "%s\n\n", escape(t))
	}
	for _, p := range s.parts {
		p.writeMarkdown(&b)
	}
	sentences{"Notes:", append(s.notes, s.warnings...)}.writeMarkdown(&b)
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

// separatorOf gives what parts the fields of a format.
func separatorOf(f Format) rune {
	if f == TSV {
		return '\t'
	}
	return ','
}

// writeLines writes a header and lines separated as the format says.
func writeLines(w io.Writer, f Format, lines [][]string) error {
	c := csv.NewWriter(w)
	c.Comma = separatorOf(f)
	return c.WriteAll(lines)
}

func encodeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// noLayout is the error of a kind of report that has not the format.
func noLayout(kind string, f Format) error {
	var names []string
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return fmt.Errorf("%s have no format %s; there are: %s", kind, f, strings.Join(names, ", "))
}
