package compare

import (
	"fmt"
	"iter"
	"slices"

	"opcost/perfctl/result"
)

// Rows is a comparison whose rows are made one after the other, as they are
// asked for, and not kept: a report of 20,000 runs with all their metrics has
// hundreds of MB of them. It is [Build] in pieces. The rows can be made once.
type Rows struct {
	b        *builder
	previous bool
	pairs    []pair
	judged   map[*cell]judged
	notes    notes // whole when all rows have been made
}

// judged is what carries a row's verdict. It is settled before any row is made,
// as the verdicts of a report depend on each other.
type judged struct {
	base    *cell  // nil: there is none
	primary string // "" where no metric can
	r       *R     // nil: no ratio
}

// Open compares runs, up to the verdicts.
func Open(runs []result.Run, o Options) *Rows {
	return newBuilder(runs, o).rows(o.Previous)
}

func (b *builder) rows(previous bool) *Rows {
	rs := &Rows{b: b, previous: previous, pairs: b.pairs(previous), judged: make(map[*cell]judged, len(b.all)), notes: b.found.clone()}
	t := newTables()
	var primary []contrast
	of := make(map[*cell]*cell, len(rs.pairs))
	for _, p := range rs.pairs {
		of[p.cell] = p.base
	}
	for _, c := range b.all {
		j := judged{base: of[c], primary: b.primary(c, of[c])}
		if j.base != nil && j.primary != "" && sameSize(c, j.base) {
			if ct, _, ok := b.contrast(j.primary, c, j.base, b.fdr()/float64(len(of)), t); ok {
				j.r = new(R)
				ct.into = j.r
				primary = append(primary, ct)
			}
		}
		rs.judged[c] = j
	}
	verdicts(primary, b.fdr())
	return rs
}

// Head is the report without its rows and warnings.
func (rs *Rows) Head() Report {
	base := rs.b.base
	if rs.previous {
		base = ""
	}
	return Report{Schema: Schema, Base: base, Versions: append([]string{}, rs.b.versions...), Rows: []Row{}, Warnings: []result.Warning{}}
}

// Warnings are the report's, once all of its rows have been made.
func (rs *Rows) Warnings() []result.Warning {
	b := rs.b
	ws := unlike(rs.pairs)
	if len(b.versions) > 0 && !rs.previous && !slices.Contains(b.versions, b.base) {
		ws = append(ws, result.Warning{Code: "base", Text: fmt.Sprintf("no run is of the base %q, so there are no ratios; there are: %s", b.base, joined(b.versions))})
	}
	ws = append(ws, mixed(b.all)...)
	ws = append(ws, rs.notes.warnings()...)
	return append(append([]result.Warning{}, ws...), recorded(b.all)...)
}

// report makes all the rows.
func (rs *Rows) report() Report {
	r := rs.Head()
	r.Rows = make([]Row, 0, len(rs.b.all))
	for row := range Each(rs, func(row Row) Row { return row }) {
		r.Rows = append(r.Rows, row)
	}
	r.Warnings = rs.Warnings()
	return r
}

// Each makes the rows in their order, and of each what do makes of it. Do is
// called from several goroutines, on rows that no one else has.
func Each[T any](rs *Rows, do func(Row) T) iter.Seq[T] {
	type made struct {
		rows  []T
		notes notes
	}
	return func(yield func(T) bool) {
		for m := range inOrder(len(rs.b.families), func() func(int) made {
			t := newTables()
			return func(i int) (m made) {
				for _, row := range rs.family(rs.b.families[i], t, &m.notes) {
					m.rows = append(m.rows, do(row))
				}
				return m
			}
		}) {
			rs.notes.merge(m.notes)
			for _, row := range m.rows {
				if !yield(row) {
					return
				}
			}
		}
	}
}

// family makes the rows of cells that are compared with each other.
func (rs *Rows) family(k *kin, t *tables, ns *notes) []Row {
	for _, c := range k.cells {
		if c.packed != nil {
			c.unpack()
		}
	}
	rows := make([]Row, 0, len(k.cells))
	for _, c := range k.cells {
		rows = append(rows, rs.row(c, t, ns))
	}
	if rs.b.options.Whole != nil {
		for _, c := range k.cells {
			c.metrics = nil
		}
	}
	return rows
}

func (rs *Rows) row(c *cell, t *tables, ns *notes) Row {
	b, j := rs.b, rs.judged[c]
	row := Row{
		Host: c.host, Version: c.version, Workload: c.workload, Group: c.group, Clients: c.clients,
		Protocol: c.protocol, Driver: c.driver, Runs: c.starts, Primary: j.primary,
		Metrics: make(map[string]M, len(c.metrics)), VsBase: map[string]R{},
	}
	names := make([]string, 0, len(c.metrics))
	for name, e := range c.metrics {
		if b.options.Only != nil && !slices.Contains(b.options.Only, name) {
			continue
		}
		if e.Method == "" { // else it was found for another report of the same metrics
			s, known := b.noise.of(e.measure(name), c.kin)
			e.interval(t, s, known)
		}
		row.Metrics[name] = e.M
		names = append(names, name)
	}
	if j.base == nil {
		return row
	}
	if !sameSize(c, j.base) {
		ns.add(c.String(), unlikeSize(c, j.base))
		return row
	}
	if rs.previous {
		row.Against = j.base.version
	}
	row.VsBase = make(map[string]R, len(names))
	slices.Sort(names)
	for _, name := range names {
		if name == j.primary {
			if j.r != nil {
				row.VsBase[name] = *j.r
			}
			continue
		}
		ct, why, ok := b.contrast(name, c, j.base, alpha, t)
		if why != nil {
			ns.add(c.String(), *why)
		}
		if ok {
			var r R
			ct.into = &r
			ct.settle(alpha)
			row.VsBase[name] = r
		}
	}
	return row
}
