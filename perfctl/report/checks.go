package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"

	"opcost/perfctl/doctor"
)

// WriteChecks lays out what the doctor says, in the formats of [Write].
func WriteChecks(w io.Writer, f Format, r doctor.Report, l Layout) error {
	w = forJSON(w, f)
	switch f {
	case Table:
		return writeChecksTable(w, r, l)
	case Markdown:
		return writeChecksMarkdown(w, r)
	case CSV:
		return writeChecksLong(w, r, ',')
	case TSV:
		return writeChecksLong(w, r, '\t')
	case JSON:
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(r)
	}
	_, err := ParseFormat(string(f))
	return err
}

// besideFrom is the width from which costs and remedies have columns of their
// own; they stand below what was found otherwise.
const besideFrom = 150

func writeChecksTable(w io.Writer, r doctor.Report, l Layout) error {
	lay := checkLayout{width: l.Width, paint: painter(l.Color), first: map[string]string{}}
	if lay.width <= 0 {
		lay.width = 80
	}
	for _, c := range r.Checks {
		lay.name = max(lay.name, len([]rune(plain(c.Group))), len([]rune(plain(c.Name))))
	}
	var b strings.Builder
	write := lay.below
	if lay.width >= besideFrom {
		write = lay.besides
	}
	if err := write(&b, checkGroups(r)); err != nil {
		return err
	}
	fmt.Fprintf(&b, "\n%s\n", lay.paint(bold, checkSummary(r)))
	_, err := io.WriteString(w, b.String())
	return err
}

// checkGroups cuts the checks where the group changes.
func checkGroups(r doctor.Report) [][]doctor.Check {
	var groups [][]doctor.Check
	for i, c := range r.Checks {
		if i == 0 || c.Group != r.Checks[i-1].Group {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], c)
	}
	return groups
}

func checkSummary(r doctor.Report) string {
	n := r.Count()
	var parts []string
	for _, s := range []doctor.State{doctor.OK, doctor.Limited, doctor.Missing, doctor.Unknown} {
		if n[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[s], s))
		}
	}
	return strings.Join(parts, ", ")
}

type checkLayout struct {
	width, name int // of all, and of the column of names
	paint       func(style, string) string
	first       map[string]string // a remedy's first check: it is not printed again
}

// besides writes one table: state, name, what was found, cost and remedy.
func (l checkLayout) besides(w io.Writer, groups [][]doctor.Check) error {
	text := (l.width - len(doctor.Limited) - l.name - 5*gap) / 3
	left := []tw.Align{tw.AlignLeft, tw.AlignLeft, tw.AlignLeft, tw.AlignLeft, tw.AlignLeft}
	var out strings.Builder
	t := tablewriter.NewTable(&out, tableOptions(left)...)
	t.Header([]string{"", "", spaced("found"), spaced("what it costs"), spaced("what changes it")})
	column := func(s string) string { return spaced(wrap(cut(plain(s), text), text, "", "")) }
	var rows [][]string
	for i, group := range groups {
		if i > 0 {
			rows = append(rows, []string{""})
		}
		rows = append(rows, []string{"", spaced(l.paint(bold, plain(group[0].Group)))})
		for _, c := range group {
			rows = append(rows, []string{spaced(l.paint(checkStyle(c.State), string(c.State))), spaced(plain(c.Name)),
				column(c.Found), column(c.Cost), column(l.remedy(c))})
		}
	}
	for _, row := range rows {
		if err := t.Append(append(row, make([]string, len(left)-len(row))...)); err != nil {
			return err
		}
	}
	if err := t.Render(); err != nil {
		return err
	}
	for line := range strings.Lines(out.String()) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
	return nil
}

// below writes a line a check, and below it what it costs and what changes it.
func (l checkLayout) below(w io.Writer, groups [][]doctor.Check) error {
	margin := strings.Repeat(" ", gap+len(doctor.Limited)+gap)
	for i, group := range groups {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, l.paint(bold, plain(group[0].Group)))
		for _, c := range group {
			state := l.paint(checkStyle(c.State), fmt.Sprintf("%-*s", len(doctor.Limited), c.State))
			indent := margin + strings.Repeat(" ", l.name+gap)
			found := l.wrapped(c.Found, indent)
			fmt.Fprintf(w, "  %s  %-*s  %s\n", state, l.name, plain(c.Name), found)
			for _, more := range []struct{ what, text string }{{"cost: ", c.Cost}, {"fix:  ", l.remedy(c)}} {
				if more.text == "" {
					continue
				}
				indent := margin + strings.Repeat(" ", len(more.what))
				fmt.Fprintf(w, "%s%s%s\n", margin, l.paint(dim, more.what), l.wrapped(more.text, indent))
			}
		}
	}
	return nil
}

// wrapped breaks text so that it stands right of the indent.
func (l checkLayout) wrapped(text, indent string) string {
	width := max(l.width-len(indent), 20)
	lines := wrap(cut(plain(text), width), width, "", "")
	return strings.ReplaceAll(lines, "\n", "\n"+indent)
}

// cut breaks words that are wider than a column (paths of debug files) into
// pieces that fill it, so that wrap puts each on a line of its own.
func cut(text string, width int) string {
	var pieces []string
	for _, word := range strings.Fields(text) {
		rs := []rune(word)
		for ; len(rs) > width; rs = rs[width:] {
			pieces = append(pieces, string(rs[:width]))
		}
		pieces = append(pieces, string(rs))
	}
	return strings.Join(pieces, " ")
}

// remedy is what changes the check; one that stands above already is named by
// the check it stands at.
func (l checkLayout) remedy(c doctor.Check) string {
	at, again := l.first[c.Remedy]
	switch {
	case c.Remedy == "":
		return ""
	case again && at == c.Name:
		return "as above"
	case again:
		return "as for " + at
	}
	l.first[c.Remedy] = c.Name
	return c.Remedy
}

func checkStyle(s doctor.State) style {
	switch s {
	case doctor.Limited:
		return yellow
	case doctor.Missing:
		return red
	case doctor.Unknown:
		return dim
	}
	return green
}

func writeChecksMarkdown(w io.Writer, r doctor.Report) error {
	var b strings.Builder
	for _, group := range checkGroups(r) {
		fmt.Fprintf(&b, "### %s\n\n| | | found | cost | what changes it |\n|:--|:--|:--|:--|:--|\n", escape(group[0].Group))
		for _, c := range group {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", c.State, escape(c.Name), escape(c.Found), escape(c.Cost), escape(c.Remedy))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "**%s**\n", checkSummary(r))
	_, err := io.WriteString(w, b.String())
	return err
}

// writeChecksLong writes a line a check.
func writeChecksLong(w io.Writer, r doctor.Report, separator rune) error {
	c := csv.NewWriter(w)
	c.Comma = separator
	if err := c.Write([]string{"group", "name", "state", "found", "cost", "remedy"}); err != nil {
		return err
	}
	for _, k := range r.Checks {
		if err := c.Write([]string{guard(k.Group), guard(k.Name), string(k.State), guard(k.Found), guard(k.Cost), guard(k.Remedy)}); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
