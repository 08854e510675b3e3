package flame

import (
	"errors"
	"fmt"
	"math"

	"opcost/profiles"
)

// sides are the profiles of an input: one or two.
func (in Input) sides() []Side {
	if in.New.Profile == nil {
		return []Side{in.Base}
	}
	return []Side{in.Base, in.New}
}

// label is what a side is called.
func (s Side) label(otherwise string) string {
	for _, l := range []string{s.Label, s.Profile.About.Version} {
		if l != "" {
			return l
		}
	}
	return otherwise
}

// check refuses what cannot be drawn, or cannot be compared.
func check(in Input) error {
	if in.Base.Profile == nil {
		return errors.New("flame graph: no profile was given")
	}
	for i, s := range in.sides() {
		if err := checkProfile(s.Profile); err != nil {
			return fmt.Errorf("flame graph of %s: %w", s.label([]string{"the base", "the new side"}[i]), err)
		}
	}
	if in.New.Profile == nil {
		return nil
	}
	a, b := in.Base.Profile, in.New.Profile
	if a.Event.Unit != b.Event.Unit || a.Event.Counts() != b.Event.Counts() {
		return fmt.Errorf("flame graph: the base counts %s (%s), the new side %s (%s): no difference across events; take profiles of the same event",
			a.Event.Name, a.Event.Unit, b.Event.Name, b.Event.Unit)
	}
	if a.About.Per != "" && b.About.Per != "" && a.About.Per != b.About.Per {
		return fmt.Errorf("flame graph: the base counted operations per %s, the new side per %s: take profiles with the same kind of operation", a.About.Per, b.About.Per)
	}
	return nil
}

func checkProfile(p *profiles.Profile) error {
	var sum int64
	for i, s := range p.Stacks {
		if s.Weight < 0 || s.Samples < 0 {
			return fmt.Errorf("stack %d has a weight of %d in %d samples: below 0", i, s.Weight, s.Samples)
		}
		if s.Weight > math.MaxInt64-sum {
			return fmt.Errorf("the sum of weights is over %d", int64(math.MaxInt64))
		}
		sum += s.Weight
		for _, f := range s.Frames {
			if f < 0 || int(f) >= len(p.Frames) {
				return fmt.Errorf("stack %d names frame %d of %d", i, f, len(p.Frames))
			}
		}
	}
	if sum == 0 {
		return errors.New("the profile has no samples (its total is 0): record again, while the server is busy")
	}
	if ops := p.About.Operations; ops < 0 || math.IsNaN(ops) || math.IsInf(ops, 0) {
		return fmt.Errorf("its operations are %v: a count is needed, or 0 where it is not known", ops)
	}
	return nil
}
