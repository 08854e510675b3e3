package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"opcost/perfctl/compare"
)

// WriteSeries lays a series of releases out: ratios to the base and to the
// release before, the steps at which the metric changed, and where hosts differ.
func WriteSeries(w io.Writer, f Format, s compare.Series, l Layout) error {
	w = forJSON(w, f)
	switch f {
	case Table, Markdown:
		return seriesSheet(s).write(w, f, l)
	case CSV, TSV:
		return writeLines(w, f, seriesLines(s))
	case JSON:
		return encodeJSON(w, s)
	}
	return noLayout("series", f)
}

// mostSteps are shown of one pair of releases.
const mostSteps = 15

func seriesSheet(s compare.Series) *sheet {
	sh := newSheet(s.Warnings)
	sh.head = []string{fmt.Sprintf("%s by release: the ratio to %s, and the change since the release before.", metricLabel(s.Metric), s.Base)}
	hosts := map[string]bool{}
	for _, l := range s.Lines {
		hosts[l.Host] = true
	}
	several := len(hosts) > 1
	for _, lines := range seriesTables(s.Lines) {
		sh.parts = append(sh.parts, seriesMatrix(s, lines, several))
	}
	sh.parts = append(sh.parts, stepSentences(s, several)...)
	odd := sentences{title: "Odd releases: a fall or rise that the neighbouring releases do not share"}
	type oddRelease struct {
		size float64
		text string
	}
	var odds []oddRelease
	for _, l := range s.Lines {
		for i, p := range l.Points {
			if p.Odd != 0 {
				odds = append(odds, oddRelease{math.Abs(math.Log1p(p.Odd)), oddReleaseText(s, l, i, several)})
			}
		}
	}
	slices.SortStableFunc(odds, func(a, b oddRelease) int { return cmp.Compare(b.size, a.size) })
	for _, o := range odds {
		odd.texts = append(odd.texts, o.text)
	}
	differ := sentences{title: "Where hosts disagree"}
	for _, d := range s.Disagree {
		differ.texts = append(differ.texts, disagreementText(d, s.Base))
	}
	odd.texts, differ.texts = capped(odd.texts), capped(differ.texts)
	sh.parts = append(sh.parts, odd, differ)
	sh.notes = []string{"!: the metric changed here."}
	if slices.ContainsFunc(s.Steps, func(x compare.Step) bool { return x.Single }) || len(s.Steps) == 0 {
		sh.notes = append(sh.notes, "Of single runs, a change is what exceeds 5%, or three times the zigzag of the lines of the same host and number of clients; nothing is known of its confidence.")
	}
	if slices.ContainsFunc(s.Steps, func(x compare.Step) bool { return !x.Single }) {
		sh.notes = append(sh.notes, "Changes with [bounds] are those whose whole 95% interval lies beyond the metric's threshold; over all steps the share of false ones is held at 5%.")
	}
	return sh
}

func seriesTables(lines []compare.SeriesLine) (tables [][]compare.SeriesLine) {
	type key struct {
		host, group, driver, protocol string
		clients                       int
	}
	at := map[key]int{}
	for _, l := range lines {
		k := key{l.Host, l.Group, l.Driver, l.Protocol, l.Clients}
		i, ok := at[k]
		if !ok {
			i = len(tables)
			at[k] = i
			tables = append(tables, nil)
		}
		tables[i] = append(tables[i], l)
	}
	return tables
}

func seriesMatrix(s compare.Series, lines []compare.SeriesLine, several bool) matrix {
	m := matrix{title: fmt.Sprintf("%s, %s", groupTitle(lines[0].Group), compare.ClientsText(lines[0].Clients)), columns: s.Versions}
	if several {
		m.title += ", " + lines[0].Host
	}
	if len(s.Versions) > 0 && s.Versions[0] == s.Base {
		m.keep = 1
	}
	for _, l := range lines {
		row := matrixRow{label: l.Workload}
		for i, p := range l.Points {
			text := "-"
			switch {
			case s.Versions[i] == s.Base:
				text = numberOrDash(p.Value)
			case p.VsBase != nil:
				text = twoDecimals(p.VsBase.Ratio)
			}
			if p.VsPrevious != nil {
				text += " " + change(p.VsPrevious.Ratio-1)
			}
			if p.Changed {
				text = "!" + text
			}
			row.cells = append(row.cells, text)
		}
		m.rows = append(m.rows, row)
	}
	return m
}
