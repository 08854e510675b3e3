package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/compare"
)

// WriteRelative lays relative tables out. TSV is the layout in which Small Datum
// publishes them (`qps.rel`), with the groups' medians, minima and maxima below;
// CSV has the workload first and a line of headings. Both give ratios alone, to
// two decimals. Table and Markdown have the base's values too, since a ratio to
// next to nothing says little.
func WriteRelative(w io.Writer, f Format, r compare.Relative, l Layout) error {
	w = forJSON(w, f)
	switch f {
	case Table, Markdown:
		return relativeSheet(r).write(w, f, l)
	case TSV:
		return writePublished(w, r)
	case CSV:
		return writeLines(w, f, relativeLines(r))
	case JSON:
		return encodeJSON(w, r)
	}
	return noLayout("relative tables", f)
}

// twoDecimals is the precision in which such tables are published.
func twoDecimals(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// relativeTo names what ratios are to.
func relativeTo(base string) string {
	if base == "" {
		return "the version before"
	}
	return base
}

// compared are the columns that have ratios: all but the base, or but the first.
func compared(t compare.RelativeTable, base string) (columns []int) {
	for i, v := range t.Versions {
		if v != base && (base != "" || i > 0) {
			columns = append(columns, i)
		}
	}
	return columns
}

// stats are the lines that sum a group up.
func stats(g compare.RelativeGroup) []struct {
	name string
	of   func(compare.GroupRatios) *float64
} {
	return []struct {
		name string
		of   func(compare.GroupRatios) *float64
	}{
		{"median", func(r compare.GroupRatios) *float64 { return r.Median }},
		{"minimum", func(r compare.GroupRatios) *float64 { return r.Minimum }},
		{"maximum", func(r compare.GroupRatios) *float64 { return r.Maximum }},
	}
}

func groupName(g string) string {
	if g == "" {
		return "other"
	}
	return g
}

func relativeSheet(r compare.Relative) *sheet {
	s := newSheet(r.Warnings)
	label := metricLabel(r.Metric)
	s.head = []string{fmt.Sprintf("Ratios of %s to %s", label, relativeTo(r.Base))}
	if r.Base != "" {
		s.head[0] += ", whose own values are given"
	}
	s.head[0] += "."
	intervals, single, derived := false, false, false
	hosts := map[string]bool{}
	for _, t := range r.Tables {
		hosts[t.Host] = true
	}
	for _, t := range r.Tables {
		for _, g := range t.Groups {
			where := compare.ClientsText(t.Clients)
			if len(hosts) > 1 {
				where += ", " + t.Host
			}
			m := matrix{title: fmt.Sprintf("%s, %s", groupTitle(g.Group), where)}
			columns := compared(t, r.Base)
			base := slices.Index(t.Versions, r.Base)
			if base >= 0 {
				m.columns, m.keep = []string{r.Base}, 1
			}
			for _, c := range columns {
				m.columns = append(m.columns, t.Versions[c])
			}
			for _, row := range g.Rows {
				var cells []string
				if base >= 0 {
					cells = append(cells, numberOrDash(row.Cells[base].Value))
				}
				for _, c := range columns {
					v := row.Cells[c].Ratio
					if v == nil {
						cells = append(cells, "-")
						continue
					}
					intervals = intervals || v.Low != nil
					single = single || v.Low == nil
					derived = derived || strings.HasPrefix(row.Cells[c].Reason, "from the throughput")
					cells = append(cells, relativeText(r.Metric, *v))
				}
				m.rows = append(m.rows, matrixRow{label: row.Workload, cells: cells})
			}
			for _, st := range stats(g) {
				cells := []string{}
				if base >= 0 {
					cells = append(cells, "")
				}
				for _, c := range columns {
					if v := st.of(g.Summary[c]); v != nil {
						cells = append(cells, relativeText(r.Metric, compare.R{Ratio: *v}))
					} else {
						cells = append(cells, "-")
					}
				}
				m.rows = append(m.rows, matrixRow{label: st.name, cells: cells, rule: true, style: bold})
			}
			s.parts = append(s.parts, m)
		}
	}
	if intervals {
		s.notes = append(s.notes, "±: the half-width of the ratio's 95% interval, the larger of its sides.")
	}
	if single {
		s.notes = append(s.notes, "Ratios without ± are of single runs, or of too few: nothing is known of their noise.")
	}
	if derived {
		s.notes = append(s.notes, "Response times were not measured: they follow from the throughput, as each client waits for its statement (clients/qps).")
	}
	return s
}

func groupTitle(g string) string {
	t := compare.GroupText(g)
	return strings.ToUpper(t[:1]) + t[1:]
}

func numberOrDash(v *float64) string {
	if v == nil {
		return "-"
	}
	return number(*v)
}

// relativeText is a ratio, for response times in words: "3.80 times slower".
func relativeText(metric string, r compare.R) string {
	text := twoDecimals(r.Ratio)
	if strings.HasPrefix(metric, "response_us") {
		return timesSlower(r.Ratio)
	}
	if r.Low != nil && r.High != nil {
		half := max(r.Ratio-*r.Low, *r.High-r.Ratio)
		text += "±" + twoDecimals(math.Ceil(100*half-1e-9)/100)
	}
	return text
}

// timesSlower says a ratio of response times: 3.8 is "3.80 times slower", 0.5
// "2.00 times faster".
func timesSlower(ratio float64) string {
	switch slow, fast := twoDecimals(ratio), twoDecimals(1/ratio); {
	case slow == "1.00" || fast == "1.00":
		return "as fast"
	case ratio > 1:
		return slow + " times slower"
	default:
		return fast + " times faster"
	}
}

// metricLabel names a metric in a sentence, also those that blocks do not show.
func metricLabel(metric string) string {
	switch metric {
	case "qps":
		return "QPS"
	case "qps_relative":
		return "relative QPS, as published"
	}
	return labelOf(metric)
}
