package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/user"
	"path"
	"path/filepath"
	"slices"

	"opcost/perfctl/bundle"
	"opcost/perfctl/compare"
	"opcost/perfctl/explain"
	"opcost/perfctl/isolate"
	"opcost/perfctl/plan"
	"opcost/perfctl/report"
	"opcost/perfctl/result"
)

// handing are the flags by which a comparison is handed on.
type handing struct {
	Isolate string `help:"Write a plan for each difference that may explain the change, into a new folder: the base beside the base with that one setting." placeholder:"DIR"`
	Bundle  string `help:"Write one file for a bug tracker: a page, plans, configurations, tables, profiles, raw evidence; without passwords, names of hosts and values of data." placeholder:"FILE.tar.gz"`
}

// hand writes what was asked for, of the worst cell.
func (c *compareCmd) hand(ctx context.Context, con console, study *explain.Study, out explain.Comparison) error {
	if c.Isolate == "" && c.Bundle == "" {
		return nil
	}
	base, new := study.Runs(0)
	base, new = countedFirst(base), countedFirst(new)
	e := out.Explanations[0]
	text, lost := planText(base[0])
	plans, skipped, err := isolate.Plans(isolate.Input{Base: base[0], New: new[0], Plan: text, Differences: e.Differences})
	if c.Isolate != "" {
		if err == nil {
			err = isolate.Write(c.Isolate, plans)
		}
		if err != nil {
			return usageError{fmt.Errorf("--isolate: %w", err)}
		}
		if lost != nil {
			fmt.Fprintf(con.err, "warning: the base's plan is lost (%v): lengths and repeats of the new plans are a plan's defaults\n", lost)
		}
		for _, p := range plans {
			fmt.Fprintf(con.err, "plan: opcost run %s\n", filepath.Join(c.Isolate, p.Name))
		}
		for _, s := range skipped {
			fmt.Fprintf(con.err, "no plan for %s: %s\n", s.Name, s.Reason)
		}
	}
	if c.Bundle == "" {
		return nil
	}
	in, err := c.bundled(ctx, con, out, base, new, plans)
	if err != nil {
		return fmt.Errorf("--bundle: %w", err)
	}
	left, err := bundle.Write(c.Bundle, in)
	if err != nil {
		return usageError{fmt.Errorf("--bundle: %w", err)}
	}
	fmt.Fprintf(con.err, "bundle: %s\n", c.Bundle)
	for _, l := range left {
		fmt.Fprintf(con.err, "not in the bundle: %s\n", l)
	}
	return nil
}

// planText is the plan that a run was measured by. Results may come from
// elsewhere: one that would take all memory is an error.
func planText(r result.Run) ([]byte, error) {
	text, err := result.PlanText(r)
	if err == nil {
		err = plan.Harmless(r.PlanHash, text)
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}

// countedFirst puts runs under callgrind behind the others: such a server has
// options of its own.
func countedFirst(runs []result.Run) []result.Run {
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b result.Run) int {
		under := func(r result.Run) int {
			if len(r.Passes) > 0 && r.Passes[0].Kind == result.PassCallgrind {
				return 1
			}
			return 0
		}
		return under(a) - under(b)
	})
	return runs
}

// bundled gathers what goes into a bundle.
func (c *compareCmd) bundled(ctx context.Context, con console, out explain.Comparison, base, new []result.Run, plans []isolate.Plan) (bundle.Input, error) {
	e := out.Explanations[0]
	in := bundle.Input{
		Program: version, Title: fmt.Sprintf("%s: %s against %s: %s", e.Workload, e.New, e.Base, wordOr(e.Verdict.Word)),
		Base: bundle.Side{Name: e.Base, Runs: base}, New: bundle.Side{Name: e.New, Runs: new}, Secrets: secrets(),
	}
	if h, err := os.Hostname(); err == nil {
		in.Hosts = []string{h}
	}
	in.Base.Plan, _ = planText(base[0]) // lost: the page says so
	in.New.Plan, _ = planText(new[0])
	var page, tables bytes.Buffer
	one := out
	one.Explanations = out.Explanations[:1]
	if err := report.WriteExplanation(&page, report.Markdown, one, report.Layout{}); err != nil {
		return in, err
	}
	in.Explanation = page.String()
	about, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		return in, err
	}
	r := compare.Build(slices.Concat(base, new), compare.Options{Base: base[0].Version, NoiseFloor: c.floor(con, slices.Concat(base, new))})
	if err := report.Write(&tables, report.Markdown, r, report.Layout{}); err != nil {
		return in, err
	}
	in.Files = []bundle.File{
		{Name: "tables.md", Text: tables.Bytes(), About: "all metrics of both, with intervals"},
		{Name: "explanation.json", Text: about, About: "what was found, for programs; functions too, where there are profiles"},
	}
	if text := c.profileText(ctx, con); text != nil {
		in.Files = append(in.Files, bundle.File{Name: "profile-difference.md", Text: text, About: "which functions' cost per query changed; the profiles are in `runs/`"})
	}
	for _, p := range plans {
		in.Files = append(in.Files, bundle.File{Name: path.Join("isolate", p.Name), Text: p.Text, About: "a plan that measures one difference"})
	}
	in.Commands = repeating(in, base[0], new[0])
	return in, nil
}

func wordOr(word string) string {
	if word == "" {
		return "no verdict"
	}
	return word
}

// profileText is the difference of the profiles; nil where there are none.
func (c *compareCmd) profileText(ctx context.Context, con console) []byte {
	var b bytes.Buffer
	d := profileDiffCmd{Inputs: c.Dirs, sides: sides{Base: []string{c.Base}, New: []string{c.New}}, reading: reading{Event: c.Event},
		rows: rows{Granularity: "function", Limit: 60}, showing: showing{Format: string(report.Markdown)}}
	if err := d.Run(ctx, console{&b, con.err}); err != nil {
		return nil // the page's explanation says why there are no functions
	}
	return b.Bytes()
}

// repeating are the commands that make a comparison again from the files of its bundle.
func repeating(in bundle.Input, base, new result.Run) []string {
	sel := func(dir string, r result.Run) string {
		return fmt.Sprintf("%s:%s,workload=%s,clients=%d", dir, r.Version, r.Workload, r.Clients)
	}
	if in.Base.Plan == nil {
		return []string{"# The results were not measured by a plan, so there is no command that repeats them."}
	}
	out := []string{"opcost run plan-base.yaml --out base"}
	dir := "base"
	if base.PlanHash != new.PlanHash {
		dir = "new"
		out = append(out, "opcost run plan-new.yaml --out new")
	}
	return append(out, fmt.Sprintf("opcost compare --base %s --new %s", sel("base", base), sel(dir, new)))
}

// secrets are texts of this process that must not get out.
func secrets() []string {
	out := []string{os.Getenv("MYSQL_PWD")}
	if u, err := user.Current(); err == nil && u.Uid != "0" {
		out = append(out, u.Username)
	}
	return out
}
