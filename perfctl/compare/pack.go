package compare

import "math"

// packedMetric is an estimate in a fifth of its memory, for reports whose rows
// are made one after the other: what metrics have in common stands once, and what
// follows from the values is worked out again.
type packedMetric struct {
	name     string
	common   *M // without the numbers
	values   []float64
	fraction *float64
	edges    *[2]float64
}

// pack puts the cell's metrics away, but for those that verdicts are by. Known
// are the common parts so far.
func (c *cell) pack(verdictsBy []string, known map[M]*M) {
	n := 0
	for _, e := range c.metrics {
		n += len(e.values)
	}
	values := make([]float64, 0, n)
	c.packed = make([]packedMetric, 0, len(c.metrics))
	for name, e := range c.metrics {
		m := e.M
		m.Value, m.RunningFraction = nil, nil
		common := known[m]
		if common == nil {
			common = &m
			known[m] = common
		}
		from := len(values)
		values = append(values, e.values...)
		c.packed = append(c.packed, packedMetric{name, common, values[from:len(values):len(values)], e.RunningFraction, e.edges})
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
		e.M, e.values, e.edges, e.RunningFraction = *p.common, p.values, p.edges, p.fraction
		if len(e.values) > 0 {
			v := median(e.values)
			e.Value = &v
			e.logs = logsOf(e.values)
		}
		c.metrics[p.name] = e
	}
	c.packed = nil
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
