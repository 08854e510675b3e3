package profiles

import "fmt"

// Merge adds profiles of one event up, as of repeats: weights, samples, calls,
// problems, and of what they are about the operations, seconds and CPU. What they
// do not agree in is left unknown. One profile is given back as it is.
func Merge(ps ...*Profile) (*Profile, error) {
	if len(ps) == 0 {
		return nil, fmt.Errorf("there is no profile to add up")
	}
	if len(ps) == 1 {
		return ps[0], nil
	}
	b := NewBuilder(ps[0].Event)
	about := ps[0].About
	for i, p := range ps {
		if p.Event != ps[0].Event {
			return nil, fmt.Errorf("profiles of %s (%s) and of %s (%s) do not add up", ps[0].Event.Name, ps[0].Event.Unit, p.Event.Name, p.Event.Unit)
		}
		if err := b.addAll(p); err != nil {
			return nil, err
		}
		if i > 0 {
			about = joined(about, p.About)
		}
	}
	merged := b.Profile()
	merged.About = about
	return merged, nil
}

func (b *Builder) addAll(p *Profile) error {
	index := make([]int32, len(p.Frames))
	for i, f := range p.Frames {
		index[i] = b.Frame(f)
	}
	var frames []int32
	for _, s := range p.Stacks {
		frames = frames[:0]
		for _, f := range s.Frames {
			frames = append(frames, index[f])
		}
		if err := b.Add(s.Thread, frames, s.Weight, s.Samples); err != nil {
			return err
		}
	}
	for _, a := range p.Arcs {
		if err := b.Call(a.Thread, index[a.Caller], index[a.Callee], a.Calls, a.Weight); err != nil {
			return err
		}
	}
	if p.Arcs != nil && b.p.Arcs == nil {
		b.p.Arcs = []Arc{} // calls are counted, and there are none
	}
	q := b.Problems()
	q.Lost += p.Problems.Lost
	q.Throttled += p.Problems.Throttled
	q.NoStack += p.Problems.NoStack
	q.Broken += p.Problems.Broken
	q.Periods += p.Problems.Periods
	return nil
}

// joined is about both. A sum of which one part is not known is not known.
func joined(a, b About) About {
	sum := func(x, y float64) float64 {
		if x == 0 || y == 0 {
			return 0
		}
		return x + y
	}
	a.Operations, a.Seconds, a.CPUUS = sum(a.Operations, b.Operations), sum(a.Seconds, b.Seconds), sum(a.CPUUS, b.CPUUS)
	a.Repeat = 0
	for _, same := range []struct{ x, y *string }{{&a.Version, &b.Version}, {&a.Workload, &b.Workload}, {&a.Protocol, &b.Protocol}, {&a.Per, &b.Per},
		{&a.Binary, &b.Binary}, {&a.Server, &b.Server}, {&a.CallGraph, &b.CallGraph}} {
		if *same.x != *same.y {
			*same.x = ""
		}
	}
	if a.Clients != b.Clients {
		a.Clients = 0
	}
	if a.Hz != b.Hz {
		a.Hz = 0
	}
	return a
}
