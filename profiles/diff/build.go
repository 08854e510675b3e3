package diff

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"opcost/perfctl/result"
	"opcost/profiles"
	"opcost/profiles/granularity"
	"opcost/profiles/quality"
	"opcost/profiles/subsystem"
)

// Build compares the repeats of two versions. Profiles of unlike events, units,
// scopes or operations are an error.
func Build(base, new []Side, o Options) (*Table, error) {
	by, err := granularity.Parse(string(o.By))
	if err != nil {
		return nil, err
	}
	if err := alike(base, new); err != nil {
		return nil, err
	}
	if o.Subsystems == nil {
		o.Subsystems = subsystem.Default()
	}
	sides := [2][]Side{base, new}
	var all []*profiles.Profile
	for _, side := range sides {
		for _, s := range side {
			all = append(all, s.Profile)
		}
	}
	first := all[0]
	unit, scale := granularity.Unit(first.Event)
	t := &Table{Event: first.Event.Name, Unit: unit, Per: per(first), By: by}

	keys := granularity.NewKeys(by, all...)
	rows := newCells[granularity.Key](len(base), len(new))
	places := newCells[string](len(base), len(new))
	whole := newCells[bool](len(base), len(new))
	n := noise{counted: first.Event.Counted, confidence: ofRows}
	for side, repeats := range sides {
		for i, s := range repeats {
			p, ops := s.Profile, s.operations()
			per := scale / ops
			placer := o.Subsystems.Placer(p)
			for _, stack := range p.Stacks {
				key := granularity.Key{NoStack: true}
				if len(stack.Frames) > 0 {
					key = keys.Of(p, p.Frames[stack.Frames[0]])
				}
				place := placer.Leaf(stack)
				rate, square := float64(stack.Weight)*per, 0.0
				if stack.Samples > 0 {
					square = rate * rate / float64(stack.Samples)
				}
				rows.add(key, side, i, rate, square, place).key = key
				places.add(place.Subsystem, side, i, rate, square, place).place = place.Subsystem
				whole.add(true, side, i, 0, square, place)
			}
			weight, samples := p.Total()
			total := float64(weight) * per
			whole.add(true, side, i, total, 0, subsystem.Placed{})
			if samples > 0 {
				period := total / float64(samples)
				n.one[side] += period * period
			}
		}
	}
	for side := range n.one {
		n.one[side] /= float64(len(sides[side]))
	}

	t.Total = n.of(ofTotal).change(whole.at[true])
	t.Subsystems = t.rows(places.order, n, func(c *cell) Row { return Row{Subsystem: c.place} })
	for i := range t.Subsystems {
		if t.Subsystems[i].Subsystem == subsystem.Unresolved {
			t.Subsystems[i].State = Unresolved
		}
	}
	if by == granularity.Subsystem {
		t.Rows = slices.Clone(t.Subsystems)
	} else {
		var calls map[granularity.Key]*Calls
		if by != granularity.Object { // calls between an object's own functions say nothing of it
			calls = countCalls(sides, keys)
		}
		t.Rows = t.rows(rows.order, n, func(c *cell) Row {
			r := Row{Function: c.key.Text(), Object: c.key.Object, Calls: called(calls, c.key)}
			if by != granularity.Object {
				r.Subsystem, _ = c.mostly()
			}
			if c.key.NoStack || c.key.Unnamed && c.key.Start == 0 {
				r.State = Unresolved
			}
			return r
		})
	}
	t.Quality = Quality{Base: o.side(base), New: o.side(new), Method: n.method(base, new), Warnings: unlike(base, new), Named: named(rows.order)}
	if by != granularity.Subsystem && by != granularity.Object && !o.KeepNoise {
		t.fold(rows.order, n)
	}
	t.doubts()
	return t, nil
}

// rows makes rows of cells, the largest change first.
func (t *Table) rows(cs []*cell, n noise, label func(*cell) Row) []Row {
	slices.SortFunc(cs, func(a, b *cell) int {
		aBase, aNew, bBase, bNew := mean(a.rates[baseSide]), mean(a.rates[newSide]), mean(b.rates[baseSide]), mean(b.rates[newSide])
		if c := cmp.Or(cmp.Compare(math.Abs(bNew-bBase), math.Abs(aNew-aBase)), cmp.Compare(bBase+bNew, aBase+aNew), cmp.Compare(a.place, b.place)); c != 0 {
			return c
		}
		if a.key.Less(b.key) {
			return -1
		}
		return 1
	})
	out := make([]Row, 0, len(cs))
	for _, c := range cs {
		r := label(c)
		_, r.Inherited = c.mostly()
		r.Change = n.change(c)
		r.Share = t.share(r.Delta)
		if r.State == "" {
			r.State = state(r.Change)
		}
		out = append(out, r)
	}
	return out
}

func (n noise) change(c *cell) Change {
	ch := Change{Base: mean(c.rates[baseSide]), New: mean(c.rates[newSide])}
	ch.Delta = ch.New - ch.Base
	if half, known := n.uncertainty(c); known {
		ch.Uncertainty = &half
	}
	return ch
}

func (t *Table) share(delta float64) *float64 {
	// A change that is nothing but rounding has no shares.
	if math.Abs(t.Total.Delta) <= 1e-12*max(t.Total.Base, t.Total.New) {
		return nil
	}
	v := delta / t.Total.Delta
	return &v
}

func state(c Change) State {
	switch {
	case c.Base == 0 && c.New > 0:
		return OnlyNew
	case c.New == 0 && c.Base > 0:
		return OnlyBase
	}
	return Both
}

// fold puts the rows whose change is within its uncertainty into one, the last.
// What has no name stays, to be seen.
func (t *Table) fold(cs []*cell, n noise) {
	var kept []Row
	var noisy []*cell
	for i, r := range t.Rows {
		if r.State != Unresolved && r.WithinNoise() {
			noisy = append(noisy, cs[i])
			continue
		}
		kept = append(kept, r)
	}
	if len(noisy) == 0 {
		return
	}
	c := join(noisy)
	r := Row{Function: fmt.Sprintf("[%d within noise]", len(noisy)), State: Noise, Folded: len(noisy), Change: n.change(c)}
	_, r.Inherited = c.mostly()
	r.Share = t.share(r.Delta)
	t.Rows = append(kept, r)
}

// named is the share of all movement that is in rows with a name.
func named(cs []*cell) *float64 {
	all, with := 0.0, 0.0
	for _, c := range cs {
		d := math.Abs(mean(c.rates[newSide]) - mean(c.rates[baseSide]))
		all += d
		if !c.key.Unnamed && !c.key.NoStack {
			with += d
		}
	}
	if all == 0 {
		return nil
	}
	v := with / all
	return &v
}

func (o Options) side(side []Side) SideQuality {
	q := SideQuality{Repeats: len(side), Checks: []result.Quality{}}
	var checks [][]result.Quality
	for _, s := range side {
		_, samples := s.Profile.Total()
		q.Operations += s.operations()
		q.Samples += samples
		if q.Version == "" {
			q.Version = s.Profile.About.Version
		}
		checks = append(checks, quality.Check(s.Profile, o.Quality))
	}
	q.Checks = append(q.Checks, quality.Worst(checks...)...)
	return q
}

// doubts warns of what the numbers do not bear out.
func (t *Table) doubts() {
	warn := func(format string, args ...any) {
		t.Quality.Warnings = append(t.Quality.Warnings, fmt.Sprintf(format, args...))
	}
	unit := granularity.UnitText(t.Unit)
	if c := t.Total; c.WithinNoise() {
		rows := ""
		if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.State != Noise && r.Uncertainty != nil && !r.WithinNoise() }) {
			rows = ", though some code did change"
		}
		warn("the whole change, %+.4g %s, is within its uncertainty (±%.4g): it may be none%s, and shares of it say nothing; measure more repeats, or longer", c.Delta, unit, *c.Uncertainty, rows)
	}
	for _, r := range t.Rows {
		if r.State == Noise && !r.WithinNoise() {
			warn("the %d functions within noise moved %+.4g %s together, which is more than noise (±%.4g): each changed a little, as where all code is slower; --granularity object or subsystem says where", r.Folded, r.Delta, unit, *r.Uncertainty)
		}
	}
}

// WithinNoise tells whether a change is no larger than its uncertainty. Where that
// is not known, it is false.
func (c Change) WithinNoise() bool {
	return c.Uncertainty != nil && math.Abs(c.Delta) <= *c.Uncertainty
}

// method says where uncertainties come from.
func (n noise) method(base, new []Side) string {
	repeats := ""
	if len(base)+len(new) > 2 {
		repeats = fmt.Sprintf("the spread of %d and %d repeats", len(base), len(new))
	}
	samples := ""
	if !n.counted && (n.one[baseSide] > 0 || n.one[newSide] > 0) {
		samples = "the numbers of samples"
	}
	intervals := fmt.Sprintf("; %.0f%% intervals, of the whole change %.0f%%", ofRows*100, ofTotal*100)
	switch {
	case repeats != "" && samples != "":
		return fmt.Sprintf("the larger of what %s and %s give", repeats, samples) + intervals
	case repeats+samples != "":
		return repeats + samples + intervals
	}
	return ""
}
