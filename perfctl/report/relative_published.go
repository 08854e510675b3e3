package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/compare"
)

func writePublished(w io.Writer, r compare.Relative) error {
	var b strings.Builder
	line := func(fields []string) { b.WriteString(strings.Join(fields, "\t") + "\n") }
	for i, t := range r.Tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		if len(r.Tables) > 1 {
			fmt.Fprintf(&b, "Measured on: %s, %s\n", plain(t.Host), compare.ClientsText(t.Clients))
		}
		if r.Metric != "qps" && r.Metric != "qps_relative" { // what published ratios are of
			fmt.Fprintf(&b, "Ratios of: %s\n", plain(r.Metric))
		}
		fmt.Fprintf(&b, "Relative to: %s\n", plain(relativeTo(r.Base)))
		var heads []string
		for n, c := range compared(t, r.Base) {
			fmt.Fprintf(&b, "col-%d : %s\n", n+1, plain(t.Versions[c]))
			heads = append(heads, fmt.Sprintf("col-%d", n+1))
		}
		b.WriteByte('\n')
		line(heads)
		for _, g := range t.Groups {
			for _, row := range g.Rows {
				line(append(relativeFields(row, compared(t, r.Base)), guard(row.Workload)))
			}
		}
		b.WriteByte('\n')
		for _, g := range t.Groups {
			for _, s := range stats(g) {
				var fields []string
				for _, c := range compared(t, r.Base) {
					fields = append(fields, decimalsOrNothing(s.of(g.Summary[c])))
				}
				line(append(fields, s.name+"_"+guard(groupName(g.Group))))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func relativeFields(row compare.RelativeRow, columns []int) (fields []string) {
	for _, c := range columns {
		if v := row.Cells[c].Ratio; v != nil {
			fields = append(fields, twoDecimals(v.Ratio))
		} else {
			fields = append(fields, "")
		}
	}
	return fields
}

func decimalsOrNothing(v *float64) string {
	if v == nil {
		return ""
	}
	return twoDecimals(*v)
}

// relativeLines are the lines of CSV. Tables of several places may have unlike
// versions: each has its own columns under all the versions' headings.
func relativeLines(r compare.Relative) [][]string {
	var versions []string
	for _, t := range r.Tables {
		for _, c := range compared(t, r.Base) {
			if !slices.Contains(versions, t.Versions[c]) {
				versions = append(versions, t.Versions[c])
			}
		}
	}
	header := []string{"workload"}
	for _, v := range versions {
		header = append(header, guard(v))
	}
	lines := [][]string{append(header, "group", "clients", "host", "relative_to", "metric")}
	for _, t := range r.Tables {
		for _, g := range t.Groups {
			add := func(name string, field func(column int) string) {
				line := []string{guard(name)}
				for _, v := range versions {
					if c := slices.Index(t.Versions, v); c >= 0 {
						line = append(line, field(c))
					} else {
						line = append(line, "")
					}
				}
				lines = append(lines, append(line, guard(groupName(g.Group)), strconv.Itoa(t.Clients), guard(t.Host), guard(relativeTo(r.Base)), guard(r.Metric)))
			}
			for _, row := range g.Rows {
				add(row.Workload, func(c int) string { return relativeFields(row, []int{c})[0] })
			}
			for _, s := range stats(g) {
				add(s.name, func(c int) string { return decimalsOrNothing(s.of(g.Summary[c])) })
			}
		}
	}
	return lines
}
