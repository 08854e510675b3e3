package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"opcost/perfctl/compare"
	"opcost/perfctl/explain"
	"opcost/perfctl/report"
	"opcost/perfctl/result"
	"opcost/perfctl/selection"
)

// exitSlower is the status of `compare --fail-on slower` where something is.
const exitSlower = 3

// slowerError is what --fail-on found.
type slowerError struct{ error }

type compareCmd struct {
	Dirs      []string `arg:"" optional:"" name:"dir" help:"Folders of results; a selection may name its own."`
	Base      string   `required:"" sep:"none" help:"What is compared with: [DIR:]version,workload=ID,clients=N,host=NAME; each part may be left out." placeholder:"SEL"`
	New       string   `required:"" sep:"none" help:"What is compared, likewise." placeholder:"SEL"`
	FailOn    string   `help:"slower: exit status 3 when something is slower (1 when no verdict could be given)." enum:",slower" default:"" placeholder:"slower"`
	All       bool     `help:"Explain each workload and number of clients, not only the worst."`
	Metric    string   `help:"The metric that carries the verdict. Default: instructions_per_query, else cpu_us_per_query." placeholder:"NAME"`
	Event     string   `help:"The event of the profiles. Default: instructions, else cycles, else the CPU's clock." placeholder:"NAME"`
	handing   `embed:""`
	comparing `embed:"" set:"formats=table, markdown, csv, tsv, json"`
}

func (compareCmd) Help() string {
	return `Says why a version costs more: what else differs, which factor of a query's time the
change is in, which functions, of what kind it is, and what would make it surer. The kinds
are written down in docs/compare.md.

Where the selections hold several workloads or numbers of clients, they are listed, the
worst first, and the worst is explained. Two versions, or one version at two numbers of
clients, on two hosts, or from two folders can be compared.

Examples:
  opcost compare opcost-results-night --base 8.0.27 --new 8.0.28
  opcost compare night --base 5.7 --new 8.0,workload=scan,clients=4
  opcost compare --base before:10.11 --new after:10.11 --all
  opcost compare night --base 11.4,clients=1 --new 11.4,clients=8
  opcost compare nightly --base release --new trunk --fail-on slower`
}

// Run prints the explanation.
func (c *compareCmd) Run(ctx context.Context, con console) error {
	format, err := c.parse()
	if err != nil {
		return err
	}
	study, err := c.study(con)
	if err != nil {
		return err
	}
	shown := 1
	if c.All {
		shown = study.Len()
	}
	out := explain.Comparison{Schema: explain.Schema, Base: study.Base, New: study.New, Cells: study.Summaries(), Explanations: []explain.Explanation{}, Warnings: study.Warnings}
	for i := range shown {
		code, lack := c.code(ctx, study, i)
		out.Explanations = append(out.Explanations, study.Explain(i, code, lack))
	}
	if err := report.WriteExplanation(con.out, format, out, c.layout(con)); err != nil {
		return err
	}
	if err := c.hand(ctx, con, study, out); err != nil {
		return err
	}
	return c.failed(out)
}

// study reads both sides and pairs their cells.
func (c *compareCmd) study(con console) (*explain.Study, error) {
	base, err := c.side(con, "--base", c.Base)
	if err != nil {
		return nil, err
	}
	new, err := c.side(con, "--new", c.New)
	if err != nil {
		return nil, err
	}
	if err := knownMetric(c.Metric, slices.Concat(base, new)); err != nil {
		return nil, usageError{err}
	}
	s, err := explain.New(explain.Input{Base: base, New: new, BaseName: c.Base, NewName: c.New,
		Options: compare.Options{Metric: c.Metric, NoiseFloor: c.floor(con, slices.Concat(base, new))}})
	if err != nil {
		return nil, usageError{err}
	}
	return s, nil
}

// knownMetric refuses the name of a metric that no run can have: an explanation
// would go by another, and give no verdict.
func knownMetric(metric string, runs []result.Run) error {
	if metric == "" || slices.ContainsFunc(compare.Metrics, func(m compare.Metric) bool { return m.Name == metric }) {
		return nil
	}
	for _, r := range runs {
		for _, p := range r.Passes {
			for _, w := range p.Windows {
				for _, x := range w.Readings {
					whole := strings.TrimSuffix(x.Name, "_user") // the metric may be of both scopes
					if x.Name+"_per_query" == metric || whole+"_per_query" == metric || x.Name == metric && x.Gauge {
						return nil
					}
				}
			}
		}
	}
	return fmt.Errorf("--metric %s: no run has it; `opcost report DIR --format csv` lists what there is", metric)
}

// side gives the runs that a selection picks.
func (c *compareCmd) side(con console, flag, text string) ([]result.Run, error) {
	sel, err := selection.Parse(text, isDir)
	if err != nil {
		return nil, usageError{fmt.Errorf("%s: %w", flag, err)}
	}
	dirs := c.Dirs
	if sel.Dir != "" {
		dirs = []string{sel.Dir}
	}
	if len(dirs) == 0 {
		return nil, usageError{fmt.Errorf("%s %s: name a folder of results, as DIR:%s, or in front of the flags", flag, text, text)}
	}
	runs, _, err := read(con, dirs)
	if err != nil {
		return nil, err
	}
	if runs, err = sel.Pick(runs); err != nil {
		return nil, usageError{fmt.Errorf("%s: %w", flag, err)}
	}
	return runs, nil
}

// failed is what --fail-on asks for.
func (c *compareCmd) failed(out explain.Comparison) error {
	if c.FailOn == "" {
		return nil
	}
	verdicts := 0
	var slower []string
	for _, s := range out.Cells {
		if s.Verdict.Word != "" {
			verdicts++
		}
		if s.Verdict.Word == string(compare.Slower) {
			slower = append(slower, fmt.Sprintf("%s, %s", s.Workload, compare.ClientsText(s.Clients)))
		}
	}
	switch {
	case len(slower) > 0:
		return slowerError{fmt.Errorf("--fail-on slower: %s", strings.Join(slower, "; "))}
	case verdicts == 0:
		return errors.New("--fail-on slower: no verdict could be given; the reasons are above")
	}
	return nil
}
