package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"opcost/perfctl/compare"
	"opcost/perfctl/report"
	html "opcost/perfctl/report/page"
	"opcost/perfctl/result"
)

// parseAny is for commands that have a page. One that would go to a terminal is
// refused before anything is read or measured.
func (s showing) parseAny(con console, w writing) (report.Format, error) {
	f, err := report.ParseFormat(s.Format)
	if err != nil {
		return f, usageError{err}
	}
	if out, ok := con.out.(*os.File); ok && f == report.HTML && w.Out == "" && term.IsTerminal(int(out.Fd())) {
		return f, usageError{errors.New("--format html is a page for a browser, and stdout is a terminal: put `> page.html` behind the command")}
	}
	return f, nil
}

// check finds flags that do not go together.
func (c *reportCmd) check(f report.Format) error {
	switch {
	case f == report.HTML && c.any():
		return usageError{errors.New("--format html holds all views in one page: leave --relative, --sweep, --series and --costs out; --metric chooses what it shows first")}
	case c.Flames && f != report.HTML:
		return usageError{errors.New("--flames is of the page: give --format html with it")}
	case c.Flames && (c.Out == "" || c.Out == "-"):
		return usageError{errors.New("--flames writes files beside the page: give --out FILE")}
	}
	return nil
}

// page writes the page of a report.
func (c *reportCmd) page(ctx context.Context, con console, runs []result.Run, warnings []result.Warning) error {
	p := paged{comparing: c.comparing, dirs: c.Dirs, base: c.Base, metric: c.Metric}
	if c.Flames {
		var err error
		if p.flames, err = flamesBeside(ctx, con, c.writing, runs); err != nil {
			return err
		}
	}
	return p.write(con, c.writing, runs, warnings)
}

// paged is a page to make.
type paged struct {
	comparing
	dirs, order  []string
	base, metric string
	flames       map[string]string // pages of flame graphs, by the runs' own folders
}

// write makes the page.
func (p paged) write(con console, to writing, runs []result.Run, warnings []result.Warning) error {
	o := compare.Options{Base: p.base, Order: p.order, ByNumber: true, NoiseFloor: p.floor(con, runs)}
	if p.base == previous && has(runs, p.base) != nil {
		o.Base, o.Previous = "", true
	}
	r := compare.Build(runs, o)
	if p.metric != "" && p.metric != "qps" { // the default may be lacking
		if err := mustHave(r, p.metric); err != nil {
			return err
		}
	}
	r.Warnings = append(r.Warnings, warnings...)
	in := html.Input{Title: p.title(), Report: r, Series: series(runs, o, r, p.metric), Metric: p.metric}
	in.Evidence, in.Notes = evidence(to.Out, runs, p.flames)
	var made html.Written
	err := to.write(con, func(w io.Writer) (err error) {
		made, err = html.Write(w, in)
		return err
	})
	if n := len(made.LeftOut); err == nil && n > 0 {
		fmt.Fprintf(con.err, "warning: so that the page has no more than %d MB, %d metrics that are looked at least are left out; it names them\n", html.DefaultLimit/1_000_000, n)
	}
	return err
}

func (p paged) title() string {
	var names []string
	for _, d := range p.dirs {
		names = append(names, filepath.Base(filepath.Clean(d)))
	}
	if len(names) > 4 {
		names = append(names[:3], fmt.Sprintf("%d more", len(names)-3))
	}
	return "Cost per query: " + strings.Join(names, ", ")
}

// series are those of the metrics that people follow over releases.
func series(runs []result.Run, o compare.Options, r compare.Report, chosen string) (all []compare.Series) {
	if len(r.Versions) < 3 {
		return nil
	}
	done := map[string]bool{"": true}
	for _, metric := range []string{chosen, "qps", "instructions_per_query", "cpu_us_per_query"} {
		if done[metric] || mustHave(r, metric) != nil {
			continue
		}
		done[metric] = true
		o.Previous, o.Metric, o.Only = false, metric, compare.SeriesMetrics(metric)
		toBase, toPrevious := compare.BuildBoth(runs, o)
		all = append(all, compare.SeriesOf(toBase, toPrevious, metric))
	}
	return all
}

// evidence links runs from a page; out is the page's file, or "" and "-" for
// stdout, which is taken to lead to a file in the current folder. Folders that
// lie further off than beside the page's are not linked: such links break as soon
// as anything is moved.
func evidence(out string, runs []result.Run, flames map[string]string) (links []html.Run, notes []string) {
	from, err := filepath.Abs(pageFolder(out))
	if err != nil {
		return nil, []string{"evidence is not linked: " + err.Error()}
	}
	far := map[string]bool{}
	for _, r := range runs {
		to, err := filepath.Abs(r.Path)
		if err == nil && r.Path != "" {
			to, err = filepath.Rel(from, to)
		}
		to = filepath.ToSlash(to)
		if err != nil || r.Path == "" || strings.HasPrefix(to, "../../") {
			far[r.Dir] = true
			continue
		}
		link := html.Run{Host: r.Host, Version: r.Version, Workload: r.Workload, Clients: r.Clients, Protocol: r.Protocol, Driver: r.Driver,
			ID: r.ID, Folder: to, Flame: flames[r.Path]}
		files, err := r.EvidenceFiles()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			notes = append(notes, "evidence is not linked: "+err.Error())
		}
		for _, name := range files {
			link.Files = append(link.Files, "evidence/"+name)
		}
		links = append(links, link)
	}
	for _, d := range slices.Sorted(maps.Keys(far)) {
		notes = append(notes, fmt.Sprintf("the evidence in %s is not linked: write the page into that folder or beside it (--out)", filepath.Base(filepath.Clean(d))))
	}
	return links, notes
}

func pageFolder(out string) string {
	if out == "" || out == "-" {
		return "."
	}
	return filepath.Dir(out)
}
