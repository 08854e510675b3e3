package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/compare"
)

// WriteSweep lays a sweep out: for each version and group the ratios by the
// number of clients, from which number on it stays faster, and what is odd.
func WriteSweep(w io.Writer, f Format, s compare.Sweep, l Layout) error {
	w = forJSON(w, f)
	switch f {
	case Table, Markdown:
		return sweepSheet(s).write(w, f, l)
	case CSV, TSV:
		return writeLines(w, f, sweepLines(s))
	case JSON:
		return encodeJSON(w, s)
	}
	return noLayout("sweeps", f)
}

// change writes one: "+6%", "−5%", "+0.4%".
func change(by float64) string {
	p := 100 * by
	sign := "+"
	if p < 0 {
		sign, p = "−", -p
	}
	switch {
	case p >= 9.95:
		return fmt.Sprintf("%s%.0f%%", sign, p)
	case p < 0.05:
		return "0%"
	case p >= 0.95 && math.Abs(p-math.Round(p)) < 0.05:
		return fmt.Sprintf("%s%.0f%%", sign, p)
	}
	return fmt.Sprintf("%s%.1f%%", sign, p)
}

func sweepSheet(s compare.Sweep) *sheet {
	sh := newSheet(s.Warnings)
	sh.head = []string{fmt.Sprintf("Ratios of %s to %s by the number of clients.", metricLabel(s.Metric), s.Base)}
	if len(s.Lines) == 0 {
		sh.head = append(sh.head, fmt.Sprintf("No version has a ratio of %s to %s.", metricLabel(s.Metric), s.Base))
		return sh
	}
	for _, lines := range sweepTables(s.Lines) {
		first := lines[0]
		m := matrix{title: fmt.Sprintf("%s: %s / %s", groupTitle(first.Group), first.Version, s.Base), label: "clients"}
		if place := sweepPlace(s.Lines, first); place != "" {
			m.title += ", " + place
		}
		var clients []int
		for _, l := range lines {
			for _, p := range l.Points {
				if !slices.Contains(clients, p.Clients) {
					clients = append(clients, p.Clients)
				}
			}
		}
		slices.Sort(clients)
		for _, c := range clients {
			m.columns = append(m.columns, strconv.Itoa(c))
		}
		m.columns = append(m.columns, "faster from")
		for _, l := range lines {
			row := matrixRow{label: l.Workload, cells: slices.Repeat([]string{"-"}, len(clients)+1)}
			switch l.Stat {
			case compare.OfMost:
				row.label, row.style = "most (median)", bold
			case compare.OfAll:
				row.label, row.style = "all (the least good)", bold
			}
			for _, p := range l.Points {
				text := relativeText("", compare.R{Ratio: p.Ratio, Low: p.Low, High: p.High})
				if p.Odd != 0 {
					text = "!" + text
				}
				row.cells[slices.Index(clients, p.Clients)] = text
			}
			row.cells[len(clients)] = fasterFrom(l.Crossover)
			m.rows = append(m.rows, row)
		}
		sh.parts = append(sh.parts, m)
	}
	groups := sentences{title: "From which number of clients on"}
	type oddPoint struct {
		size float64
		text string
	}
	var odds []oddPoint
	odd := sentences{title: "Odd steps: a fall or rise that the neighbouring numbers of clients do not share"}
	single := false
	for _, l := range s.Lines {
		single = single || l.Crossover.Single
		if l.Stat != compare.OfWorkload {
			groups.texts = append(groups.texts, onHost(s.Lines, l, l.Crossover.Sentence+"."))
		}
		for i, p := range l.Points {
			if p.Odd != 0 {
				odds = append(odds, oddPoint{math.Abs(math.Log1p(p.Odd)), onHost(s.Lines, l, oddText(l, i))})
			}
		}
	}
	slices.SortStableFunc(odds, func(a, b oddPoint) int { return cmp.Compare(b.size, a.size) })
	for _, o := range odds {
		odd.texts = append(odd.texts, o.text)
	}
	odd.texts = capped(odd.texts)
	if len(odd.texts) == 0 {
		odd.texts = []string{"none"}
	}
	sh.parts = append(sh.parts, groups, odd)
	sh.notes = append(sh.notes, "faster from: the number of clients from which on, for all greater ones measured, the version stays faster. !: an odd step.")
	if single {
		sh.notes = append(sh.notes, "Of single runs, faster and slower are ratios beyond the metric's threshold, and odd is what lies beyond both neighbours by more than 5%, or than three times the zigzag of the version's other lines.")
	}
	return sh
}

// sweepTables parts the lines into those of one table: the same host, group and
// version.
func sweepTables(lines []compare.SweepLine) (tables [][]compare.SweepLine) {
	type key struct{ host, group, version, driver, protocol string }
	at := map[key]int{}
	for _, l := range lines {
		k := key{l.Host, l.Group, l.Version, l.Driver, l.Protocol}
		i, ok := at[k]
		if !ok {
			i = len(tables)
			at[k] = i
			tables = append(tables, nil)
		}
		tables[i] = append(tables[i], l)
	}
	for _, t := range tables { // the median of a group comes before its workloads
		slices.SortStableFunc(t, func(a, b compare.SweepLine) int { return statRank(a.Stat) - statRank(b.Stat) })
	}
	return tables
}

func statRank(stat string) int {
	return slices.Index([]string{compare.OfMost, compare.OfAll, compare.OfWorkload}, stat)
}

// sweepPlace tells tables apart that differ in host, driver or protocol.
func sweepPlace(lines []compare.SweepLine, of compare.SweepLine) string {
	var texts []string
	differs := func(get func(compare.SweepLine) string) {
		if slices.ContainsFunc(lines, func(l compare.SweepLine) bool { return get(l) != get(of) }) {
			texts = append(texts, get(of))
		}
	}
	differs(func(l compare.SweepLine) string { return l.Host })
	differs(func(l compare.SweepLine) string { return l.Driver })
	differs(func(l compare.SweepLine) string { return l.Protocol })
	return strings.Join(texts, ", ")
}

func onHost(lines []compare.SweepLine, l compare.SweepLine, text string) string {
	if place := sweepPlace(lines, l); place != "" {
		return place + ": " + text
	}
	return text
}
