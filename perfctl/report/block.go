package report

import (
	"fmt"
	"slices"
	"strings"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// block is one workload with one client count on one host: a column a version.
type block struct {
	title   string
	columns []column // the base first
	rows    []row
}

type column struct {
	name string
	base bool
}

// row is one metric of a block.
type row struct {
	label string
	part  bool // of the row above
	cells []cell
}

// cell is one metric of one version, as text.
type cell struct {
	value   string // with its mark and interval, or - and a footnote's letter
	ratio   string // to the base; "" for the base itself, or where there is none
	verdict compare.Verdict
}

// blockKey is what the rows of a block share.
type blockKey struct {
	host, workload string
	clients        int
	driver         string
}

// blocks arranges a report's rows, in their order, and notes on the way what has
// to be explained below.
func blocks(r compare.Report, e *explanations) []block {
	var order []blockKey
	by := map[blockKey][]compare.Row{}
	hosts, drivers := map[string]bool{}, map[string]bool{}
	for _, row := range r.Rows {
		k := blockKey{row.Host, row.Workload, row.Clients, row.Driver}
		if by[k] == nil {
			order = append(order, k)
		}
		by[k] = append(by[k], row)
		hosts[row.Host], drivers[row.Driver] = true, true
	}
	var bs []block
	for _, k := range order {
		bs = append(bs, newBlock(r, k, by[k], len(hosts) > 1, len(drivers) > 1, e))
	}
	return bs
}

func newBlock(r compare.Report, k blockKey, rows []compare.Row, showHost, showDriver bool, e *explanations) block {
	place := func(v string) int {
		if v == r.Base {
			return -1
		}
		return slices.Index(r.Versions, v)
	}
	slices.SortStableFunc(rows, func(a, b compare.Row) int { return place(a.Version) - place(b.Version) })

	protocols, starts := map[string]bool{}, map[int]bool{}
	for _, row := range rows {
		protocols[row.Protocol], starts[row.Runs] = true, true
	}
	parts := []string{plain(k.workload)}
	if k.clients > 0 {
		parts = append(parts, compare.ClientsText(k.clients))
	}
	if len(protocols) == 1 && rows[0].Protocol != "" {
		parts = append(parts, plain(rows[0].Protocol))
	}
	if showDriver && k.driver != "" {
		parts = append(parts, plain(k.driver))
	}
	if showHost && k.host != "" {
		parts = append(parts, "on "+plain(k.host))
	}
	if len(starts) == 1 && k.driver != compare.Attached {
		parts = append(parts, startsText(rows[0].Runs))
	}
	b := block{title: strings.Join(parts, ", ")}
	for _, row := range rows {
		c := column{name: plain(row.Version), base: row.Version == r.Base}
		if len(protocols) > 1 {
			c.name += " (" + plain(row.Protocol) + ")"
		}
		if len(starts) > 1 {
			c.name += fmt.Sprintf(" (%s)", startsText(row.Runs))
		}
		b.columns = append(b.columns, c)
	}
	for _, l := range linesFor(k.driver) {
		if !shown(l, rows) {
			continue
		}
		b.rows = append(b.rows, newRow(l, rows, e))
	}
	return b
}

// shown: some version has the metric, with a value or with the reason why not.
// A part is not shown where its whole has no value, nor the user part where
// nothing else was counted.
func shown(l line, rows []compare.Row) bool {
	here, whole, kernel := false, l.part == "", false
	for _, r := range rows {
		_, ok := r.Metrics[l.metric]
		here = here || ok
		whole = whole || r.Metrics[l.part].Value != nil
		kernel = kernel || r.Metrics["instructions_kernel_per_query"].Value != nil
	}
	if l.metric == "instructions_user_per_query" || l.metric == "instructions_kernel_per_query" {
		return here && whole && kernel
	}
	return here && whole
}

func newRow(l line, rows []compare.Row, e *explanations) row {
	per := ""
	out := row{part: l.part != ""}
	for _, r := range rows {
		m, ok := r.Metrics[l.metric]
		if ok {
			per = m.Per
		}
		out.cells = append(out.cells, newCell(l, r, m, ok, e))
	}
	out.label = l.text(per)
	if unit := rows[0].Metrics[l.metric].Unit; l.metric == "qps" && unit != "" && unit != "statement" {
		out.label = plural(unit) + "/s"
	}
	return out
}

func newCell(l line, r compare.Row, m compare.M, ok bool, e *explanations) cell {
	if !ok {
		return cell{value: "-"}
	}
	if m.Value == nil {
		return cell{value: "- (" + e.absent(m) + ")"}
	}
	c := cell{value: e.mark(m) + number(*m.Value)}
	if pm := plusMinus(m); pm != "" {
		c.value += " " + pm
		if m.Method == compare.EdgesMethod {
			e.edges = true
		} else {
			e.intervals = true
		}
	}
	if l.part == "" {
		e.source(l.metric, m)
		e.fewer(l.metric, m, r)
	}
	if v, ok := r.VsBase[l.metric]; ok {
		c.ratio = ratio(v)
		e.unjudged(l.metric, v, r)
		if v.Method == compare.EdgesMethod {
			e.edgeRatios = true
		} else {
			e.ratios = e.ratios || v.Low != nil
		}
		if l.metric == r.Primary {
			c.verdict = v.Verdict
		}
	}
	return c
}

func startsText(n int) string {
	if n == 1 {
		return "1 server start"
	}
	return fmt.Sprintf("%d server starts", n)
}

// stateText is a state in words.
func stateText(s result.State) string {
	switch s {
	case result.NotCounted:
		return "not counted"
	case result.Unsupported:
		return "not supported"
	}
	return string(s)
}
