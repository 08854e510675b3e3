package diff

import "opcost/profiles/granularity"

// Calls of a row's function per operation in the two versions, those by itself
// included.
type Calls struct {
	Base float64 `json:"base"`
	New  float64 `json:"new"`
}

// countCalls adds up what each row's functions were called; nil unless calls
// were counted in every profile.
func countCalls(sides [2][]Side, keys *granularity.Keys) map[granularity.Key]*Calls {
	calls := map[granularity.Key]*Calls{}
	for side, repeats := range sides {
		for _, s := range repeats {
			if s.Profile.Arcs == nil {
				return nil
			}
			per := s.operations() * float64(len(repeats)) // the mean of the repeats
			for _, a := range s.Profile.Arcs {
				k := keys.Of(s.Profile, s.Profile.Frames[a.Callee])
				if calls[k] == nil {
					calls[k] = &Calls{}
				}
				calls[k].add(side, float64(a.Calls)/per)
			}
		}
	}
	return calls
}

func (c *Calls) add(side int, n float64) {
	if side == baseSide {
		c.Base += n
	} else {
		c.New += n
	}
}

// called gives the calls of a row's key; nil where they were not counted.
func called(calls map[granularity.Key]*Calls, k granularity.Key) *Calls {
	if calls == nil {
		return nil
	}
	if c := calls[k]; c != nil {
		return c
	}
	return &Calls{}
}
