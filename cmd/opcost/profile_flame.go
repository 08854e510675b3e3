package main

import (
	"context"
	"fmt"
	"io"

	"opcost/profiles"
	"opcost/profiles/cost"
	"opcost/profiles/flame"
	"opcost/profiles/quality"
	"opcost/profiles/symbol"
)

type profileFlameCmd struct {
	Inputs     []string `arg:"" optional:"" name:"input" help:"One profile; or BASE and NEW; or, with --base and --new, folders of results."`
	Threads    bool     `help:"The threads' names are the first level."`
	Subsystems string   `help:"File with further lines for the table of subsystems (docs/profiles.md)." placeholder:"FILE"`
	MaxSize    int      `help:"Bytes of the page at most; what is too small to be seen is folded, and said." default:"2000000"`
	sides
	reading
	writing
}

func (profileFlameCmd) Help() string {
	return aboutInputs + `

The page needs no network: it can be mailed, or attached to a bug report. With two
profiles it shows either, or their difference, each scaled per query.

Examples:
  opcost profile flame night:8.0.28,workload=scan --out scan.html
  opcost profile flame night --base 5.7 --new 8.0 --out change.html
  opcost profile flame perf.data --operations 48211 --out flame.html`
}

// Run writes the page.
func (c *profileFlameCmd) Run(ctx context.Context, con console) error {
	places, err := rows{Subsystems: c.Subsystems}.table()
	if err != nil {
		return err
	}
	in := flame.Input{Name: flameName, Subsystems: places, Threads: c.Threads, Limit: c.MaxSize}
	if len(c.Inputs) == 1 && len(c.Base) == 0 && len(c.New) == 0 {
		g, err := c.one(ctx, con, c.Inputs[0])
		if err != nil {
			return err
		}
		in.Title = g.title
		if in.Base, err = c.graph(ctx, g, &in.Notes, ""); err != nil {
			return err
		}
	} else {
		base, new, err := c.two(ctx, con, c.reading, c.Inputs)
		if err != nil {
			return err
		}
		in.Title = base.title + " → " + new.title
		if in.Base, err = c.graph(ctx, base, &in.Notes, "base: "); err != nil {
			return err
		}
		if in.New, err = c.graph(ctx, new, &in.Notes, "new: "); err != nil {
			return err
		}
	}
	var left flame.Pruned
	err = c.write(con, func(w io.Writer) (err error) {
		left, err = flame.Write(w, in)
		return err
	})
	if err == nil && left.Folded > 0 {
		fmt.Fprintf(con.err, "%d of %d boxes below %.2g%% of the width were folded, so that the page has %d bytes\n", left.Folded, left.Boxes, left.BelowPercent, left.Bytes)
	}
	return err
}

// one is the only cell of an input.
func (r reading) one(ctx context.Context, con console, input string) (group, error) {
	gs, err := r.groups(ctx, con, []string{input})
	if err != nil {
		return group{}, err
	}
	if len(gs) > 1 {
		text := ""
		for _, g := range gs {
			text += "\n  " + g.title + " (" + g.whole.Event.Name + ")"
		}
		return group{}, usageError{fmt.Errorf("%s holds several profiles; choose one, as DIR:version,workload=ID,clients=N, or --event:%s", input, text)}
	}
	return gs[0], nil
}

// unfolded is how many stacks are made of counted calls at most.
const unfolded = 200_000

// graph makes a side of the page, and notes what is to be known of it.
func (c *profileFlameCmd) graph(ctx context.Context, g group, notes *[]string, side string) (flame.Side, error) {
	p := g.whole
	for _, q := range quality.Check(p, c.quality(ctx)) {
		if !q.OK {
			*notes = append(*notes, side+q.Text)
		}
	}
	for _, w := range g.warnings {
		*notes = append(*notes, side+w)
	}
	if p.Arcs != nil {
		stacks, note, err := cost.Unfold(p, unfolded)
		if err != nil {
			return flame.Side{}, fmt.Errorf("%s: %w", g.title, err)
		}
		p = stacks
		*notes = append(*notes, side+note)
	}
	return flame.Side{Label: g.title, Profile: p}, nil
}

// flameName is what boxes are merged by: the name by which two builds meet.
func flameName(f profiles.Frame) string {
	if !f.Named() {
		return flame.PlainName(f)
	}
	return symbol.Normal(f.Function)
}
