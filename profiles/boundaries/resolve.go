package boundaries

import (
	"errors"
	"fmt"

	"opcost/profiles"
)

// Resolve gives a profile in which frames without a name are functions, where
// their objects' tables tell: with the function's beginning as Start and no
// address any more, so that all code of one function is one frame; or with a
// name, where the object exports the function. Weights stay as they are.
//
// find gives the table of an object by its name and build id as the frames say
// them ("" where not known). It is asked once for each. A table of another build
// is not used. Where a frame says no build id, the table's becomes it.
//
// A frame's place is known by its position in the file (Frame.InFile), and in
// profiles of counted events by its address, which callgrind gives as the
// object's own. An address in a process's memory alone tells nothing. The
// warnings say, an object each, what was left as it was and why.
func Resolve(p *profiles.Profile, find func(object, buildID string) (*Table, error)) (*profiles.Profile, []string, error) {
	r := &resolver{p: p, b: profiles.NewBuilder(p.Event), find: find, tables: map[object]*Table{}, known: map[place]int32{}}
	for _, s := range p.Stacks {
		frames := make([]int32, len(s.Frames))
		for i, f := range s.Frames {
			frames[i] = r.frame(f, i > 0 && !r.entered(s.Frames[i-1], f))
		}
		if err := r.b.Add(s.Thread, frames, s.Weight, s.Samples); err != nil {
			return nil, nil, err
		}
	}
	for _, a := range p.Arcs {
		if err := r.b.Call(a.Thread, r.frame(a.Caller, false), r.frame(a.Callee, false), a.Calls, a.Weight); err != nil {
			return nil, nil, err
		}
	}
	out := r.b.Profile()
	if p.Arcs != nil && out.Arcs == nil {
		out.Arcs = []profiles.Arc{}
	}
	out.About, out.Problems = p.About, p.Problems
	return out, r.warnings, nil
}

type object struct{ name, buildID string }

// place is a frame as it was, and whether its address is one to return to.
type place struct {
	frame    int32
	returnTo bool
}

type resolver struct {
	p        *profiles.Profile
	b        *profiles.Builder
	find     func(object, buildID string) (*Table, error)
	tables   map[object]*Table // nil: there is none, which was said
	known    map[place]int32
	warnings []string
}

// entered tells whether the kernel was entered from user code: the address of
// that is where it was interrupted, and not where it is returned to.
func (r *resolver) entered(callee, caller int32) bool {
	return r.p.Frames[callee].Space == profiles.Kernel && r.p.Frames[caller].Space != profiles.Kernel
}

func (r *resolver) frame(i int32, returnTo bool) int32 {
	f := r.p.Frames[i]
	k := place{i, returnTo && !f.Named()}
	if known, ok := r.known[k]; ok {
		return known
	}
	if !f.Named() && f.Start == 0 && f.Object != "" && f.Space != profiles.Kernel {
		r.resolve(&f, k.returnTo)
	}
	at := r.b.Frame(f)
	r.known[k] = at
	return at
}

func (r *resolver) resolve(f *profiles.Frame, returnTo bool) {
	if !f.InFile && !r.p.Event.Counted {
		return
	}
	t := r.table(object{f.Object, f.BuildID})
	if t == nil {
		return
	}
	address := f.Address
	if f.InFile {
		var ok bool
		if address, ok = t.Address(address); !ok {
			return
		}
	}
	at := address
	if returnTo && at > 0 {
		// A call that does not return can be a function's last instruction, so
		// what follows is the next function's.
		at--
	}
	start, _, ok := t.Find(at)
	name := t.Name(at)
	switch {
	case name != "":
		f.Function = name
	case ok:
		f.Start = start
	default:
		return
	}
	f.Address, f.InFile = 0, false
	if f.BuildID == "" {
		f.BuildID = t.BuildID
	}
}

// table asks for an object's table once, and says why there is none.
func (r *resolver) table(o object) *Table {
	t, ok := r.tables[o]
	if ok {
		return t
	}
	t, err := r.find(o.name, o.buildID)
	switch {
	case err != nil:
	case t == nil:
		err = errors.New("its file is not known")
	case o.buildID != "" && t.BuildID != "" && o.buildID != t.BuildID:
		err = fmt.Errorf("the file is of another build now (%s, profiled was %s)", t.BuildID, o.buildID)
	}
	if err != nil {
		t = nil
		r.warnings = append(r.warnings, fmt.Sprintf("%s: functions without a name are not told apart: %v", o.name, err))
	}
	r.tables[o] = t
	return t
}
