package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"opcost/collectors/probe"
	"opcost/perfctl"
	"opcost/perfctl/leftover"
	"opcost/perfctl/plan"
	"opcost/perfctl/report"
	"opcost/perfctl/result"
	"opcost/perfctl/workload"
)

type runCmd struct {
	Plan       string `arg:"" help:"The plan, a YAML file."`
	Out        string `help:"Folder for the results; one that holds part of this plan's runs is completed. Default: opcost-results-PLAN." placeholder:"DIR"`
	Work       string `help:"Folder for the servers' data while measuring, on the disk that is meant. Default: the results folder." placeholder:"DIR"`
	Beside     bool   `help:"Where DIR holds runs of another plan, measure into the folder beside-HASH in it, HASH being this plan's."`
	NoiseFloor bool   `help:"Measure the plan's base version against itself (six or more starts) and store what they differ by, for later verdicts on this machine."`
	Estimate   bool   `help:"Print the time and the disk that the plan needs, and do nothing else."`
	comparing  `embed:"" set:"formats=table, markdown, csv, tsv, json, benchfmt, html"`
}

func (runCmd) Help() string {
	return `Each version of the plan gets a private data directory and server of its own; the
machine's own servers are not touched. Every run is on disk the moment it ends, so
what was measured survives Ctrl-C, kill -9 and a power cut, and the same command goes
on with what is missing. Ctrl-C ends the window that is being measured, keeps it, stops
the servers and prints what there is; a second one ends at once.

A folder holds the runs of one plan, as what another plan measured does not compare:
after a change of the plan that could change a number, DIR is refused. With --beside
the changed plan gets a results folder of its own, DIR/beside-HASH, with a table of its own; the two are never mixed.

What a run that was killed left (its servers, their data) is cleared by the next one,
as far as it can be proved to be that run's; it is named on stderr.

With --noise-floor the plan's base version alone is started, six times or as often as it repeats. What
its starts differ by is stored for this machine, by metric, source, group of workloads and
number of clients; later runs and reports on it use that where they show less noise
themselves. The results folder is then opcost-noise-PLAN.

A plan's budget is the time for one such command: two starts of every cell come first,
then only those that the verdict needs, up to its repeats. The same command again goes on.

--format benchfmt prints Go benchmarks, a line for each server start; html makes one
page with charts, to look at offline.

Examples:
  opcost run examples/two-versions.yaml --estimate
  opcost run examples/two-versions.yaml
  opcost run night.yaml --out /data/night-17 --work /nvme
  opcost run night.yaml --format markdown > night.md
  opcost run night.yaml --format html > night.html
  opcost run night.yaml --noise-floor`
}

// Run measures the plan and prints the table.
func (c *runCmd) Run(ctx context.Context, stop *stopper, con console) error {
	private()
	format, err := c.parseAny(con, writing{})
	if err == nil && (format == report.HTML || format == report.Bench) && (c.NoiseFloor || c.Estimate) {
		err = usageError{fmt.Errorf("--format %s is of measured versions: it does not go with --noise-floor or --estimate", format)}
	}
	if err != nil {
		return err
	}
	p, err := plan.Read(c.Plan, known{})
	if err != nil {
		return usageError{err}
	}
	name := "opcost-results-"
	noisePath := ""
	if c.NoiseFloor {
		p, name = p.NoiseFloor(), "opcost-noise-"
		if noisePath, err = c.noiseTarget(); err != nil {
			return usageError{err}
		}
	}
	out := c.Out
	if out == "" {
		out = name + strings.TrimSuffix(filepath.Base(c.Plan), filepath.Ext(c.Plan))
	}
	if c.Estimate {
		return c.estimate(ctx, con, format, p, out)
	}
	if err := folders(c.Work); err != nil {
		return usageError{err}
	}
	if err := enoughFiles(p); err != nil {
		return usageError{err}
	}
	folder, have, err := open(con, out, c.Plan, p)
	var other *anotherPlan
	if c.Beside && errors.As(err, &other) {
		out = filepath.Join(out, "beside-"+p.Hash[:8])
		folder, have, err = open(con, out, c.Plan, p)
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	work := cmp.Or(c.Work, out)
	bar := newProgress(con.err)
	bar.note("results: %s", out)
	for _, note := range leftover.Clear(work) { // before the disk's room is looked at
		bar.note("warning: %s", note)
	}
	caps := probe.Ask(ctx)
	if err := c.check(ctx, bar, p, caps, have, work); err != nil {
		return err
	}
	o := perfctl.RunOptions{Folder: folder, Work: work, Caps: caps, Have: have, Notify: bar.show, AtOnce: stop.atOnce}
	if len(p.Versions) > 1 {
		o.Undecided = func() ([]perfctl.Undecided, error) { return c.undecided(p, out) }
	}
	measured := perfctl.Run(ctx, p, o)
	bar.close()

	// The table of what there is comes first: an error must not hide it.
	var printed error
	if c.NoiseFloor {
		printed = c.storeNoise(con, format, out, noisePath)
	} else {
		printed = c.print(con, format, p.Base, order(p), []string{out})
	}
	if measured != nil {
		if ctx.Err() != nil {
			measured = fmt.Errorf("%w\nthe same command goes on with what is missing", measured)
		}
		var gone usageError
		if perfctl.CannotGoOn(measured) && errors.As(printed, &gone) {
			return measured // the results cannot be read any more: that was told
		}
		return errors.Join(measured, printed)
	}
	return printed
}

// known lets a plan ask which workloads and character sets there are.
type known struct{}

func (known) Charsets() []string { return workload.Charsets() }

func (known) Workloads(names []string) ([]string, error) {
	tests, err := workload.Resolve(names)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(tests))
	for i, t := range tests {
		ids[i] = t.ID
	}
	return ids, nil
}

func (known) Drives(d plan.Driver, id string) error { return perfctl.CanDrive(d, id) }

func (known) Writes(id string) bool { return perfctl.Writes(id) }

func order(p *plan.Plan) []string {
	names := make([]string, len(p.Versions))
	for i, v := range p.Versions {
		names[i] = v.Name
	}
	return names
}

// anotherPlan is why a results folder does not do for a plan.
type anotherPlan struct{ out, has, file, hash string }

func (a *anotherPlan) Error() string {
	return fmt.Sprintf("%s holds runs of another plan (%s; %s is %s): give another --out, or --beside to measure it beside them", a.out, a.has, a.file, a.hash)
}

// open makes the results folder, or finds what it has of this plan already.
func open(con console, out, file string, p *plan.Plan) (*result.Folder, map[string]bool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, usageError{err}
	}
	folder, err := result.Create(out)
	if err != nil {
		return nil, nil, usageError{err}
	}
	have, err := present(con, out, file, p)
	if err == nil {
		err = folder.WritePlan(filepath.Base(file), text, p.Hash)
	}
	if err != nil {
		return nil, nil, errors.Join(err, folder.Close())
	}
	return folder, have, nil
}

// present finds the plan's runs in a results folder, and which are complete.
func present(con console, out, file string, p *plan.Plan) (map[string]bool, error) {
	runs, warnings, err := result.Read(out)
	if err != nil {
		return nil, err
	}
	have := map[string]bool{}
	for _, r := range runs {
		if r.PlanHash != p.Hash {
			return nil, usageError{&anotherPlan{out, r.PlanHash, file, p.Hash}}
		}
		have[r.ID] = r.Complete()
	}
	for _, w := range warnings {
		fmt.Fprintln(con.err, "warning:", w.Text)
	}
	return have, nil
}
