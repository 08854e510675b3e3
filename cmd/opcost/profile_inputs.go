package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"opcost/collectors/probe/binary"
	"opcost/perfctl/result"
	"opcost/perfctl/selection"
	"opcost/profiles"
	"opcost/profiles/quality"
)

// reading are the flags of what is read.
type reading struct {
	Event      string  `help:"The event, where an input holds several. Default: instructions, else cycles, else the CPU's clock." placeholder:"NAME"`
	Operations queries `help:"Queries in the profile's window, where the input does not say." placeholder:"N"`
	Symfs      string  `help:"Folder in which the profiled programs' files are, for perf.data of another root." placeholder:"DIR"`
}

// cell tells profiles apart that must not be added up.
type cell struct {
	host, version, workload, protocol, driver string
	clients                                   int
	event                                     string
	file                                      string // of what is no run
}

// alike are cells of two versions that compare.
func (c cell) alike(o cell) bool {
	same := counts(c.event) == counts(o.event)
	if c.file != "" || o.file != "" {
		return same // a file says little of itself; what it says is warned of
	}
	return same && c.workload == o.workload && c.clients == o.clients && c.protocol == o.protocol && c.driver == o.driver
}

// group is one cell's profiles: its repeats, and their sum.
type group struct {
	key      cell
	title    string
	from     string // the file that it was read from
	each     []*profiles.Profile
	whole    *profiles.Profile
	warnings []string
}

// groups reads inputs, and adds up the repeats of a cell.
func (r reading) groups(ctx context.Context, con console, inputs []string) ([]group, error) {
	var all []group
	for _, in := range inputs {
		gs, err := r.input(ctx, con, in, nil)
		if err != nil {
			return nil, err
		}
		if gs[0].key.file == "" { // of a file all events are shown
			gs = r.chosen(gs)
		}
		all = append(all, gs...)
	}
	return r.added(all, r.Operations)
}

// side reads one side of a comparison.
func (r reading) side(ctx context.Context, con console, flag string, selections, dirs []string, operations queries) ([]group, error) {
	var all []group
	for _, in := range selections {
		gs, err := r.input(ctx, con, in, dirs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		all = append(all, gs...)
	}
	if len(selections) > 1 { // files given for one side are its repeats
		first := ""
		for i := range all {
			if all[i].key.file != "" {
				first = cmp.Or(first, all[i].key.file)
				all[i].key.file = first
			}
		}
	}
	return r.added(all, cmp.Or(operations, r.Operations))
}

// added joins the profiles of each cell.
func (r reading) added(all []group, operations queries) ([]group, error) {
	var out []group
	read := map[[2]string]bool{}
	for _, g := range all {
		once := [2]string{g.from, g.key.event}
		if read[once] {
			return nil, usageError{fmt.Errorf("%s is given twice: a profile is no repeat of itself, and would be taken for one without noise", g.from)}
		}
		read[once] = true
		i := slices.IndexFunc(out, func(o group) bool { return o.key == g.key })
		if i < 0 {
			out = append(out, g)
			continue
		}
		out[i].each = append(out[i].each, g.each...)
		out[i].warnings = append(out[i].warnings, g.warnings...)
	}
	for i := range out {
		for _, p := range out[i].each {
			switch said := p.About.Operations; {
			case operations > 0 && said == 0:
				p.About.Operations = float64(operations)
			case operations > 0 && said != float64(operations):
				out[i].warnings = append(out[i].warnings, fmt.Sprintf("it says itself that it is of %.10g operations; the %.10g that were given are not used", said, float64(operations)))
			}
		}
		var err error
		if out[i].whole, err = profiles.Merge(out[i].each...); err != nil {
			return nil, fmt.Errorf("%s: %w", out[i].title, err)
		}
		if n := len(out[i].each); n > 1 {
			out[i].title += fmt.Sprintf(", %d profiles", n)
		}
	}
	return out, nil
}

// input reads one: a file, a folder of callgrind's files, or runs.
func (r reading) input(ctx context.Context, con console, in string, dirs []string) ([]group, error) {
	st, err := os.Stat(in)
	switch {
	case err == nil && (!st.IsDir() || !result.IsFolder(in)):
		return r.file(ctx, in)
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENAMETOOLONG):
		return nil, err // it is there, and cannot be looked at
	}
	sel, err := selection.Parse(in, isDir)
	if err != nil {
		return nil, usageError{err}
	}
	if sel.Dir != "" {
		dirs = []string{sel.Dir}
	}
	if len(dirs) == 0 {
		return nil, usageError{fmt.Errorf("%s is no file, no folder, and no DIR:version of a folder of results", in)}
	}
	runs, _, err := read(con, dirs)
	if err != nil {
		return nil, err
	}
	if runs, err = sel.Pick(runs); err != nil {
		return nil, usageError{err}
	}
	var out []group
	for _, run := range runs {
		gs, err := r.run(ctx, run)
		if err != nil {
			return nil, err
		}
		out = append(out, gs...)
	}
	if len(out) == 0 {
		return nil, usageError{fmt.Errorf("%s: its %d runs have no profile: put `profile: true` in the plan and measure again, or look at the runs' reasons with `opcost report`", in, len(runs))}
	}
	return r.asked(in, out)
}

// eventsOf lists the events that there are.
func eventsOf(gs []group) string {
	var names []string
	for _, g := range gs {
		if !slices.Contains(names, g.key.event) {
			names = append(names, g.key.event)
		}
	}
	return strings.Join(names, ", ")
}

func isDir(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}

// asked keeps the event that was asked for; all, if none was.
func (r reading) asked(in string, gs []group) ([]group, error) {
	if r.Event == "" {
		return gs, nil
	}
	same := func(g group) bool { return g.key.event == r.Event }
	if !slices.ContainsFunc(gs, same) { // cycles is cycles:P too
		same = func(g group) bool { return counts(g.key.event) == counts(r.Event) }
	}
	picked := slices.DeleteFunc(slices.Clone(gs), func(g group) bool { return !same(g) })
	if len(picked) == 0 {
		return nil, usageError{fmt.Errorf("%s has no event %q; it has: %s", in, r.Event, eventsOf(gs))}
	}
	return picked, nil
}

// chosen is what is shown of runs where no event was asked for.
func (r reading) chosen(gs []group) []group {
	if r.Event != "" {
		return gs
	}
	return telling(gs, func(g group) profiles.Event { return g.whole.Event })
}

// telling keeps those of the event that says most: counted instructions before
// sampled ones before time.
func telling[T any](all []T, event func(T) profiles.Event) []T {
	best := len(preferred)
	for _, g := range all {
		best = min(best, rank(event(g)))
	}
	return slices.DeleteFunc(slices.Clone(all), func(g T) bool { return rank(event(g)) != best })
}

var preferred = []func(profiles.Event) bool{
	func(e profiles.Event) bool { return e.Counted && e.Unit == profiles.Instructions },
	func(e profiles.Event) bool { return e.Unit == profiles.Instructions },
	func(e profiles.Event) bool { return e.Unit == profiles.Cycles },
	func(e profiles.Event) bool { return e.Unit == profiles.Nanoseconds },
}

func rank(e profiles.Event) int {
	if i := slices.IndexFunc(preferred, func(is func(profiles.Event) bool) bool { return is(e) }); i >= 0 {
		return i
	}
	return len(preferred)
}

// quality lets checks name the packages that have symbols. A file of a package is
// looked for as this machine has it; the profile may be of another.
func (reading) quality(ctx context.Context) quality.Options {
	return quality.Options{SymbolPackage: func(object, _ string) string {
		manager, name := binary.Owner(ctx, object)
		return quality.DebugPackage(manager, name)
	}}
}
