package result

import (
	"path/filepath"
	"reflect"
	"slices"
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
// write to. One whose record is gone or damaged by now says so in place of its
// readings.
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
	whole, warn := readRun(r.Path, nil)
	if warn != nil {
		return r.lost(warn.Text)
	}
	r.Passes = whole.Passes
	return r
}

// lost is the run with the reason why its windows have no readings: none of them is
// used, since only the readings tell which of them were traced.
func (r Run) lost(why string) Run {
	r.Passes = slices.Clone(r.Passes)
	for i := range r.Passes {
		p := &r.Passes[i]
		p.Windows = slices.Clone(p.Windows) // the run that was read keeps its own
		source := SourcePerf
		if p.Kind == PassCallgrind {
			source = SourceCallgrind
		}
		for j := range p.Windows {
			w := &p.Windows[j]
			w.State, w.Reason = Failed, why
			w.Readings = []Reading{Lacking("collector_"+runFile, "", source, "", Failed, why, "")}
		}
	}
	return r
}
