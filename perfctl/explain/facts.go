package explain

import (
	"math"
	"slices"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// facts are what is known of one pair of cells.
type facts struct {
	baseName, newName     string
	baseKey, newKey       key
	free                  [5]bool
	baseRow, newRow       compare.Row
	baseRuns, newRuns     []result.Run
	baseStarts, newStarts []compare.StartValues
	all                   []*facts // of the study
	code                  *Code
}

func (f *facts) place() Place {
	return Place{Host: f.newRow.Host, Workload: f.newRow.Workload, Clients: f.newRow.Clients, Protocol: f.newRow.Protocol, Driver: f.newRow.Driver,
		BaseStarts: f.baseRow.Runs, NewStarts: f.newRow.Runs}
}

// change is a metric on both sides.
type change struct {
	name      string
	base, new float64
	m         compare.M  // the new side's
	r         *compare.R // nil where no ratio may be taken
	// values of the server starts, sorted as they were measured.
	bases, news []float64
}

// of gives a metric that both sides have, from one source and scope.
func (f *facts) of(metric string) (c change, ok bool) {
	b, okBase := f.baseRow.Metrics[metric]
	n, okNew := f.newRow.Metrics[metric]
	if !okBase || !okNew || b.Value == nil || n.Value == nil || b.Source != n.Source || b.Scope != n.Scope || b.Per != n.Per {
		return change{}, false
	}
	c = change{name: metric, base: *b.Value, new: *n.Value, m: n, bases: startsOf(f.baseStarts, metric), news: startsOf(f.newStarts, metric)}
	if r, has := f.newRow.VsBase[metric]; has {
		c.r = &r
	}
	return c, true
}

func startsOf(starts []compare.StartValues, metric string) (vs []float64) {
	for _, s := range starts {
		for _, v := range s.Values {
			if v.Metric == metric {
				vs = append(vs, v.Value)
			}
		}
	}
	return vs
}

// usualThreshold is that of metrics of which compare has no ratio.
const usualThreshold = 0.05

// unknownNoise: without an interval a change below this says nothing.
const unknownNoise = 0.05

// direction says whether a metric moved beyond its threshold: 1 for more, -1 for
// less, 0 for neither; sure where an interval, or every start, says so.
func (c change) direction() (dir int, sure bool) {
	t := usualThreshold
	switch {
	case c.r == nil && c.base <= 0 && c.new > 0:
		return 1, len(c.bases) > 1 && len(c.news) > 1 && slices.Min(c.news) > slices.Max(c.bases)
	case c.r == nil && c.new <= 0 && c.base > 0:
		return -1, len(c.bases) > 1 && len(c.news) > 1 && slices.Max(c.news) < slices.Min(c.bases)
	case c.r == nil:
		return 0, false
	case c.r.Threshold > 0:
		t = c.r.Threshold
	}
	if c.r.Low != nil && c.r.High != nil {
		exact := c.r.Method != compare.EdgesMethod && c.m.State != result.Partial
		switch {
		case *c.r.Low > 1+t:
			return 1, exact
		case *c.r.High < 1-t:
			return -1, exact
		}
		return 0, false
	}
	if l := math.Log(c.r.Ratio); math.Abs(l) > max(3*t, unknownNoise) {
		return sign(l), false
	}
	return 0, false
}

// moved is direction of a metric that may not be there.
func (f *facts) moved(metric string) (c change, dir int, sure bool) {
	c, ok := f.of(metric)
	if !ok {
		return c, 0, false
	}
	dir, sure = c.direction()
	return c, dir, sure
}

// rose tells a cost that is more by floor at least.
func (f *facts) rose(metric string, floor float64) (c change, sure, ok bool) {
	c, dir, sure := f.moved(metric)
	return c, sure, dir > 0 && c.new-c.base >= floor
}

// same tells a metric whose whole interval is within its threshold, or that
// hardly moved where there is no interval.
func (f *facts) same(metric string) bool {
	c, ok := f.of(metric)
	if !ok || c.r == nil {
		return false
	}
	t := max(c.r.Threshold, 0.02)
	if c.r.Low != nil && c.r.High != nil {
		return *c.r.Low > 1-t && *c.r.High < 1+t
	}
	return math.Abs(math.Log(c.r.Ratio)) <= t
}

// evidence of a metric.
func (c change) evidence(text string) Evidence {
	b, n := c.base, c.new
	return Evidence{Name: c.name, Base: &b, New: &n, Unit: c.m.Unit, Ratio: c.r, Text: text}
}

func sign(v float64) int {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}
