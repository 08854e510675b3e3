package top

import (
	"fmt"

	"opcost/profiles"
	"opcost/profiles/cost"
	"opcost/profiles/granularity"
	"opcost/profiles/subsystem"
)

// group is a row while it is added up.
type group struct {
	key           granularity.Key
	subsystem     string
	self, samples int64
	total         *int64
	bound         bool
	calls         int64
	places        map[subsystem.Placed]int64
}

func (g *group) known() int64 {
	if g.total == nil {
		return -1
	}
	return *g.total
}

func (g *group) row(by granularity.Level) Row {
	r := Row{Self: g.self, SelfSamples: g.samples, Total: g.total, TotalBound: g.bound}
	if by == granularity.Subsystem {
		r.Subsystem = g.subsystem
		if g.subsystem == subsystem.Unresolved {
			r.Kind = Unresolved
		}
		return r
	}
	r.Function, r.Object = g.key.Text(), g.key.Object
	if g.key.Unnamed || g.key.NoStack {
		r.Kind = Unresolved
	}
	if by != granularity.Object {
		p := mostOf(g.places)
		r.Subsystem, r.Inherited = p.Subsystem, p.Inherited
	}
	return r
}

// mostOf is the place with the largest weight; of equal ones the first by name.
func mostOf(places map[subsystem.Placed]int64) subsystem.Placed {
	best, most, any := subsystem.Placed{}, int64(0), false
	for p, w := range places {
		if !any || w > most || w == most && (p.Subsystem < best.Subsystem || p.Subsystem == best.Subsystem && !p.Inherited) {
			best, most, any = p, w, true
		}
	}
	return best
}

// rest folds rows into one. What was under way meanwhile does not add up.
func rest(groups []*group) Row {
	r := Row{Kind: Rest, Folded: len(groups), Function: fmt.Sprintf("[%d others]", len(groups))}
	for _, g := range groups {
		r.Self += g.self
		r.SelfSamples += g.samples
	}
	return r
}

// functions are the groups at every level but that of subsystems.
func functions(p *profiles.Profile, placer *subsystem.Placer, keys *granularity.Keys) []*group {
	table := cost.By(p, func(f profiles.Frame) granularity.Key { return keys.Of(p, f) })
	at := map[granularity.Key]*group{}
	var groups []*group
	for i := range table.Rows {
		r := &table.Rows[i]
		g := &group{key: r.Key, self: r.Self, samples: r.SelfSamples, total: &r.Total, bound: r.Bound, calls: r.Calls, places: map[subsystem.Placed]int64{}}
		at[r.Key] = g
		groups = append(groups, g)
	}
	var bare *group
	for _, s := range p.Stacks {
		if len(s.Frames) == 0 {
			if bare == nil {
				bare = &group{key: granularity.Key{NoStack: true}, total: new(int64), places: map[subsystem.Placed]int64{}}
				groups = append(groups, bare)
			}
			bare.self += s.Weight
			bare.samples += s.Samples
			*bare.total += s.Weight
			bare.places[placer.Leaf(s)] += s.Weight
			continue
		}
		at[keys.Of(p, p.Frames[s.Frames[0]])].places[placer.Leaf(s)] += s.Weight
	}
	// A function that only calls has no own cost to tell its place.
	for i, f := range p.Frames {
		if g := at[keys.Of(p, f)]; len(g.places) == 0 {
			g.places[placer.Frame(int32(i))] = 0
		}
	}
	return groups
}

// subsystems are the groups by subsystem. Totals are known where stacks are.
func subsystems(p *profiles.Profile, placer *subsystem.Placer) []*group {
	at := map[string]*group{}
	var groups []*group
	get := func(name string) *group {
		g := at[name]
		if g == nil {
			g = &group{subsystem: name}
			if p.Arcs == nil {
				g.total = new(int64)
			}
			at[name] = g
			groups = append(groups, g)
		}
		return g
	}
	for _, s := range p.Stacks {
		leaf := get(placer.Leaf(s).Subsystem)
		leaf.self += s.Weight
		leaf.samples += s.Samples
		if p.Arcs != nil {
			continue
		}
		under := map[string]bool{leaf.subsystem: true}
		for _, place := range placer.Stack(s) {
			under[place.Subsystem] = true
		}
		for name := range under {
			*get(name).total += s.Weight
		}
	}
	return groups
}
