package cost

import "opcost/profiles"

// sums is what rows are made of.
type sums struct {
	costs []costs
	edges map[[2]int32]*edge // caller and callee
}

type costs struct {
	self, total, selfSamples, totalSamples, calls int64
	bound                                         bool
	seen                                          int // the last stack that was counted, from 1
}

type edge struct {
	calls, weight int64
	seen          int
}

func (s *sums) edge(caller, callee int32) *edge {
	k := [2]int32{caller, callee}
	e, ok := s.edges[k]
	if !ok {
		e = &edge{}
		s.edges[k] = e
	}
	return e
}

// stacks adds up stacks. Each counts once for a row that is in it more than
// once, and so for each pair of caller and callee. Where calls were counted, a
// stack holds the leaf alone, and totals come from the calls.
func (s *sums) stacks(p *profiles.Profile, rows []int32) (noStack int64) {
	for i, st := range p.Stacks {
		if len(st.Frames) == 0 {
			noStack += st.Weight
			continue
		}
		leaf := &s.costs[rows[st.Frames[0]]]
		leaf.self += st.Weight
		leaf.selfSamples += st.Samples
		if p.Arcs != nil {
			continue
		}
		for depth, f := range st.Frames {
			c := &s.costs[rows[f]]
			if c.seen != i+1 {
				c.seen = i + 1
				c.total += st.Weight
				c.totalSamples += st.Samples
			}
			if depth > 0 {
				e := s.edge(rows[f], rows[st.Frames[depth-1]])
				if e.seen != i+1 {
					e.seen = i + 1
					e.weight += st.Weight
				}
			}
		}
	}
	return noStack
}
