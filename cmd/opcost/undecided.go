package main

import (
	"io"

	"opcost/perfctl"
	"opcost/perfctl/compare"
	"opcost/perfctl/plan"
	"opcost/perfctl/result"
)

// undecided reads what the plan has measured so far and says what is unsure.
func (c *runCmd) undecided(p *plan.Plan, out string) ([]perfctl.Undecided, error) {
	runs, _, err := result.Read(out) // damaged runs are warned of when the table is printed
	if err != nil {
		return nil, err
	}
	floor := c.floor(console{io.Discard, io.Discard}, runs)
	return unsure(compare.Build(runs, compare.Options{Base: p.Base, Order: order(p), NoiseFloor: floor, FDR: compare.LookFDR})), nil
}

// unsure are the cells whose verdict is unsure, with the base's cells that
// they are compared with; the pass is the one that counts what the verdict is by.
func unsure(r compare.Report) []perfctl.Undecided {
	var all []perfctl.Undecided
	seen := map[perfctl.Undecided]bool{}
	for _, row := range r.Rows {
		if row.Primary == "" || row.VsBase[row.Primary].Verdict != compare.Unsure {
			continue
		}
		u := perfctl.Undecided{Version: row.Version, Workload: row.Workload, Clients: row.Clients, Pass: result.PassCount}
		if row.Metrics[row.Primary].Source == result.SourceCallgrind {
			u.Pass = result.PassCallgrind
		}
		base := u
		base.Version = r.Base
		for _, x := range []perfctl.Undecided{u, base} {
			if !seen[x] {
				seen[x] = true
				all = append(all, x)
			}
		}
	}
	return all
}
