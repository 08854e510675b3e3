package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"opcost/perfctl/result"
)

// Build compares runs. Whatever is doubtful about them becomes a warning in the
// report; runs that cannot be compared still give their own values.
func Build(runs []result.Run, o Options) Report {
	base, order := planned(runs)
	if o.Order == nil {
		o.Order = order
	}
	if o.Base == "" {
		o.Base = base
	}
	versions := versionsOf(runs, o.Order)
	b := builder{
		options: o,
		base:    o.Base,
		all:     cells(runs, versions),
		table:   newMetricTable(),
		tables:  newTables(),
	}
	if b.base == "" && len(versions) > 0 {
		b.base = versions[0]
	}
	for _, c := range b.all {
		b.notes.add(c.String(), c.summarise()...)
	}
	b.noise = noise(b.all, o.NoiseFloor)
	for _, c := range b.all {
		for name, e := range c.metrics {
			s, known := b.noise(e.measure(name), c.family())
			e.interval(b.tables, s, known)
		}
	}
	rows := b.compare()

	warnings := unlike(b.pairs(), b.base)
	if len(versions) > 0 && !slices.Contains(versions, b.base) {
		warnings = append(warnings, result.Warning{Code: "base", Text: fmt.Sprintf("no run is of the base %q, so there are no ratios; there are: %s", b.base, joined(versions))})
	}
	warnings = append(warnings, mixed(b.all)...)
	warnings = append(warnings, b.notes.warnings()...)
	warnings = append(warnings, recorded(b.all)...)
	return Report{Schema: Schema, Base: b.base, Versions: append([]string{}, versions...), Rows: rows, Warnings: append([]result.Warning{}, warnings...)}
}

// builder holds one comparison while it is made.
type builder struct {
	options Options
	base    string
	all     []*cell
	table   metricTable
	tables  *tables
	noise   noiseOf
	notes   notes
}

// pair is a cell and the base's cell that it is compared with.
type pair struct{ cell, base *cell }

// pairs finds for each cell the base's: the same host, workload, clients and
// driver, and the same protocol, or the only other one the base has.
func (b *builder) pairs() []pair {
	bases := map[family][]*cell{}
	for _, c := range b.all {
		if c.version == b.base {
			bases[c.family()] = append(bases[c.family()], c)
		}
	}
	var ps []pair
	for _, c := range b.all {
		if c.version == b.base {
			continue
		}
		candidates := bases[c.family()]
		i := slices.IndexFunc(candidates, func(x *cell) bool { return x.protocol == c.protocol })
		switch {
		case i >= 0:
			ps = append(ps, pair{c, candidates[i]})
		case len(candidates) == 1:
			ps = append(ps, pair{c, candidates[0]})
		}
	}
	return ps
}

// compare makes the rows with their ratios and verdicts.
func (b *builder) compare() []Row {
	of := map[*cell]*cell{}
	for _, p := range b.pairs() {
		of[p.cell] = p.base
	}
	primaries := map[*cell]string{}
	for _, c := range b.all {
		primaries[c] = b.primary(c, of[c])
	}
	strictest := b.fdr() / max(1, float64(len(of)))

	rows := make([]Row, 0, len(b.all))
	var primary []contrast
	for _, c := range b.all {
		row := Row{
			Host: c.host, Version: c.version, Workload: c.workload, Group: c.group, Clients: c.clients,
			Protocol: c.protocol, Driver: c.driver, Runs: c.starts, Primary: primaries[c],
			Metrics: make(map[string]M, len(c.metrics)), VsBase: map[string]R{},
		}
		for name, e := range c.metrics {
			row.Metrics[name] = e.M
		}
		base := of[c]
		if base != nil && b.sameSize(c, base) {
			for _, name := range slices.Sorted(maps.Keys(c.metrics)) {
				if ct, ok := b.contrast(name, c, base, name == row.Primary, strictest); ok {
					ct.into = row.VsBase
					if name == row.Primary {
						primary = append(primary, ct)
					} else {
						ct.settle(alpha)
					}
				}
			}
		}
		rows = append(rows, row)
	}
	verdicts(primary, b.fdr())
	return rows
}

func (b *builder) fdr() float64 {
	if b.options.FDR > 0 {
		return b.options.FDR
	}
	return alpha
}

// contrast makes the ratio of one metric, or says that none may be taken.
func (b *builder) contrast(name string, c, base *cell, primary bool, strictest float64) (contrast, bool) {
	e, ok := c.usable(name)
	eb, okBase := base.usable(name)
	if !ok || !okBase {
		return contrast{}, false
	}
	m := e.measure(name)
	if mb := eb.measure(name); m != mb {
		b.notes.add(c.String(), result.Warning{Code: "source", Text: fmt.Sprintf("%s: no ratio, since %s (%s, per %s) and %s (%s, per %s) count unlike things",
			name, c.version, m, m.per, base.version, mb, mb.per)})
		return contrast{}, false
	}
	if *e.Value <= 0 || *eb.Value <= 0 {
		return contrast{}, false // nothing over something, or something over nothing
	}
	if !primary {
		strictest = alpha
	}
	known := b.table.of(name)
	r := R{Ratio: *e.Value / *eb.Value, Threshold: known.Threshold}
	if b.options.Threshold > 0 {
		r.Threshold = b.options.Threshold
	}
	return contrast{
		shift:  newShift(e, eb, b.noise, m, c.family(), strictest, b.tables),
		metric: known, r: r, barred: barred(known, e, eb, c), unproven: unproven(known, c, base),
	}, finite(r.Ratio) && r.Ratio > 0
}

// barred says why a ratio may not have a verdict; "" when it may.
func barred(m Metric, e, base *estimate, c *cell) string {
	switch {
	case m.Sense == Neither:
		return "more of it is neither slower nor faster"
	case c.driver == Attached:
		return "a window of a live load: how much such windows differ by themselves is not known"
	case e.State == result.Partial || base.State == result.Partial:
		return "partial: " + cmp.Or(e.Reason, base.Reason, "not the whole window was counted")
	case e.Source == result.SourceImport && (e.N == 1 || base.N == 1):
		return "a single imported run tells nothing of the noise"
	case e.Source == result.SourceCallgrind && c.writes():
		return "callgrind: reads only for verdicts, since background threads make writes vary 7-9%"
	}
	return ""
}

// primary chooses the metric that carries the row's verdict: instructions/query,
// else CPU/query.
func (b *builder) primary(c, base *cell) string {
	if base == nil {
		base = c
	}
	for _, name := range []string{"instructions_per_query", "cpu_us_per_query"} {
		e, ok := c.usable(name)
		eb, okBase := base.usable(name)
		if ok && okBase && e.measure(name) == eb.measure(name) && barred(b.table.of(name), e, eb, c) == "" {
			return name
		}
	}
	return ""
}

// sameSize: a cost on more rows is another cost.
func (b *builder) sameSize(c, base *cell) bool {
	tables, rows := c.size()
	baseTables, baseRows := base.size()
	if tables == baseTables && rows == baseRows {
		return true
	}
	b.notes.add(c.String(), result.Warning{Code: "size", Text: fmt.Sprintf("no ratios, since %s has %d x %d rows and %s has %d x %d rows",
		c.version, tables, rows, base.version, baseTables, baseRows)})
	return false
}
