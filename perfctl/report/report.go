package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"opcost/perfctl/compare"
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
	switch f {
	case Table:
		return writeTable(w, r, l)
	case Markdown:
		return writeMarkdown(w, r)
	case CSV:
		return writeLong(w, r, ',')
	case TSV:
		return writeLong(w, r, '\t')
	case JSON:
		return writeJSON(w, r)
	}
	return noLayout("reports of windows", f)
}
