package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"opcost/collectors/probe/binary"
	"opcost/perfctl/result"
	"opcost/perfctl/selection"
	"opcost/profiles"
	inputs "opcost/profiles/open"
	"opcost/profiles/perfdata"
	"opcost/profiles/quality"
)

// reading are the flags of what is read.
type reading struct {
	Event      string  `help:"The event, where an input holds several. Default: instructions, else cycles, else the CPU's clock." placeholder:"NAME"`
	Operations float64 `help:"Queries in the profile's window, where the input does not say." placeholder:"N"`
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
	same := c.event == o.event
	if c.file != "" || o.file != "" {
		return same // a file says little of itself; what it says is warned of
	}
	return same && c.workload == o.workload && c.clients == o.clients && c.protocol == o.protocol && c.driver == o.driver
}

// group is one cell's profiles: its repeats, and their sum.
type group struct {
	key      cell
	title    string
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
		all = append(all, gs...)
	}
	return r.added(all, r.Operations)
}

// side reads one side of a comparison.
func (r reading) side(ctx context.Context, con console, flag string, selections, dirs []string, operations float64) ([]group, error) {
	var all []group
	for _, in := range selections {
		gs, err := r.input(ctx, con, in, dirs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		all = append(all, gs...)
	}
	if len(selections) > 1 { // files given for one side are its repeats
		for i := range all {
			all[i].key.file = cmp.Or(all[i].key.file, all[0].key.file)
			if all[i].key.file != "" {
				all[i].key.file = all[0].key.file
			}
		}
	}
	return r.added(all, cmp.Or(operations, r.Operations))
}

// added joins the profiles of each cell.
func (r reading) added(all []group, operations float64) ([]group, error) {
	var out []group
	for _, g := range all {
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
			if operations > 0 && p.About.Operations == 0 {
				p.About.Operations = operations
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
	if st, err := os.Stat(in); err == nil && (!st.IsDir() || !result.IsFolder(in)) {
		return r.file(ctx, in)
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
	if picked := r.chosen(slices.Clone(out)); len(picked) > 0 {
		return picked, nil
	}
	return nil, usageError{fmt.Errorf("%s has no event %q; it has: %s", in, r.Event, eventsOf(out))}
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

// run is the profile beside a run's record, if there is one.
func (r reading) run(ctx context.Context, run result.Run) ([]group, error) {
	path := filepath.Join(run.Path, "evidence", result.ProfileFile)
	if _, err := os.Stat(path); err != nil {
		return nil, nil
	}
	all := r
	all.Event = "" // other runs of the cell may have the event that was asked for
	gs, err := all.file(ctx, path)
	if err != nil {
		return nil, err
	}
	for i := range gs {
		gs[i].key = cell{host: run.Host, version: run.Version, workload: run.Workload, protocol: run.Protocol, driver: run.Driver, clients: run.Clients, event: gs[i].key.event}
		gs[i].title = fmt.Sprintf("%s, %s, %s", run.Version, run.Workload, clientsText(run.Clients))
	}
	return gs, nil
}

func clientsText(n int) string {
	if n == 1 {
		return "1 client"
	}
	return fmt.Sprintf("%d clients", n)
}

// file reads one, a group an event.
func (r reading) file(ctx context.Context, path string) ([]group, error) {
	set, err := inputs.Open(ctx, path, inputs.Options{PerfData: perfdata.Options{SymFS: r.Symfs}})
	if err != nil {
		return nil, err // it names the file
	}
	var out []group
	for _, p := range set.Profiles {
		g := group{key: cell{event: p.Event.Name, file: path}, title: filepath.Base(path), each: []*profiles.Profile{p}, whole: p}
		if v := p.About.Version; v != "" {
			g.title = v + " (" + g.title + ")"
		}
		if len(out) == 0 {
			g.warnings = set.Warnings
		}
		out = append(out, g)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no profile", path)
	}
	if r.Event == "" {
		return out, nil
	}
	if picked := r.chosen(slices.Clone(out)); len(picked) > 0 {
		return picked, nil
	}
	return nil, usageError{fmt.Errorf("%s has no event %q; it has: %s", path, r.Event, eventsOf(out))}
}

// chosen keeps the event that was asked for, else of runs the one that says most:
// counted instructions before sampled ones before time.
func (r reading) chosen(gs []group) []group {
	if r.Event != "" {
		return slices.DeleteFunc(gs, func(g group) bool { return g.key.event != r.Event })
	}
	best := len(preferred)
	for _, g := range gs {
		best = min(best, rank(g.whole.Event))
	}
	return slices.DeleteFunc(gs, func(g group) bool { return rank(g.whole.Event) != best })
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
