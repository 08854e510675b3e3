package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"opcost/perfctl/compare"
	convert "opcost/perfctl/profiling"
	"opcost/perfctl/result"
	"opcost/profiles"
	inputs "opcost/profiles/open"
	"opcost/profiles/perfdata"
)

// maxProfile bounds a profile beside a run's record, which may come from elsewhere.
const maxProfile = 256 << 20

// run is the profile beside a run's record, if there is one.
func (r reading) run(ctx context.Context, run result.Run) ([]group, error) {
	path, err := run.EvidenceFile(result.ProfileFile, maxProfile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := r
	all.Event = "" // other runs of the cell may have the event that was asked for
	gs, err := all.file(ctx, path)
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("%w; remove that file to go on without the run's profile", err)
	}
	if err != nil {
		return nil, err
	}
	for i := range gs {
		gs[i].key = cell{host: run.Host, version: run.Version, workload: run.Workload, protocol: run.Protocol, driver: run.Driver, clients: run.Clients, event: gs[i].key.event}
		gs[i].title = fmt.Sprintf("%s, %s, %s", run.Version, run.Workload, compare.ClientsText(run.Clients))
	}
	return gs, nil
}

// file reads one, a group an event.
func (r reading) file(ctx context.Context, path string) ([]group, error) {
	set, err := inputs.Open(ctx, path, inputs.Options{PerfData: perfdata.Options{SymFS: r.Symfs}})
	if err != nil {
		return nil, err // it names the file
	}
	var out []group
	for _, p := range set.Profiles {
		p, note, err := convert.Boundaries(p, r.Symfs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if note != "" && len(out) == 0 {
			set.Warnings = append(set.Warnings, note)
		}
		g := group{key: cell{event: p.Event.Name, file: path}, title: filepath.Base(path), from: realPath(path), each: []*profiles.Profile{p}, whole: p}
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
	return r.asked(path, out)
}

// realPath is one name of a file that may have several.
func realPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path
}

// counts is what an event of a name counts.
func counts(event string) string { return profiles.Event{Name: event}.Counts() }
