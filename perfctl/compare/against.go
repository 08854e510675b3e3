package compare

import (
	"cmp"
	"fmt"

	"opcost/perfctl/result"
)

// Against compares a window of a live server with a saved one: the report with
// both, the saved one as base, and why the cost of a statement changed. Single
// windows tell nothing of how much such windows differ by themselves, so ratios
// have no verdict, and their bounds are what may have happened while the edges
// were read. What is unlike besides (server, variables, machine, unit of
// counting) stands first in the report's warnings.
func Against(base, now result.Run) (Report, Mix) {
	var ws []result.Warning
	unlike := func(what, from, to string) {
		if from != to {
			ws = append(ws, result.Warning{Code: "unlike", Text: fmt.Sprintf("%s: %s (saved) → %s (now)", what, cmp.Or(from, absent), cmp.Or(to, absent))})
		}
	}
	w0, ok0 := lastWindow(base)
	w1, ok1 := lastWindow(now)
	if ok0 && ok1 {
		unlike("values are per", perOf(w0), perOf(w1))
	}
	unlike("host", base.Host, now.Host)
	unlike("load", base.Workload, now.Workload)
	for _, lack := range []struct {
		ok   bool
		what string
	}{{ok0, "saved"}, {ok1, "new"}} {
		if !lack.ok {
			ws = append(ws, result.Warning{Code: "window", Text: fmt.Sprintf("the %s record has no counting window", lack.what)})
		}
	}
	for _, side := range []struct {
		w    result.Window
		what string
	}{{w0, "in the saved window"}, {w1, "in this window"}} {
		for _, v := range voided(side.w) {
			ws = append(ws, result.Warning{Code: v.Code, Text: side.what + ", " + v.Text})
		}
	}

	// The two are one cell, whatever differs: that is said above and by Build.
	if base.Version == now.Version {
		base.Version += " saved"
	}
	base.Host, base.Workload, base.Group, base.Clients = now.Host, now.Workload, now.Group, now.Clients
	base.Driver, now.Driver = Attached, Attached
	base.PlanHash, now.PlanHash = "", ""
	r := Build([]result.Run{base, now}, Options{Base: base.Version, Order: []string{base.Version, now.Version}})
	r.Warnings = append(ws, r.Warnings...)

	m := newMix(w0, w1)
	m.BaseVersion, m.NewVersion = base.Version, now.Version
	return r, m
}
