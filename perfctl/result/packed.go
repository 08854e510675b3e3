package result

import (
	"path/filepath"
	"reflect"
)

// Packed holds runs whole in a compact form, in which a run of sixty readings
// takes less than 1 kB in place of 10.
type Packed struct {
	of     map[string]*index // by the folder's name
	fields fields            // of all types: read only
}

// ReadPacked is [Read] of runs without their readings, which [Packed.Whole] gives
// one run at a time: of twenty thousand runs with all their readings memory need
// not hold more than that.
func ReadPacked(dirs ...string) ([]Run, *Packed, []Warning, error) {
	p := &Packed{of: map[string]*index{}, fields: fields{}}
	p.fields.add(reflect.TypeFor[Run]())
	runs, warnings, err := readAll(func(string) bool { return false }, p, dirs)
	return runs, p, warnings, err
}

// Whole gives a run that was read with its readings. It may be called from
// several goroutines. Runs that read alike share their maps, which no one may
// write to.
func (p *Packed) Whole(r Run) Run {
	if x := p.of[r.Dir]; x != nil {
		if e, ok := x.at[filepath.Base(r.Path)]; ok {
			if whole, ok := x.decode(e, p.fields); ok {
				r.Passes = whole.Passes
				return r
			}
		}
	}
	// Some times cannot be packed: those of a zone that is off by odd seconds.
	if whole, warn := readRun(r.Path, nil); warn == nil {
		r.Passes = whole.Passes
	}
	return r
}
