package report

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// Format names a way to lay a report out.
type Format string

const (
	Table    Format = "table"    // for the terminal
	Markdown Format = "markdown" // for a bug report
	CSV      Format = "csv"      // one line a row and metric
	TSV      Format = "tsv"      // the same, separated by tabs
	JSON     Format = "json"     // the report as it is
	Bench    Format = "benchfmt" // a line a server start, for benchstat: see [WriteBench]
	HTML     Format = "html"     // one page to look at: see the room page
)

// Formats are the formats of [Write]. [WriteBench] has one of its own, and the
// page another.
func Formats() []Format { return []Format{Table, Markdown, CSV, TSV, JSON} }

// Layout is what the place of printing allows.
type Layout struct {
	Width int  // columns; 0: 80
	Color bool // the terminal understands colours, and the user wants them
}

// ParseFormat finds a format by name; its error lists the ones there are.
func ParseFormat(name string) (Format, error) {
	if f := Format(name); f == Bench || f == HTML || slices.Contains(Formats(), f) {
		return f, nil
	}
	var names []string
	for _, f := range append(Formats(), Bench, HTML) {
		names = append(names, string(f))
	}
	return "", fmt.Errorf("format %q is not known; there are: %s", name, strings.Join(names, ", "))
}

// Write lays r out on w. Of l, only the table takes notice.
func Write(w io.Writer, f Format, r compare.Report, l Layout) error {
	w = forJSON(w, f)
	switch f {
	case Table:
		return writeTable(w, r, l)
	case Markdown:
		return writeMarkdown(w, r)
	case CSV, TSV, JSON:
		return writeEach(w, f, r, func(do func(compare.Row) printed) iter.Seq[printed] {
			return func(yield func(printed) bool) {
				for _, row := range r.Rows {
					if !yield(do(row)) {
						return
					}
				}
			}
		}, func() []result.Warning { return r.Warnings })
	}
	return noLayout("reports of windows", f)
}

// WriteRows lays a report out as CSV, TSV or JSON whose rows are made as they are
// written; more warnings go with the report's own.
func WriteRows(w io.Writer, f Format, rows *compare.Rows, more []result.Warning) error {
	w = forJSON(w, f)
	switch f {
	case CSV, TSV, JSON:
		return writeEach(w, f, rows.Head(), func(do func(compare.Row) printed) iter.Seq[printed] {
			return compare.Each(rows, do)
		}, func() []result.Warning { return append(rows.Warnings(), more...) })
	}
	return noLayout("reports of rows", f)
}

// printed is a row as text.
type printed struct {
	text []byte
	err  error
}

// writeEach writes rows as they come. Each gives what a function makes of each
// row; the warnings are whole after that.
func writeEach(w io.Writer, f Format, head compare.Report, each func(func(compare.Row) printed) iter.Seq[printed], warnings func() []result.Warning) error {
	if f == JSON {
		return writeJSON(w, head, each(jsonRow), warnings)
	}
	return writeLong(w, each, separatorOf(f))
}
