package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/narrow"
)

// Narrowed is a search for the first bad build that has ended.
type Narrowed struct {
	Metric string            `json:"metric"`
	Rows   []NarrowedRow     `json:"builds"` // in the order of the builds
	Answer narrow.Answer     `json:"answer"`
	Broken map[string]string `json:"broken"` // builds that could not be measured, and why
}

// NarrowedRow is one build.
type NarrowedRow struct {
	narrow.Build
	Value *float64    // the metric; nil where it was not measured
	Unit  string      // of the value
	Side  narrow.Side // what it was told to be
}

// MarshalJSON writes the row flat, in the names of other reports.
func (r NarrowedRow) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Version string      `json:"version"`
		Starts  int         `json:"n"`
		Value   *float64    `json:"value"`
		Unit    string      `json:"unit"`
		Ratio   *float64    `json:"ratio"`
		Low     *float64    `json:"low"`
		High    *float64    `json:"high"`
		Side    narrow.Side `json:"side"`
	}{r.Name, r.Starts, r.Value, r.Unit, r.Ratio, r.Low, r.High, r.Side})
}

// WriteNarrow lays a search out, in the formats of [Write].
func WriteNarrow(w io.Writer, f Format, n Narrowed, l Layout) error {
	w = forJSON(w, f)
	switch f {
	case Table:
		width := l.Width
		if width <= 0 {
			width = 80
		}
		return narrowGrid(n).write(w, width, painter(l.Color))
	case Markdown:
		var b strings.Builder
		narrowGrid(n).writeMarkdown(&b)
		_, err := io.WriteString(w, b.String())
		return err
	case CSV:
		return writeNarrowLong(w, n, ',')
	case TSV:
		return writeNarrowLong(w, n, '\t')
	case JSON:
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(struct {
			Schema int `json:"schema"`
			Narrowed
		}{1, n})
	}
	return noFormat(f)
}

func narrowGrid(n Narrowed) grid {
	g := grid{title: plain(n.Answer.Text), columns: []gridColumn{{name: labelOf(n.Metric)}, {name: "to the first"}, {name: "95%"}, {name: "starts"}, {name: "side", left: true}, {name: "build", left: true}}}
	for _, r := range n.Rows {
		value, ratio, interval := "-", "-", "-"
		if r.Value != nil {
			value = number(*r.Value)
		}
		if r.Ratio != nil {
			ratio = fmt.Sprintf("%.3f", *r.Ratio)
		}
		if r.Low != nil && r.High != nil {
			interval = fmt.Sprintf("[%.3f, %.3f]", *r.Low, *r.High)
		}
		side := string(r.Side)
		if n.Broken[r.Name] != "" {
			side = "broken"
		}
		g.rows = append(g.rows, []string{value, ratio, interval, strconv.Itoa(r.Starts), side, r.Name})
	}
	if n.Answer.FirstBad != "" {
		g.notes = append(g.notes, fmt.Sprintf("good and bad are told apart at %.3f, the middle between the ends (in logarithms), by a build's whole interval", n.Answer.Middle))
	}
	for _, name := range slices.Sorted(maps.Keys(n.Broken)) {
		g.notes = append(g.notes, fmt.Sprintf("warning: %s was passed over: %s", name, n.Broken[name]))
	}
	return g
}

func writeNarrowLong(w io.Writer, n Narrowed, separator rune) error {
	c := csv.NewWriter(w)
	c.Comma = separator
	all := [][]string{{"version", "metric", "value", "unit", "n", "ratio", "ratio_low", "ratio_high", "side"}}
	for _, r := range n.Rows {
		all = append(all, []string{guard(r.Name), guard(n.Metric), digits(r.Value), r.Unit, strconv.Itoa(r.Starts), digits(r.Ratio), digits(r.Low), digits(r.High), string(r.Side)})
	}
	return c.WriteAll(all)
}
