package top

import (
	"errors"
	"fmt"
	"slices"

	"opcost/profiles"
	"opcost/profiles/granularity"
	"opcost/profiles/subsystem"
)

// Build makes the table of a profile.
func Build(p *profiles.Profile, o Options) (*Table, error) {
	by, err := granularity.Parse(string(o.By))
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, errors.New("there is no profile")
	}
	if o.Limit < 0 {
		return nil, fmt.Errorf("a limit of %d rows: give 0 for all, or more", o.Limit)
	}
	if o.Subsystems == nil {
		o.Subsystems = subsystem.Default()
	}
	t := &Table{Event: p.Event.Name, WeightUnit: p.Event.Unit, Per: p.About.Per, By: by, Operations: p.About.Operations, Rows: []Row{}}
	if t.Per == "" {
		t.Per = "statement"
	}
	t.Weight, t.Samples = p.Total()
	unit, scale := granularity.Unit(p.Event)
	t.Unit = unit
	per := func(weight float64) *float64 {
		if t.Operations <= 0 {
			return nil
		}
		v := weight * scale / t.Operations
		return &v
	}
	t.PerQuery = per(float64(t.Weight))

	placer := o.Subsystems.Placer(p)
	var groups []*group
	if by == granularity.Subsystem {
		groups = subsystems(p, placer)
	} else {
		groups = functions(p, placer, granularity.NewKeys(by, p))
	}
	slices.SortFunc(groups, func(a, b *group) int {
		switch {
		case a.self != b.self:
			return sign(a.self < b.self)
		case a.known() != b.known():
			return sign(a.known() < b.known())
		case a.key != b.key:
			return sign(!a.key.Less(b.key))
		}
		return sign(a.subsystem > b.subsystem)
	})
	counted := p.Arcs != nil
	for i, g := range groups {
		if o.Limit > 0 && i == o.Limit && i < len(groups)-1 { // one row alone is no longer than what stands for it
			t.Rows = append(t.Rows, rest(groups[i:]))
			break
		}
		r := g.row(by)
		if counted && by != granularity.Subsystem {
			calls := float64(g.calls)
			if t.Operations > 0 {
				calls /= t.Operations
				r.CallsPerQuery = &calls
			}
		}
		t.Rows = append(t.Rows, r)
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		r.SelfPerQuery = per(float64(r.Self))
		if r.Total != nil {
			r.TotalPerQuery = per(float64(*r.Total))
		}
		if t.Weight > 0 {
			r.Share = float64(r.Self) / float64(t.Weight)
		}
	}
	return t, nil
}

func sign(after bool) int {
	if after {
		return 1
	}
	return -1
}
