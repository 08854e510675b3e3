package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"opcost/collectors/probe"
	"opcost/perfctl"
	"opcost/perfctl/compare"
	"opcost/perfctl/leftover"
	"opcost/perfctl/narrow"
	"opcost/perfctl/plan"
	"opcost/perfctl/report"
	"opcost/perfctl/result"
)

type narrowCmd struct {
	Plan      string  `arg:"" help:"A plan with one workload and one number of clients; its versions are the builds, oldest first."`
	Out       string  `help:"Folder for the results; a search that was broken off goes on there. Default: opcost-narrow-PLAN." placeholder:"DIR"`
	Work      string  `help:"Folder for the servers' data while measuring. Default: the results folder." placeholder:"DIR"`
	Metric    string  `help:"The metric that changed. Default: instructions/query, else CPU/query." placeholder:"NAME"`
	Starts    int     `help:"Server starts of a build before it is judged." default:"2"`
	Most      int     `help:"Server starts of a build before it is given up as undecided." default:"8"`
	Threshold float64 `help:"The least change worth looking for, as a share: 0.01 is 1%. Default: the metric's own." placeholder:"SHARE"`
	comparing `embed:"" set:"formats=table, markdown, csv, tsv, json"`
}

func (narrowCmd) Help() string {
	return `The first and the last build are measured first: if they do not differ, there is
nothing to find. Then the build in the middle of what is left is measured, and told good
or bad by its whole interval against the middle between the ends; while that says
neither it gets further starts. A build that does not start is passed over.

With a metric that is measured in time, the first build is measured again beside every
other, as the machine may drift.

Examples:
  opcost narrow builds.yaml
  opcost narrow builds.yaml --metric context_switches_per_query`
}

// Run searches, measuring as it goes.
func (c *narrowCmd) Run(ctx context.Context, stop *stopper, con console) error {
	private()
	format, err := c.parse()
	if err != nil {
		return err
	}
	p, err := c.plan()
	if err != nil {
		return usageError{err}
	}
	out := cmp.Or(c.Out, "opcost-narrow-"+strings.TrimSuffix(filepath.Base(c.Plan), filepath.Ext(c.Plan)))
	if err := folders(c.Work); err != nil {
		return usageError{err}
	}
	if err := enoughFiles(p); err != nil {
		return usageError{err}
	}
	folder, _, err := open(con, out, c.Plan, p)
	if err != nil {
		return err
	}
	defer folder.Close()
	s := &searching{narrowCmd: c, plan: p, out: out, broken: map[string]string{}}
	work := cmp.Or(c.Work, out)
	bar := newProgress(con.err)
	defer bar.close()
	bar.note("results: %s", out)
	for _, note := range leftover.Clear(work) {
		bar.note("warning: %s", note)
	}
	s.options = perfctl.RunOptions{Folder: folder, Work: work, Caps: probe.Ask(ctx), Notify: bar.show, AtOnce: stop.atOnce}
	move, rows, err := s.search(ctx, con, bar)
	bar.close()
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w\nthe same command goes on with the search", err)
		}
		return err
	}
	return report.WriteNarrow(con.out, format, report.Narrowed{Metric: s.metric, Rows: rows, Answer: *move.Answer, Broken: s.broken}, c.layout(con))
}

// plan reads the plan and checks that it can be searched.
func (c *narrowCmd) plan() (*plan.Plan, error) {
	p, err := plan.Read(c.Plan, known{})
	if err != nil {
		return nil, err
	}
	var problems []string
	if len(p.Versions) < 2 {
		problems = append(problems, "give at least two versions, in the order of the builds")
	}
	if ids, err := (known{}).Workloads(p.Workloads); err == nil && len(ids) != 1 {
		problems = append(problems, fmt.Sprintf("give one workload, not %d: a search follows one number", len(ids)))
	}
	if len(p.Clients) != 1 {
		problems = append(problems, fmt.Sprintf("give one number of clients, not %d", len(p.Clients)))
	}
	if p.Budget > 0 {
		problems = append(problems, "leave `budget:` out: a search makes no start that it does not need")
	}
	if c.Starts < 2 || c.Most < c.Starts {
		problems = append(problems, "--starts is 2 or more, and --most not below it: one start has no interval")
	}
	if c.Threshold < 0 || c.Threshold >= 1 {
		problems = append(problems, fmt.Sprintf("--threshold %g: give a share from 0 to 1, as 0.01 for 1%%", c.Threshold))
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("%s cannot be narrowed: %s", c.Plan, strings.Join(problems, "; "))
	}
	p.Base, p.Repeats = p.Versions[0].Name, c.Most
	return p, nil
}

// searching is a search under way.
type searching struct {
	*narrowCmd
	plan    *plan.Plan
	out     string
	options perfctl.RunOptions
	metric  string
	limit   float64           // the metric's own threshold
	pass    result.PassKind   // the only one needed, once the metric's source is known
	broken  map[string]string // builds that cannot be measured, and why
}

func (s *searching) search(ctx context.Context, con console, bar *progress) (narrow.Move, []report.NarrowedRow, error) {
	for {
		rows, err := s.rows(con)
		if err != nil {
			return narrow.Move{}, nil, err
		}
		var builds []narrow.Build
		for _, r := range rows {
			if s.broken[r.Name] == "" {
				builds = append(builds, r.Build)
			}
		}
		move := narrow.Next(builds, narrow.Options{First: s.Starts, Most: s.Most, Threshold: s.threshold(), Control: s.drifts()})
		if move.Answer != nil {
			for i := range rows {
				rows[i].Side = move.Answer.Sides[rows[i].Name]
			}
			return move, rows, nil
		}
		for _, w := range move.Measure {
			bar.note("%s: %d starts, %s", w.Name, w.Starts, move.Why)
		}
		failed := s.measure(ctx, move.Measure)
		if ctx.Err() != nil || perfctl.CannotGoOn(failed) {
			return move, nil, failed
		}
		if failed != nil {
			bar.note("warning: %v", failed)
		}
		if err := s.without(con, move.Measure, builds, failed); err != nil {
			return move, nil, err
		}
	}
}

// measure makes the starts that are wanted and not on disk.
func (s *searching) measure(ctx context.Context, wants []narrow.Want) error {
	o := s.options
	runs, _, err := result.Read(s.out)
	if err != nil {
		return err
	}
	o.Have = map[string]bool{}
	for _, r := range runs {
		o.Have[r.ID] = r.Complete()
	}
	o.Only = func(version string, repeat int, pass result.PassKind) bool {
		i := slices.IndexFunc(wants, func(w narrow.Want) bool { return w.Name == version })
		return i >= 0 && repeat < wants[i].Starts && (s.pass == "" || pass == s.pass)
	}
	return perfctl.Run(ctx, s.plan, o)
}

// without gives up builds that a measurement brought nothing of; an end that
// cannot be measured ends the search.
func (s *searching) without(con console, wants []narrow.Want, before []narrow.Build, failed error) error {
	rows, err := s.rows(con)
	if err != nil {
		return err
	}
	for _, w := range wants {
		was := before[slices.IndexFunc(before, func(b narrow.Build) bool { return b.Name == w.Name })]
		is := rows[slices.IndexFunc(rows, func(r report.NarrowedRow) bool { return r.Name == w.Name })]
		if is.Starts > was.Starts || w.Starts <= was.Starts {
			continue
		}
		if failed == nil {
			failed = fmt.Errorf("its runs do not give %s", cmp.Or(s.metric, "a metric that carries a verdict"))
		}
		if w.Name == before[0].Name || w.Name == before[len(before)-1].Name {
			return fmt.Errorf("%s is an end of the search and cannot be measured: %w", w.Name, failed)
		}
		s.broken[w.Name] = failed.Error()
	}
	return nil
}

// rows are the builds as far as they are measured.
func (s *searching) rows(con console) ([]report.NarrowedRow, error) {
	runs, _, err := result.Read(s.out)
	if err != nil {
		return nil, err
	}
	names := order(s.plan)
	r := compare.Build(runs, compare.Options{Base: names[0], Order: names, Metric: s.Metric, NoiseFloor: s.floor(con, runs), FDR: compare.LookFDR})
	s.choose(r)
	out := make([]report.NarrowedRow, len(names))
	for i, name := range names {
		out[i].Name = name
		j := slices.IndexFunc(r.Rows, func(row compare.Row) bool { return row.Version == name })
		if j < 0 || s.metric == "" {
			continue
		}
		m, ok := r.Rows[j].Metrics[s.metric]
		if !ok || m.Value == nil {
			continue
		}
		out[i].Value, out[i].Unit, out[i].Starts = m.Value, m.Unit, m.N
		if v, ok := r.Rows[j].VsBase[s.metric]; ok && i > 0 {
			ratio := v.Ratio
			out[i].Ratio, out[i].Low, out[i].High = &ratio, v.Low, v.High
		}
	}
	return out, nil
}

// choose settles the metric once something is measured, and so the pass.
func (s *searching) choose(r compare.Report) {
	if s.metric != "" || len(r.Rows) == 0 {
		return
	}
	row := r.Rows[len(r.Rows)-1]
	s.metric = cmp.Or(s.Metric, row.Primary)
	s.limit = row.VsBase[s.metric].Threshold
	switch m, ok := row.Metrics[s.metric]; {
	case !ok:
	case m.Source == result.SourceCallgrind:
		s.pass = result.PassCallgrind
	default:
		s.pass = result.PassCount
	}
}

// drifts tells a metric that is measured in time, or by what a busy machine
// changes: everything but counted instructions.
func (s *searching) drifts() bool {
	return s.metric != "" && !strings.HasPrefix(s.metric, "instructions")
}

func (s *searching) threshold() float64 { return cmp.Or(s.Threshold, s.limit) }
