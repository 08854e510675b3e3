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

// Costs names the units of a table of costs per operation.
type Costs string

const (
	// CostsHost are Small Datum's: the whole host over the operations a second.
	CostsHost Costs = "host"
	// CostsQuery are ours: the server process per query.
	CostsQuery Costs = "query"
)

// ParseCosts finds units by name; its error lists the ones there are.
func ParseCosts(name string) (Costs, error) {
	switch c := Costs(name); c {
	case CostsHost, CostsQuery:
		return c, nil
	}
	return "", fmt.Errorf("costs %q are not known; there are: host (cpu/o, cs/o, ... of the whole machine), query (of the server alone)", name)
}

// Metrics of the table, in the order of its columns.
func (c Costs) Metrics() []string {
	if c == CostsHost {
		return []string{"cpu/o", "cs/o", "r/o", "rKB/o", "wKB/o", "o/s"}
	}
	return []string{"instructions_per_query", "cpu_us_per_query", "context_switches_per_query", "syscalls_per_query", "read_kb_per_query", "write_kb_per_query", "qps"}
}

func (c Costs) heads() []string {
	if c == CostsHost {
		return c.Metrics()
	}
	return []string{"instr/query", "CPU µs/q", "switches/q", "syscalls/q", "read kB/q", "written kB/q", "qps"}
}

// digits writes a value as Small Datum does in his columns, ours as in other tables.
func (c Costs) digits(metric string, v float64) string {
	if c == CostsQuery {
		return number(v)
	}
	switch metric {
	case "cpu/o":
		return strconv.FormatFloat(v, 'f', 6, 64)
	case "o/s":
		return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	}
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(v, 'f', 3, 64), "0"), ".")
}

// costBlock is one workload in one place: a row a version.
type costBlock struct {
	title string
	rows  []compare.Row
}

func costBlocks(r compare.Report) (bs []costBlock) {
	at := map[blockKey]int{}
	hosts := map[string]bool{}
	for _, row := range r.Rows {
		hosts[row.Host] = true
	}
	for _, row := range r.Rows {
		k := blockKey{row.Host, row.Workload, row.Clients, row.Driver}
		i, ok := at[k]
		if !ok {
			i = len(bs)
			at[k] = i
			title := fmt.Sprintf("%s, %s", row.Workload, compare.ClientsText(row.Clients))
			if len(hosts) > 1 {
				title += ", " + row.Host
			}
			bs = append(bs, costBlock{title: title})
		}
		bs[i].rows = append(bs[i].rows, row)
	}
	return bs
}

// WriteCosts lays costs per operation out as Small Datum's `o.met` files do: a
// workload's values, a row a version, and below them their ratios to the base.
// A ratio to 0 is no number: it is "-".
func WriteCosts(w io.Writer, f Format, r compare.Report, c Costs, l Layout) error {
	w = forJSON(w, f)
	switch f {
	case Table, Markdown:
		return costSheet(r, c).write(w, f, l)
	case TSV:
		return writeMet(w, r, c)
	case CSV:
		return writeLines(w, f, costLines(r, c))
	case JSON:
		return encodeJSON(w, r)
	}
	return noLayout("tables of costs", f)
}

func (c Costs) cells(row compare.Row) (values, ratios []string) {
	for _, m := range c.Metrics() {
		value, ratio := "-", "-"
		if v := row.Metrics[m].Value; v != nil {
			value = c.digits(m, *v)
		}
		if v, ok := row.VsBase[m]; ok {
			ratio = twoDecimals(v.Ratio)
		}
		values, ratios = append(values, value), append(ratios, ratio)
	}
	return values, ratios
}

func writeMet(w io.Writer, r compare.Report, c Costs) error {
	var b strings.Builder
	for _, block := range costBlocks(r) {
		fmt.Fprintf(&b, "%s\n--- absolute\n%s\tdbms\n", guard(block.title), strings.Join(c.heads(), "\t"))
		for _, row := range block.rows {
			values, _ := c.cells(row)
			fmt.Fprintf(&b, "%s\t%s\n", strings.Join(values, "\t"), guard(row.Version))
		}
		fmt.Fprintf(&b, "--- relative to %s\n", plain(relativeTo(r.Base)))
		for _, row := range block.rows {
			if len(row.VsBase) > 0 {
				_, ratios := c.cells(row)
				fmt.Fprintf(&b, "%s\t%s\n", strings.Join(ratios, "\t"), guard(row.Version))
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func costLines(r compare.Report, c Costs) [][]string {
	header := []string{"host", "workload", "group", "clients", "version"}
	header = append(header, c.Metrics()...)
	for _, m := range c.Metrics() {
		header = append(header, "ratio "+m)
	}
	lines := [][]string{header}
	for _, row := range r.Rows {
		line := []string{guard(row.Host), guard(row.Workload), guard(row.Group), strconv.Itoa(row.Clients), guard(row.Version)}
		var ratios []string
		for _, m := range c.Metrics() {
			line = append(line, digits(row.Metrics[m].Value))
			if v, ok := row.VsBase[m]; ok {
				ratios = append(ratios, digits(&v.Ratio))
			} else {
				ratios = append(ratios, "")
			}
		}
		lines = append(lines, append(line, ratios...))
	}
	return lines
}

func costSheet(r compare.Report, c Costs) *sheet {
	s := newSheet(r.Warnings)
	for _, block := range costBlocks(r) {
		m := matrix{title: block.title, columns: c.heads()}
		var ratioRows []matrixRow
		for _, row := range block.rows {
			values, ratios := c.cells(row)
			m.rows = append(m.rows, matrixRow{label: row.Version, cells: values})
			if len(row.VsBase) > 0 {
				label := row.Version + " / " + relativeTo(r.Base)
				if row.Against != "" {
					label = row.Version + " / " + row.Against
				}
				ratioRows = append(ratioRows, matrixRow{label: label, cells: ratios, rule: true})
			}
		}
		m.rows = append(m.rows, ratioRows...)
		m.dropEmpty("-")
		s.parts = append(s.parts, m)
	}
	if c == CostsHost {
		s.notes = append(s.notes, "cpu/o: percent of all the host's CPUs, in user and system, over the operations a second: µs of host CPU per operation = cpu/o × CPUs × 10,000. The client is counted in. cs/o, r/o, rKB/o, wKB/o: the host's context switches, reads, kB read and kB written per operation.")
	}
	return s
}

// dropEmpty leaves columns out in which no row has anything to say.
func (m *matrix) dropEmpty(nothing string) {
	for c := len(m.columns) - 1; c >= m.keep; c-- {
		if slices.ContainsFunc(m.rows, func(r matrixRow) bool { return r.cells[c] != nothing && r.cells[c] != "" }) {
			continue
		}
		m.columns = slices.Delete(slices.Clone(m.columns), c, c+1)
		for i := range m.rows {
			m.rows[i].cells = slices.Delete(slices.Clone(m.rows[i].cells), c, c+1)
		}
	}
}
