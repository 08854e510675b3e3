package subsystem

import "opcost/profiles"

// Placed is where a stack's cost belongs.
type Placed struct {
	Subsystem string
	// Inherited: the frame has no place of its own, most often as it has no name, and
	// this is that of its nearest caller that has one; where calls were counted instead of stacks sampled, of the
	// caller on whose behalf it cost most.
	Inherited bool
}

// Placer places the frames of one profile.
type Placer struct {
	table   *Table
	p       *profiles.Profile
	frames  []frame
	inherit map[int32]Placed // by callee, from arcs
}

type frame struct {
	place         string
	kernel, known bool
}

// Placer is for a profile, which must not change meanwhile.
func (t *Table) Placer(p *profiles.Profile) *Placer {
	pl := &Placer{table: t, p: p, frames: make([]frame, len(p.Frames))}
	for i, f := range p.Frames {
		pl.frames[i].place, pl.frames[i].kernel, pl.frames[i].known = t.classify(f)
	}
	if len(p.Arcs) > 0 {
		pl.inherit = pl.dominators()
	}
	return pl
}

// Leaf is the place of a stack's own cost.
func (pl *Placer) Leaf(s profiles.Stack) Placed {
	if len(s.Frames) == 0 {
		return Placed{Subsystem: Unresolved}
	}
	all := pl.Stack(s)
	return all[0]
}

// Stack is the place of each of a stack's frames, the leaf first as in the stack.
func (pl *Placer) Stack(s profiles.Stack) []Placed {
	out := make([]Placed, len(s.Frames))
	above, inKernel := "", false // the nearest named caller's place; whether it is the kernel's
	for i := len(s.Frames) - 1; i >= 0; i-- {
		index := s.Frames[i]
		f := pl.frames[index]
		if inKernel && !f.kernel && f.known && pl.p.Frames[index].Space == profiles.UnknownSpace {
			f = pl.asKernel(index, f) // what the kernel calls is the kernel's
		}
		if f.known {
			out[i] = Placed{Subsystem: f.place}
			above, inKernel = f.place, f.kernel
			continue
		}
		if by, ok := pl.inherit[index]; ok {
			out[i] = by
			continue
		}
		switch {
		case above != "" && (!f.kernel || inKernel):
			out[i] = Placed{Subsystem: above, Inherited: true}
		default:
			out[i] = Placed{Subsystem: f.place}
		}
	}
	return out
}

// asKernel is the frame as one of the kernel, unless only the rules for programs
// know it: then what seemed to be the kernel below it was not.
func (pl *Placer) asKernel(index int32, as frame) frame {
	f := pl.p.Frames[index]
	f.Space = profiles.Kernel
	if _, n := pl.table.kernel.find(plain(f)); n == 0 && as.place != ServerOther {
		return as
	}
	place, kernel, known := pl.table.classify(f)
	return frame{place, kernel, known}
}

// dominators are the places that unnamed functions take from the callers on whose
// behalf they cost most.
func (pl *Placer) dominators() map[int32]Placed {
	type edge struct{ caller, callee int32 }
	weights := map[edge]int64{}
	for _, a := range pl.p.Arcs {
		if a.Caller != a.Callee {
			weights[edge{a.Caller, a.Callee}] += a.Weight
		}
	}
	best := map[int32]int32{}
	most := map[int32]int64{}
	for e, w := range weights {
		old, ok := best[e.callee]
		if !ok || w > most[e.callee] || w == most[e.callee] && e.caller < old {
			best[e.callee], most[e.callee] = e.caller, w
		}
	}
	out := map[int32]Placed{}
	for i := range pl.frames {
		if pl.frames[i].known {
			continue
		}
		visited := map[int32]bool{int32(i): true}
		for at, ok := best[int32(i)]; ok && !visited[at]; at, ok = best[at] {
			visited[at] = true
			if pl.frames[at].known && (!pl.frames[i].kernel || pl.frames[at].kernel) {
				out[int32(i)] = Placed{Subsystem: pl.frames[at].place, Inherited: true}
				break
			}
		}
	}
	return out
}

// Frame is the place of a frame where nothing is known of its callers but what
// was counted.
func (pl *Placer) Frame(index int32) Placed {
	return pl.Stack(profiles.Stack{Frames: []int32{index}})[0]
}
