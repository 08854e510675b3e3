package threads

import (
	"cmp"
	"fmt"

	"opcost/perfctl/result"
)

// kept are the first rows, and one that adds up the others, so that the table's
// totals stay the same.
func kept(rows []result.Thread, keep int) []result.Thread {
	if len(rows) <= keep {
		return rows
	}
	rest := rows[keep:]
	others := result.Thread{Others: len(rest), Name: fmt.Sprintf("(%d further threads)", len(rest)), State: result.OK, Scope: rest[0].Scope}
	ended, uncounted := 0, 0
	var instructions, cycles float64
	for _, r := range rest {
		if !r.State.Usable() {
			ended++
		}
		others.CPUUS += r.CPUUS
		others.RunQueueUS += r.RunQueueUS
		others.Voluntary += r.Voluntary
		others.Involuntary += r.Involuntary
		if r.Instructions == nil || r.Cycles == nil {
			uncounted++
			continue
		}
		instructions += *r.Instructions
		cycles += *r.Cycles
	}
	if uncounted == 0 {
		others.Instructions, others.Cycles = &instructions, &cycles
	} else if others.Scope != "" {
		others.Reason = fmt.Sprintf("instructions: %d of them were not counted", uncounted)
	}
	if ended > 0 {
		others.State, others.Reason = result.Partial, fmt.Sprintf("%d of them ended in the window and took their counts along", ended)
	}
	return append(rows[:keep:keep], others)
}

func (w window) readings(rows []result.Thread) []result.Reading {
	rs := []result.Reading{w.joinedReading(rows)}
	if w.perf != nil {
		rs = append(rs, w.countedReading(rows))
	}
	for i := range rs {
		rs[i].Gauge = true
	}
	return rs
}

func (w window) joinedReading(rows []result.Thread) result.Reading {
	const name = "threads_joined"
	n := 0
	for _, r := range rows {
		if r.Connection != 0 {
			n++
		}
	}
	lack := cmp.Or(w.end.noConns, w.begin.noConns)
	switch {
	case w.join.reason != "":
		return result.Lacking(name, "count", result.SourceServer, "", result.Unsupported, w.join.reason, w.join.remedy)
	case n == 0 && lack != "":
		return result.Lacking(name, "count", result.SourceServer, "", result.Failed, lack, "")
	}
	r := result.Got(name, float64(n), "count", result.SourceServer, "")
	switch {
	case n == 0:
		r.State, r.Reason = result.Partial, "the server lists connections of none of the process's threads"
		r.Remedy = "check that the login is to this process's server"
	case lack != "":
		r.State, r.Reason = result.Partial, lack
	case w.join.part != "":
		r.State, r.Reason, r.Remedy = result.Partial, w.join.part, w.join.remedy
	}
	return r
}

func (w window) countedReading(rows []result.Thread) result.Reading {
	const name = "threads_counted"
	if w.perf.lack != "" {
		return result.Lacking(name, "count", result.SourcePerf, "", result.Unsupported, w.perf.lack, w.perf.remedy)
	}
	n, ran := 0, 0
	for _, r := range rows {
		if r.Instructions != nil {
			n++
		} else if r.CPUUS > 0 || !r.State.Usable() {
			ran++
		}
	}
	r := result.Got(name, float64(n), "count", result.SourcePerf, w.perf.scope)
	if ran > 0 {
		r.State = result.Partial
		r.Reason = fmt.Sprintf("%d threads ran and were not counted: %s", ran, cmp.Or(w.perf.dropped, "they began in the window"))
	}
	return r
}
