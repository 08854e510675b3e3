package main

import (
	"context"
	"fmt"
	"io"

	"opcost/profiles"
	"opcost/profiles/cost"
	"opcost/profiles/folded"
	"opcost/profiles/pprof"
)

type profileExportCmd struct {
	Input string `arg:"" help:"A profile."`
	To    string `help:"pprof (for go tool pprof, speedscope, Pyroscope) or folded (for flamegraph.pl, inferno)." default:"pprof" enum:"pprof,folded"`
	reading
	writing
}

func (profileExportCmd) Help() string {
	return aboutInputs + `

Examples:
  opcost profile export perf.data --operations 48211 --out profile.pb.gz
  opcost profile export night:8.0,workload=scan --to folded > scan.txt`
}

// Run writes the profile in another format.
func (c *profileExportCmd) Run(ctx context.Context, con console) error {
	g, err := c.one(ctx, con, c.Input)
	if err != nil {
		return err
	}
	p := g.whole
	for _, w := range g.warnings {
		fmt.Fprintln(con.err, "warning:", w)
	}
	if c.To == "folded" && p.Arcs != nil {
		stacks, note, err := cost.Unfold(p, unfolded)
		if err != nil {
			return fmt.Errorf("%s: %w", g.title, err)
		}
		fmt.Fprintln(con.err, "warning:", note)
		p = stacks
	}
	return c.write(con, func(w io.Writer) error {
		if c.To == "folded" {
			return folded.Write(w, p, folded.WriteOptions{Thread: true})
		}
		return pprof.Write(w, &profiles.Set{Profiles: []*profiles.Profile{p}})
	})
}
