package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"opcost/perfctl/importer/smalldatum"
)

// fromTables makes pieces of Small Datum's tables. Tables that name their
// servers come first, the widest of them, so that what follows can be
// recognised: csv repeats a tsv, and one table another's columns.
func (b *batch) fromTables() {
	b.sameServers()
	order := slices.Clone(b.tables)
	slices.SortStableFunc(order, func(x, y table) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(len(y.file.Servers), len(x.file.Servers)))
	})
	var ratios []table
	for _, t := range order {
		b.placed(t)
		if t.file.Kind == smalldatum.QPSRelative {
			ratios = append(ratios, t)
			continue
		}
		b.columns(t)
	}
	b.fromRatios(ratios)
}

// columns takes the numbers of each server of a table.
func (b *batch) columns(t table) {
	of := byServer(t.file)
	for i, name := range of.names {
		if other, twin := b.twin(t, name, of.cells[i]); twin {
			if name != "" {
				b.warn("import_twin", "%s: %s has the numbers of %s in the same folder, and is left out", t.from.path, name, other)
			}
			continue
		}
		if name == "" {
			var err error
			if name, err = b.columnName(t, i, len(of.names)); err != nil {
				b.warn(CodeFailed, "%s: %v", t.from.path, err)
				return
			}
		}
		if !b.table(t, name, of.cells[i]) {
			return
		}
	}
}

func rank(t table) int {
	switch {
	case t.file.Servers == nil && t.file.Kind != smalldatum.OneTest:
		return 2
	case t.file.Kind == smalldatum.PerOp:
		return 1
	}
	return 0
}

// servers of a file, and the numbers of each.
type servers struct {
	names []string
	cells [][]smalldatum.Cell
}

func byServer(f smalldatum.File) servers {
	var c servers
	index := map[string]int{}
	for _, cell := range f.Cells {
		if cell.Relative && f.Kind != smalldatum.QPSRelative {
			continue // the file's own ratios are of no further use
		}
		key := cell.Server
		if key == "" && f.Kind != smalldatum.OneTest {
			key = fmt.Sprint("column ", cell.Column)
		}
		at, ok := index[key]
		if !ok {
			at = len(c.names)
			index[key] = at
			c.names = append(c.names, cell.Server)
			c.cells = append(c.cells, nil)
		}
		c.cells[at] = append(c.cells[at], cell)
	}
	return c
}

// columnName is the name that was given for a column without one.
func (b *batch) columnName(t table, column, of int) (string, error) {
	if t.file.Kind == smalldatum.OneTest {
		return "", nil // its name may tell
	}
	plain := slices.DeleteFunc(slices.Clone(b.options.Versions), func(v string) bool { return strings.Contains(v, "=") })
	if len(plain) != of {
		return "", fmt.Errorf("its %d columns have no names: give the tsv beside it, or a --version for each, in order", of)
	}
	return plain[column], nil
}

// table makes pieces of one server's numbers: one a test and number of clients.
// It tells whether it could; why not is a warning.
func (b *batch) table(t table, server string, cells []smalldatum.Cell) bool {
	type key struct {
		test, host      string
		clients, column int
	}
	at := map[key]int{}
	var ps []piece
	for _, c := range cells {
		if !c.Known() {
			continue
		}
		k := key{test: c.Test, host: c.Host, clients: c.Clients}
		if t.byClients() {
			k.column = c.Column
		}
		i, ok := at[k]
		if !ok {
			p, err := b.tablePiece(t, server, c)
			if err != nil {
				b.warn(CodeFailed, "%s, line %d: %v", t.from.path, c.Line, err)
				return false
			}
			i = len(ps)
			at[k] = i
			ps = append(ps, p)
		}
		if unit, ok := units[c.Metric]; ok {
			ps[i].window.Readings = append(ps[i].window.Readings, gauge(c.Metric, c.Value, unit))
		}
	}
	for _, p := range ps {
		b.add(p)
	}
	return true
}

// byClients: its lines hold a number for each number of clients.
func (t table) byClients() bool {
	return t.file.Servers != nil && len(t.file.Cells) > 0 && strings.HasPrefix(t.file.Cells[0].Test, "sb.") && t.file.Cells[0].Metric == "qps"
}

func (b *batch) tablePiece(t table, server string, c smalldatum.Cell) (piece, error) {
	p := piece{from: t.from, facts: factsOf(*t.from), host: c.Host, driver: "sysbench", window: windowOf(t.from)}
	p.server = t.server(server)
	p.clients = cmp.Or(c.Clients, p.server.Clients)
	if c.Test != "" {
		test, ok := smalldatum.ParseTest(c.Test)
		if !ok && t.file.Own {
			test, ok = smalldatum.Test{Name: c.Test}, true
		}
		if !ok {
			return p, fmt.Errorf("the test's name %q is not understood", c.Test)
		}
		p.test = test
		p.clients = cmp.Or(p.clients, test.Clients)
	}
	if t.byClients() {
		n := t.widths[c.Line]
		switch {
		case len(b.options.Clients) == n:
			p.clients = b.options.Clients[c.Column]
		case n > 1:
			return p, fmt.Errorf("it holds %d numbers, one a number of clients that the file does not name: give --clients, as in --clients 1,2,4 for three", n)
		}
	}
	p.text, p.line = t.lines(c.Line), c.Line
	return p, nil
}

// server is what a name in the table tells; opcost's own stay as they are.
func (t table) server(name string) smalldatum.Server {
	s := smalldatum.ParseServer(name)
	if t.file.Own && s.Number != name {
		return smalldatum.Server{Raw: name}
	}
	return s
}

// lines is the evidence for a number: its line, and where it stands.
func (t table) lines(n int) string {
	line := ""
	if n >= 1 && n <= len(t.text) {
		line = strings.TrimRight(t.text[n-1], "\r")
	}
	return fmt.Sprintf("%s, line %d:\n%s\n", t.from.name, n, line)
}

// placed notes the servers in the order in which the tables show them.
func (b *batch) placed(t table) {
	if t.file.Base != "" {
		b.place(t.server(t.file.Base).Raw)
	}
	for _, s := range t.file.Servers {
		b.place(t.server(s).Raw)
	}
}

func (b *batch) place(raw string) {
	if !slices.Contains(b.order, raw) {
		b.order = append(b.order, raw)
	}
}
