package compare

import (
	"cmp"
	"fmt"

	"opcost/perfctl/result"
)

// Build compares runs. Whatever is doubtful about them becomes a warning in the
// report; runs that cannot be compared still give their own values.
func Build(runs []result.Run, o Options) Report {
	return Open(runs, o).report()
}

// BuildBoth compares runs with the base, and with the release before each; the
// metrics are worked out once.
func BuildBoth(runs []result.Run, o Options) (toBase, toPrevious Report) {
	b := newBuilder(runs, o)
	return b.rows(false).report(), b.rows(true).report()
}

// builder holds one comparison while it is made.
type builder struct {
	options  Options
	base     string
	versions []string
	releases map[string]release
	all      []*cell
	families []*kin
	table    metricTable
	noise    noise
	found    notes // about the cells themselves
}

// newBuilder works out what each cell's metrics are, and how much starts differ.
func newBuilder(runs []result.Run, o Options) *builder {
	b := sorted(runs, o)
	b.summarise()
	b.noise = newNoise(b.families, o.NoiseFloor)
	return b
}

// sorted puts the runs into cells, and those in order.
func sorted(runs []result.Run, o Options) *builder {
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
	}
	b.families = families(b.all)
	if b.base == "" && len(versions) > 0 {
		b.base = versions[0]
	}
	return b
}

// summarise works out the cells' metrics. Where readings are not in memory, the
// metrics are put away too, until a row is made of them.
func (b *builder) summarise() {
	keep := keptMetrics(b.options)
	for ns := range inOrder(len(b.families), func() func(int) *notes {
		common := newPacking()
		return func(i int) *notes {
			k, ns := b.families[i], &notes{}
			for _, c := range k.cells {
				if found := c.summarise(c.gather(b.options.Whole), keep); len(found) > 0 {
					ns.add(c.String(), found...)
				}
				k.learn(c, common)
				if b.options.Whole != nil {
					c.pack(b.primaries(), common)
				} else if b.options.Consume {
					c.consume()
				}
			}
			return ns
		}
	}) {
		b.found.merge(*ns)
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

func (b *builder) fdr() float64 {
	if b.options.FDR > 0 {
		return b.options.FDR
	}
	return alpha
}

// contrast makes the ratio of one metric, or says that none may be taken; and why,
// where that is to be told.
func (b *builder) contrast(name string, c, base *cell, strictest float64, t *tables) (ct contrast, why *result.Warning, ok bool) {
	e, ok := c.usable(name)
	eb, okBase := base.usable(name)
	if !ok || !okBase {
		return ct, nil, false
	}
	m := e.measure(name)
	if mb := eb.measure(name); m != mb {
		return ct, &result.Warning{Code: "source", Text: fmt.Sprintf("%s: no ratio, since %s (%s, per %s) and %s (%s, per %s) count unlike things",
			name, c.version, m, m.per, base.version, mb, mb.per)}, false
	}
	if *e.Value <= 0 || *eb.Value <= 0 {
		return ct, nil, false // nothing over something, or something over nothing
	}
	metric := b.table.of(name)
	r := R{Ratio: *e.Value / *eb.Value, Threshold: metric.Threshold}
	if b.options.Threshold > 0 {
		r.Threshold = b.options.Threshold
	}
	s, known := b.noise.of(m, c.kin)
	return contrast{
		shift:  newShift(e, eb, s, known, strictest, t),
		metric: metric, r: r, barred: barred(metric, e, eb, c), unproven: unproven(metric, c, base),
	}, nil, finite(r.Ratio) && r.Ratio > 0
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

// primaries are the metrics that may carry verdicts, the best first.
func (b *builder) primaries() []string {
	if b.options.Metric != "" {
		return []string{b.options.Metric}
	}
	return []string{"instructions_per_query", "cpu_us_per_query"}
}

// primary chooses the metric that carries the row's verdict: the one asked for,
// or instructions/query, else CPU/query.
func (b *builder) primary(c, base *cell) string {
	if base == nil {
		base = c
	}
	for _, name := range b.primaries() {
		e, ok := c.usable(name)
		eb, okBase := base.usable(name)
		if ok && okBase && e.measure(name) == eb.measure(name) && barred(b.table.of(name), e, eb, c) == "" {
			return name
		}
	}
	return ""
}

// sameSize: a cost on more rows is another cost.
func sameSize(c, base *cell) bool {
	tables, rows := c.size()
	baseTables, baseRows := base.size()
	return tables == baseTables && rows == baseRows
}

func unlikeSize(c, base *cell) result.Warning {
	tables, rows := c.size()
	baseTables, baseRows := base.size()
	return result.Warning{Code: "size", Text: fmt.Sprintf("no ratios, since %s has %d x %d rows and %s has %d x %d rows",
		c.version, tables, rows, base.version, baseTables, baseRows)}
}
