package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"opcost/perfctl/report"
	"opcost/profiles"
	"opcost/profiles/diff"
	"opcost/profiles/granularity"
	"opcost/profiles/quality"
	"opcost/profiles/subsystem"
	"opcost/profiles/top"
)

type profileCmd struct {
	Top    profileTopCmd    `cmd:"" help:"What each function cost per query."`
	Diff   profileDiffCmd   `cmd:"" help:"Which functions' cost per query changed; rows add up to the whole change."`
	Flame  profileFlameCmd  `cmd:"" help:"Write a flame graph, or the difference of two, as one HTML file."`
	Export profileExportCmd `cmd:"" help:"Write a profile as pprof or as folded stacks."`
}

// aboutInputs is how all of them are told what to read.
const aboutInputs = `An input is a file (pprof, perf.data, the text of perf script, callgrind.out, folded
stacks; gzip too), a folder of callgrind's files, or runs of a plan with "profile: true":
a folder of results, or [DIR:]version,workload=ID,clients=N of it.`

// rows are the flags of tables of functions.
type rows struct {
	Granularity string `help:"A row is a function (name and object), a name, an object or a subsystem." default:"function" enum:"function,name,object,subsystem"`
	Limit       int    `help:"Rows for people; the rest is one row. 0: all." default:"30"`
	Subsystems  string `help:"File with further lines for the table of subsystems (docs/profiles.md)." placeholder:"FILE"`
}

func (r rows) table() (*subsystem.Table, error) {
	if r.Limit < 0 {
		return nil, usageError{fmt.Errorf("--limit %d: give a number of rows, or 0 for all", r.Limit)}
	}
	if r.Subsystems == "" {
		return subsystem.Default(), nil
	}
	f, err := os.Open(r.Subsystems)
	if err != nil {
		return nil, usageError{fmt.Errorf("--subsystems: %w", err)}
	}
	defer f.Close()
	t, err := subsystem.Load(f, subsystem.Default())
	if err != nil {
		return nil, usageError{fmt.Errorf("--subsystems %s: %w", r.Subsystems, err)}
	}
	return t, nil
}

type profileTopCmd struct {
	Inputs []string `arg:"" name:"input" help:"Profiles."`
	Events bool     `help:"List the events that the inputs hold, and no more."`
	reading
	rows
	showing `embed:"" set:"formats=table, markdown, csv, tsv, json"`
}

func (profileTopCmd) Help() string {
	return aboutInputs + `

Examples:
  opcost profile top opcost-results-night
  opcost profile top night:8.0.28,workload=scan --granularity subsystem
  opcost profile top perf.data --operations 48211 --limit 50
  opcost profile top callgrind.out.4711 --format csv > functions.csv`
}

// Run prints a table for each version, workload and number of clients.
func (c *profileTopCmd) Run(ctx context.Context, con console) error {
	format, err := c.parse()
	if err != nil {
		return err
	}
	places, err := c.table()
	if err != nil {
		return err
	}
	groups, err := c.groups(ctx, con, c.Inputs)
	if err != nil {
		return err
	}
	if c.Events {
		for _, g := range groups {
			weight, samples := g.whole.Total()
			fmt.Fprintf(printable{con.out}, "%s: %s, %d %s in %d samples\n", g.title, g.whole.Event.Name, weight, g.whole.Event.Unit, samples)
		}
		return nil
	}
	var tops []report.Top
	for _, g := range groups {
		o := top.Options{By: granularity.Level(c.Granularity), Subsystems: places}
		if format == report.Table || format == report.Markdown {
			o.Limit = c.Limit
		}
		t, err := top.Build(g.whole, o)
		if err != nil {
			return fmt.Errorf("%s: %w", g.title, err)
		}
		tops = append(tops, report.Top{Title: g.title, Table: t, Quality: quality.Check(g.whole, c.quality(ctx)), Warnings: g.warnings})
	}
	return report.WriteTop(con.out, format, tops, c.layout(con))
}

type profileDiffCmd struct {
	Inputs []string `arg:"" optional:"" name:"input" help:"BASE and NEW; or, with --base and --new, folders of results."`
	sides
	KeepNoise bool `help:"Give each function a row, also those that moved within noise."`
	reading
	rows
	showing `embed:"" set:"formats=table, markdown, csv, tsv, json"`
}

func (profileDiffCmd) Help() string {
	return aboutInputs + `

Costs are per query; a function of which one side has nothing is told "gone" or
"new", code without a name by its object. With repeats, or samples, what moved within
noise is one row.

Examples:
  opcost profile diff before.pb.gz after.pb.gz
  opcost profile diff night --base 8.0.27 --new 8.0.28,workload=scan
  opcost profile diff --base a1.pb.gz --base a2.pb.gz --new b.pb.gz
  opcost profile diff a b --base-operations 482 --new-operations 401`
}

// Run prints what changed.
func (c *profileDiffCmd) Run(ctx context.Context, con console) error {
	format, err := c.parse()
	if err != nil {
		return err
	}
	places, err := c.table()
	if err != nil {
		return err
	}
	base, new, err := c.two(ctx, con, c.reading, c.Inputs)
	if err != nil {
		return err
	}
	t, err := diff.Build(asSides(base.each), asSides(new.each), diff.Options{By: granularity.Level(c.Granularity), Subsystems: places, KeepNoise: c.KeepNoise, Quality: c.quality(ctx)})
	if err != nil {
		return fmt.Errorf("%s against %s: %w", new.title, base.title, err)
	}
	d := report.Diff{Title: base.title + " → " + new.title, Table: t, Warnings: append(base.warnings, new.warnings...)}
	if format == report.Table || format == report.Markdown {
		d.Limit = c.Limit
	}
	return report.WriteDiff(con.out, format, d, c.layout(con))
}

func asSides(ps []*profiles.Profile) (out []diff.Side) {
	for _, p := range ps {
		out = append(out, diff.Side{Profile: p})
	}
	return out
}

// sides are the flags that name two versions.
type sides struct {
	Base           []string `sep:"none" help:"The base: a selection of runs, or a file; again for each repeat." placeholder:"SEL"`
	New            []string `sep:"none" help:"What it is compared with, likewise." placeholder:"SEL"`
	BaseOperations queries  `help:"Queries in the base's window, where the input does not say." placeholder:"N"`
	NewOperations  queries  `help:"Queries in the new one's." placeholder:"N"`
}

// two reads both sides; of what they hold, one event and one cell each.
func (s sides) two(ctx context.Context, con console, r reading, inputs []string) (base, new group, err error) {
	b, n := s.Base, s.New
	switch {
	case len(b) == 0 && len(n) == 0 && len(inputs) == 2:
		b, n, inputs = inputs[:1], inputs[1:], nil
	case len(b) == 0 || len(n) == 0:
		return base, new, usageError{errors.New("give two inputs, BASE and NEW, or --base and --new")}
	}
	first, err := r.side(ctx, con, "--base", b, inputs, s.BaseOperations)
	if err != nil {
		return base, new, err
	}
	second, err := r.side(ctx, con, "--new", n, inputs, s.NewOperations)
	if err != nil {
		return base, new, err
	}
	return pairUp(first, second)
}

// pairUp finds the cell that both sides have. Several, or none, is an error that
// lists them.
func pairUp(bases, news []group) (base, new group, err error) {
	var found [][2]group
	for _, b := range bases {
		for _, n := range news {
			if b.key.alike(n.key) {
				found = append(found, [2]group{b, n})
			}
		}
	}
	found = telling(found, func(p [2]group) profiles.Event { return p[0].whole.Event })
	names := func(gs []group) string {
		var out []string
		for _, g := range gs {
			out = append(out, g.title+" ("+g.whole.Event.Name+")")
		}
		return strings.Join(out, "; ")
	}
	switch len(found) {
	case 1:
		return found[0][0], found[0][1], nil
	case 0:
		return base, new, usageError{fmt.Errorf("the two have no event, workload and number of clients in common.\n  base: %s\n  new: %s", names(bases), names(news))}
	}
	var both []string
	for _, p := range found {
		both = append(both, p[1].title+" ("+p[1].whole.Event.Name+")")
	}
	return base, new, usageError{fmt.Errorf("the two have several in common; choose one, as with --new VERSION,workload=ID,clients=N, or --event: %s", strings.Join(both, "; "))}
}
