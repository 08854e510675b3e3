package report

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/compare"
)

// longHeader names the columns of CSV and TSV.
var longHeader = []string{
	"host", "version", "workload", "group", "clients", "protocol", "driver",
	"metric", "value", "low", "high", "n", "unit", "per", "source", "scope", "state", "reason",
	"ratio", "ratio_low", "ratio_high", "verdict", "method",
}

// writeLong writes a line for each row and metric. Absent numbers are empty.
func writeLong(w io.Writer, r compare.Report, separator rune) error {
	c := csv.NewWriter(w)
	c.Comma = separator
	if err := c.Write(longHeader); err != nil {
		return err
	}
	for _, row := range r.Rows {
		for _, name := range slices.Sorted(maps.Keys(row.Metrics)) {
			if err := c.Write(longLine(row, name)); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}

func longLine(row compare.Row, name string) []string {
	m := row.Metrics[name]
	line := []string{
		guard(row.Host), guard(row.Version), guard(row.Workload), guard(row.Group), strconv.Itoa(row.Clients), guard(row.Protocol), guard(row.Driver),
		guard(name), digits(m.Value), digits(m.Low), digits(m.High), strconv.Itoa(m.N), guard(m.Unit), guard(m.Per),
		string(m.Source), string(m.Scope), string(m.State), guard(m.Reason),
	}
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

// guard keeps a spreadsheet from running text as a formula: one that begins
// like a formula gets an apostrophe in front.
// https://owasp.org/www-community/attacks/CSV_Injection
func guard(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r\n", rune(s[0])) {
		return "'" + s
	}
	return s
}

// writeJSON writes the report as it is; maps come sorted by name.
func writeJSON(w io.Writer, r compare.Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
