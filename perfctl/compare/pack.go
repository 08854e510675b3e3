package compare

import "math"

// packedMetric is an estimate in a fifth of its memory, for reports whose rows
// are made one after the other: what metrics have in common stands once, and what
// follows from the values is worked out again.
type packedMetric struct {
	name     string
	common   *M     // without the numbers
	from, to uint32 // of the cell's values
	rare     *rarely
}

// rarely is what few metrics have.
type rarely struct {
	fraction *float64
	edges    *[2]float64
}

// packing is what the metrics of many cells have in common.
type packing struct {
	names map[string]string
	parts map[M]*M
}

func newPacking() packing { return packing{map[string]string{}, map[M]*M{}} }

// name gives the one copy of a name.
func (p packing) name(s string) string {
	one, ok := p.names[s]
	if !ok {
		p.names[s], one = s, s
	}
	return one
}

// part is a metric without its numbers.
func (p packing) part(m M) *M {
	m.Value, m.RunningFraction = nil, nil
	one := p.parts[m]
	if one == nil {
		one = &m
		p.parts[m] = one
	}
	return one
}

// pack puts the cell's metrics away, but for those that verdicts are by.
func (c *cell) pack(verdictsBy []string, common packing) {
	n := 0
	for _, e := range c.metrics {
		n += len(e.values)
	}
	c.values = make([]float64, 0, n)
	c.packed = make([]packedMetric, 0, len(c.metrics))
	for name, e := range c.metrics {
		p := packedMetric{name: common.name(name), common: common.part(e.M), from: uint32(len(c.values))}
		c.values = append(c.values, e.values...)
		p.to = uint32(len(c.values))
		if e.RunningFraction != nil || e.edges != nil {
			p.rare = &rarely{e.RunningFraction, e.edges}
		}
		c.packed = append(c.packed, p)
	}
	kept := make(map[string]*estimate, len(verdictsBy)+1)
	for _, name := range append([]string{changedRows}, verdictsBy...) {
		if e, ok := c.metrics[name]; ok {
			kept[name] = e
		}
	}
	c.metrics = kept
}

// unpack brings all the metrics back.
func (c *cell) unpack() {
	es := make([]estimate, len(c.packed))
	c.metrics = make(map[string]*estimate, len(es))
	for i, p := range c.packed {
		e := &es[i]
		e.M, e.values = *p.common, c.values[p.from:p.to:p.to]
		if p.rare != nil {
			e.RunningFraction, e.edges = p.rare.fraction, p.rare.edges
		}
		if len(e.values) > 0 {
			v := median(e.values)
			e.Value = &v
			e.logs = logsOf(e.values)
		}
		c.metrics[p.name] = e
	}
	c.packed, c.values = nil, nil
}

// logsOf sorted values; nil when one is 0 or less.
func logsOf(values []float64) []float64 {
	if values[0] <= 0 {
		return nil
	}
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	return logs
}
