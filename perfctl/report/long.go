package report

import (
	"bytes"
	"encoding/csv"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"opcost/perfctl/compare"
)

// longHeader names the columns of CSV and TSV.
var longHeader = []string{
	"host", "version", "workload", "group", "clients", "protocol", "driver",
	"metric", "value", "low", "high", "n", "unit", "per", "source", "scope", "state", "reason",
	"ratio", "ratio_low", "ratio_high", "verdict", "method",
}

// writeLong writes a line for each row and metric. Absent numbers are empty.
func writeLong(w io.Writer, each func(func(compare.Row) printed) iter.Seq[printed], separator rune) error {
	head := longLines(separator, func(c *csv.Writer) error { return c.Write(longHeader) })
	if head.err != nil {
		return head.err
	}
	if _, err := w.Write(head.text); err != nil {
		return err
	}
	for p := range each(func(row compare.Row) printed {
		return longLines(separator, func(c *csv.Writer) error {
			line := append(make([]string, 0, len(longHeader)),
				guard(row.Host), guard(row.Version), guard(row.Workload), guard(row.Group), strconv.Itoa(row.Clients), guard(row.Protocol), guard(row.Driver))
			for _, name := range slices.Sorted(maps.Keys(row.Metrics)) {
				if err := c.Write(longLine(line, row, name)); err != nil {
					return err
				}
			}
			return nil
		})
	}) {
		if p.err != nil {
			return p.err
		}
		if _, err := w.Write(p.text); err != nil {
			return err
		}
	}
	return nil
}

// longLines are the lines that a function writes.
func longLines(separator rune, write func(*csv.Writer) error) printed {
	var b bytes.Buffer
	c := csv.NewWriter(&b)
	c.Comma = separator
	if err := write(c); err != nil {
		return printed{nil, err}
	}
	c.Flush()
	return printed{b.Bytes(), c.Error()}
}

// longLine is a line of one metric, behind what the row's lines begin with.
func longLine(line []string, row compare.Row, name string) []string {
	m := row.Metrics[name]
	line = append(line,
		guard(name), digits(m.Value), digits(m.Low), digits(m.High), strconv.Itoa(m.N), guard(m.Unit), guard(m.Per),
		string(m.Source), string(m.Scope), string(m.State), guard(m.Reason))
	v, ok := row.VsBase[name]
	if !ok {
		return append(line, "", "", "", "", guard(m.Method))
	}
	return append(line, digits(&v.Ratio), digits(v.Low), digits(v.High), string(v.Verdict), guard(v.Method))
}

// digits writes a number with 12 significant digits: beyond them there is only
// rounding.
func digits(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', 12, 64)
}

// guard keeps a spreadsheet from running text as a formula, and a terminal from
// obeying it: what would steer a terminal is replaced, and text that then begins
// like a formula, in whatever width of letters, gets an apostrophe in front.
// https://owasp.org/www-community/attacks/CSV_Injection
func guard(s string) string {
	s = plain(s)
	if begin, n := utf8.DecodeRuneInString(strings.TrimLeft(s, " ")); n > 0 && strings.ContainsRune("=+-@＝＋－＠", begin) {
		return "'" + s
	}
	return s
}
