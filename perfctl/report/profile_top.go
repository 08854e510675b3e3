package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"opcost/perfctl/result"
	"opcost/profiles"
	"opcost/profiles/granularity"
	"opcost/profiles/symbol"
	"opcost/profiles/top"
)

// Top is one profile's table, with what is to be said beside it.
type Top struct {
	Title string `json:"title"`
	*top.Table
	Quality  []result.Quality `json:"quality"`
	Warnings []string         `json:"warnings"`
}

// WriteTop lays out what each function of some profiles cost, in the formats of
// [Write].
func WriteTop(w io.Writer, f Format, tops []Top, l Layout) error {
	w = forJSON(w, f)
	switch f {
	case Table:
		return writeTopTable(w, tops, l)
	case Markdown:
		var b strings.Builder
		for _, t := range tops {
			topGrid(t).writeMarkdown(&b)
		}
		_, err := io.WriteString(w, b.String())
		return err
	case CSV:
		return writeTopLong(w, tops, ',')
	case TSV:
		return writeTopLong(w, tops, '\t')
	case JSON:
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(struct {
			Schema   int   `json:"schema"`
			Profiles []Top `json:"profiles"`
		}{1, tops})
	}
	return noFormat(f)
}

// noFormat is the error of a format that this kind of table does not have.
func noFormat(f Format) error {
	if _, err := ParseFormat(string(f)); err != nil {
		return err
	}
	return fmt.Errorf("format %q is not for this; give table, markdown, csv, tsv or json", f)
}

func writeTopTable(w io.Writer, tops []Top, l Layout) error {
	width, paint := l.Width, painter(l.Color)
	if width <= 0 {
		width = 80
	}
	for _, t := range tops {
		if err := topGrid(t).write(w, width, paint); err != nil {
			return err
		}
	}
	return nil
}

// perUnit is the unit of values, per operation where their number is known.
func perUnit(unit, per string, operations float64) string {
	if operations <= 0 {
		return granularity.UnitText(unit)
	}
	if per == "statement" {
		per = "query"
	}
	return granularity.UnitText(unit) + "/" + per
}

func topGrid(t Top) grid {
	unit := perUnit(t.Unit, t.Per, t.Operations)
	if t.Operations <= 0 { // then weights are shown as they are
		unit = t.WeightUnit
	}
	g := grid{title: plain(t.Title), columns: []gridColumn{{name: "self"}, {name: "share"}, {name: "total"}, {name: "calls", from: 70},
		{name: "subsystem", left: true, most: 22}, {name: "object", left: true, from: 110, most: 20}, {name: nameOfRows(t.By), left: true}}}
	for _, r := range t.Rows {
		self := topValue(r.SelfPerQuery, &r.Self, t.Operations)
		total := topValue(r.TotalPerQuery, r.Total, t.Operations)
		if r.TotalBound {
			total = "≤" + total
		}
		g.rows = append(g.rows, []string{self, shareText(r.Share), total, optional(r.CallsPerQuery), subsystemText(r.Subsystem, r.Inherited), r.Object, rowName(t.By, r.Function, r.Object, r.Subsystem)})
	}
	g = g.without("", "-")
	sum := topValue(t.PerQuery, &t.Weight, t.Operations)
	samples := ""
	if t.Samples > 0 && t.WeightUnit != profiles.Samples {
		samples = fmt.Sprintf(", %s samples", count(t.Samples))
	}
	g.notes = append(g.notes, fmt.Sprintf("self and total in %s, event %s; all of it: %s%s", unit, t.Event, sum, samples))
	if t.Operations <= 0 {
		g.notes = append(g.notes, "nothing says how many queries this is of: give --operations for numbers per query")
	}
	return g.withQuality(t.Quality, t.Warnings)
}

// withQuality adds what a profile's checks say, and its reader's warnings.
func (g grid) withQuality(checks []result.Quality, warnings []string) grid {
	for _, q := range checks {
		if !q.OK {
			g.notes = append(g.notes, "warning: "+q.Text)
		}
	}
	for _, t := range warnings {
		g.notes = append(g.notes, "warning: "+t)
	}
	return g
}

func nameOfRows(by granularity.Level) string { return string(by) }

// rowName is a row's name for people: short where it is a function's.
func rowName(by granularity.Level, function, object, place string) string {
	switch {
	case function != "":
		return symbol.Short(function)
	case by == granularity.Object && object != "":
		return object
	case by == granularity.Subsystem:
		return place
	}
	return "[not known]"
}

// subsystemText is a subsystem; ~ marks a caller's.
func subsystemText(place string, inherited bool) string {
	if inherited {
		return "~" + place
	}
	return place
}

func topValue(perQuery *float64, weight *int64, operations float64) string {
	switch {
	case operations > 0 && perQuery != nil:
		return number(*perQuery)
	case operations <= 0 && weight != nil:
		return count(*weight)
	}
	return "-"
}

// count writes a sum of weights: each unit of a small one.
func count(n int64) string {
	if n < 1e9 {
		return thousands(strconv.FormatInt(n, 10))
	}
	return number(float64(n))
}

func optional(v *float64) string {
	if v == nil {
		return ""
	}
	return number(*v)
}

// shareText writes a share of a total.
func shareText(share float64) string {
	switch p := 100 * share; {
	case p == 0:
		return "0%"
	case p < 0.05 && p > -0.05:
		return "<0.1%"
	default:
		return fmt.Sprintf("%.1f%%", p)
	}
}

// field is a name of a profile in CSV and TSV: names come from whoever built the
// program, and a file is also looked at in a terminal.
func field(s string) string { return guard(s) }

func writeTopLong(w io.Writer, tops []Top, separator rune) error {
	c := csv.NewWriter(w)
	c.Comma = separator
	all := [][]string{{"profile", "event", "unit", "per", "operations", "function", "object", "subsystem", "inherited", "state",
		"self", "self_per_query", "share", "self_samples", "total", "total_per_query", "calls_per_query", "weight_unit", "total_bound"}}
	for _, t := range tops {
		for _, r := range t.Rows {
			total := ""
			if r.Total != nil {
				total = strconv.FormatInt(*r.Total, 10)
			}
			all = append(all, []string{field(t.Title), field(t.Event), t.Unit, t.Per, digits(&t.Operations), field(r.Function), field(r.Object), field(r.Subsystem),
				strconv.FormatBool(r.Inherited), string(r.Kind), strconv.FormatInt(r.Self, 10), digits(r.SelfPerQuery), digits(&r.Share),
				strconv.FormatInt(r.SelfSamples, 10), total, digits(r.TotalPerQuery), digits(r.CallsPerQuery), t.WeightUnit, strconv.FormatBool(r.TotalBound)})
		}
	}
	return c.WriteAll(all)
}
