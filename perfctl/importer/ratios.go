package importer

import (
	"fmt"
	"slices"
	"strings"

	"opcost/perfctl/importer/smalldatum"
)

// fromRatios checks tables of ratios against the numbers that they are of. Where
// these are not there, the ratios are what is kept: as the reading
// qps_relative, which is 1 for the table's base by definition. QPS cannot be
// made of them.
func (b *batch) fromRatios(ratios []table) {
	abs := b.absolute()
	for _, t := range ratios {
		if t.file.Servers == nil {
			continue // csv: the tsv beside it says the same, and more
		}
		b.ratioTable(t, abs)
	}
	b.lonely(ratios)
}

// lonely names csv files of ratios that no tsv stands beside.
func (b *batch) lonely(ratios []table) {
	for _, t := range ratios {
		if t.file.Servers != nil {
			continue
		}
		stem := strings.TrimSuffix(t.from.name, ".csv")
		if !slices.ContainsFunc(ratios, func(o table) bool {
			return o.file.Servers != nil && o.from.set == t.from.set && strings.HasPrefix(o.from.name, stem+".")
		}) {
			b.warn(CodeFailed, "%s: ratios without the names of the servers; give the tsv beside it", t.from.path)
		}
	}
}

func (b *batch) ratioTable(t table, abs map[string]smalldatum.Cell) {
	key := func(c smalldatum.Cell, server string) string {
		return fmt.Sprint(t.from.set, "\n", c.Test, "\n", server, "\n", t.column(c))
	}
	off, first := 0, ""
	columns := byServer(t.file)
	baseName := t.file.Base
	var lacking [][]smalldatum.Cell
	var names []string
	for i, name := range columns.names {
		if other, twin := b.twin(t, name, columns.cells[i]); twin {
			b.warn("import_twin", "%s: %s has the ratios of %s in the same folder, and is left out", t.from.path, name, other)
			continue
		}
		var kept []smalldatum.Cell
		for _, c := range columns.cells[i] {
			of, ok := abs[key(c, name)]
			den, okBase := abs[key(c, baseName)]
			switch {
			case !ok || !okBase || baseName == "":
				kept = append(kept, c)
			case !smalldatum.Agrees(c, of, den):
				if off++; off == 1 {
					first = fmt.Sprintf("%s of %s is %s, and %s/%s is %.4f", c.Test, name, c.Text, of.Text, den.Text, of.Value/den.Value)
				}
			}
		}
		if len(kept) > 0 {
			lacking, names = append(lacking, kept), append(names, name)
		}
	}
	if off > 0 {
		b.warn("import_ratio", "%s: %d of its ratios are not those of the absolute numbers beside it, as %s; the absolute ones are used", t.from.path, off, first)
	}
	if len(names) == 0 {
		return
	}
	if baseName == "" {
		if !b.hasTable(t.from.set) {
			b.warn(CodeFailed, "%s: ratios to a server that the file does not name (no line \"Relative to:\"); give the file of absolute numbers", t.from.path)
		}
		return
	}
	b.bases = append(b.bases, t.server(baseName).Raw)
	var ones []smalldatum.Cell
	type place struct {
		test, host string
		clients    int
	}
	has := map[place]bool{}
	for i, name := range names {
		cells := relative(lacking[i])
		b.table(t, name, cells)
		for _, c := range cells {
			if p := (place{c.Test, c.Host, c.Clients}); !has[p] {
				has[p] = true
				c.Text, c.Value = "1", 1
				ones = append(ones, c)
			}
		}
	}
	b.table(t, baseName, ones)
}

func relative(cells []smalldatum.Cell) []smalldatum.Cell {
	out := slices.Clone(cells)
	for i := range out {
		out[i].Metric = "qps_relative"
	}
	return out
}

// column is the place of a number among the numbers of clients; 0 in tables that
// have none.
func (t table) column(c smalldatum.Cell) int {
	if t.byClients() {
		return c.Column
	}
	return 0
}

// absolute is every number of QPS by folder, test, server and column.
func (b *batch) absolute() map[string]smalldatum.Cell {
	abs := map[string]smalldatum.Cell{}
	for _, t := range b.tables {
		if t.file.Kind != smalldatum.QPS || t.file.Servers == nil {
			continue
		}
		for _, c := range t.file.Cells {
			abs[fmt.Sprint(t.from.set, "\n", c.Test, "\n", c.Server, "\n", t.column(c))] = c
		}
	}
	return abs
}

// hasTable tells whether a folder has absolute numbers.
func (b *batch) hasTable(set string) bool {
	return slices.ContainsFunc(b.tables, func(t table) bool { return t.from.set == set && t.file.Kind == smalldatum.QPS })
}
