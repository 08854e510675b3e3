package flame

import (
	"opcost/profiles"
	"opcost/profiles/subsystem"
)

// The groups of a graph without subsystems.
const (
	groupUser    = "user code"
	groupKernel  = "kernel"
	groupUnnamed = "no name"
)

// placesOf gives the groups of a stack's frames, the leaf first.
func placesOf(in Input, p *profiles.Profile) func(profiles.Stack) []subsystem.Placed {
	if in.Subsystems != nil {
		return in.Subsystems.Placer(p).Stack
	}
	var out []subsystem.Placed
	return func(s profiles.Stack) []subsystem.Placed {
		out = out[:0]
		for _, f := range s.Frames {
			out = append(out, subsystem.Placed{Subsystem: space(p.Frames[f])})
		}
		return out
	}
}

// space is the group of a frame in a graph without subsystems.
func space(f profiles.Frame) string {
	switch {
	case f.Space == profiles.Kernel:
		return groupKernel
	case !f.Named():
		return groupUnnamed
	}
	return groupUser
}

// noStack is the group of samples without any frame.
func noStack(in Input) string {
	if in.Subsystems != nil {
		return subsystem.Unresolved
	}
	return groupUnnamed
}
