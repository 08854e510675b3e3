package compare

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"opcost/perfctl/result"
)

// Build compares runs. Whatever is doubtful about them becomes a warning in the
// report; runs that cannot be compared still give their own values.
func Build(runs []result.Run, o Options) Report {
	return newBuilder(runs, o).report(o.Previous)
}

// BuildBoth compares runs with the base, and with the release before each; the
// metrics are worked out once.
func BuildBoth(runs []result.Run, o Options) (toBase, toPrevious Report) {
	b := newBuilder(runs, o)
	return b.report(false), b.report(true)
}

// newBuilder works out what each cell's metrics are, with their intervals.
func newBuilder(runs []result.Run, o Options) *builder {
	base, order := planned(runs)
	if o.Order == nil {
		o.Order = order
	}
	if o.Base == "" {
		o.Base = base
	}
	versions := versionsOf(runs, o.Order)
	found := releases(runs)
	if o.ByNumber && o.Order == nil {
		versions = byNumber(versions, found)
	}
	b := &builder{
		options:  o,
		base:     o.Base,
		versions: versions,
		releases: found,
		all:      cells(runs, versions),
		table:    newMetricTable(),
		tables:   newTables(),
	}
	if b.base == "" && len(versions) > 0 {
		b.base = versions[0]
	}
	b.summarise()
	b.noise = noise(b.all, o.NoiseFloor)
	for _, c := range b.all {
		for name, e := range c.metrics {
			s, known := b.noise(e.measure(name), c.family())
			e.interval(b.tables, s, known)
		}
	}
	return b
}

// summarise works out the cells' metrics, on all CPUs.
func (b *builder) summarise() {
	keep := keptMetrics(b.options)
	notes := make([][]result.Warning, len(b.all))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(b.all)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(b.all); i = int(next.Add(1)) - 1 {
				notes[i] = b.all[i].summarise(keep)
				if b.options.Consume {
					b.all[i].consume()
				}
			}
		})
	}
	wg.Wait()
	for i, c := range b.all {
		b.found.add(c.String(), notes[i]...)
	}
}

// consume drops the readings, which are in the metrics now.
func (c *cell) consume() {
	for _, r := range c.runs {
		for _, p := range r.Passes {
			for i := range p.Windows {
				p.Windows[i].Readings = nil
			}
		}
	}
}

// report makes the comparison with the base, or with the release before.
func (b *builder) report(previous bool) Report {
	b.notes = b.found.clone()
	ps := b.pairs(previous)
	rows := b.compare(ps, previous)
	warnings := unlike(ps)
	if len(b.versions) > 0 && !previous && !slices.Contains(b.versions, b.base) {
		warnings = append(warnings, result.Warning{Code: "base", Text: fmt.Sprintf("no run is of the base %q, so there are no ratios; there are: %s", b.base, joined(b.versions))})
	}
	warnings = append(warnings, mixed(b.all)...)
	warnings = append(warnings, b.notes.warnings()...)
	warnings = append(warnings, recorded(b.all)...)
	base := b.base
	if previous {
		base = ""
	}
	return Report{Schema: Schema, Base: base, Versions: append([]string{}, b.versions...), Rows: rows, Warnings: append([]result.Warning{}, warnings...)}
}

// builder holds one comparison while it is made.
type builder struct {
	options  Options
	base     string
	versions []string
	releases map[string]release
	all      []*cell
	table    metricTable
	tables   *tables
	noise    noiseOf
	found    notes // about the cells themselves
	notes    notes // and about the ratios of one report
}

// compare makes the rows with their ratios and verdicts.
func (b *builder) compare(ps []pair, previous bool) []Row {
	of := make(map[*cell]*cell, len(ps))
	for _, p := range ps {
		of[p.cell] = p.base
	}
	strictest := b.fdr() / max(1, float64(len(of)))

	rows := make([]Row, 0, len(b.all))
	var primary []contrast
	for _, c := range b.all {
		base := of[c]
		row := Row{
			Host: c.host, Version: c.version, Workload: c.workload, Group: c.group, Clients: c.clients,
			Protocol: c.protocol, Driver: c.driver, Runs: c.starts, Primary: b.primary(c, base),
			Metrics: make(map[string]M, len(c.metrics)), VsBase: map[string]R{},
		}
		names := make([]string, 0, len(c.metrics))
		for name, e := range c.metrics {
			if b.options.Only == nil || slices.Contains(b.options.Only, name) {
				row.Metrics[name] = e.M
				names = append(names, name)
			}
		}
		if base != nil && b.sameSize(c, base) {
			if previous {
				row.Against = base.version
			}
			row.VsBase = make(map[string]R, len(names))
			slices.Sort(names)
			for _, name := range names {
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

// primary chooses the metric that carries the row's verdict: the one asked for,
// or instructions/query, else CPU/query.
func (b *builder) primary(c, base *cell) string {
	if base == nil {
		base = c
	}
	metrics := []string{"instructions_per_query", "cpu_us_per_query"}
	if b.options.Metric != "" {
		metrics = []string{b.options.Metric}
	}
	for _, name := range metrics {
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
