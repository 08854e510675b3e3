package compare

import (
	"cmp"
	"slices"

	"opcost/perfctl/result"
)

// addDigests makes costs per execution of the window's sums.
func (t *LiveTables) addDigests(w result.Window) {
	latency := 0.0
	for _, d := range w.Digests {
		if d.State.Usable() {
			latency += d.LatencyUS
		}
	}
	for _, d := range w.Digests {
		c := DigestCost{Schema: d.Schema, Digest: d.Digest, Text: d.Text, Others: d.Others, State: d.State, Reason: d.Reason}
		if d.State.Usable() {
			n := float64(d.Count)
			c.Count, c.PerSecond, c.LatencyShare = &d.Count, over(n, t.Seconds), over(d.LatencyUS, latency)
			if d.CPUUS != nil {
				c.CPUUS = over(*d.CPUUS, n)
			}
			c.LatencyUS, c.Errors = over(d.LatencyUS, n), over(d.Errors, n)
			c.RowsSent, c.RowsExamined, c.RowsAffected = over(d.RowsSent, n), over(d.RowsExamined, n), over(d.RowsAffected, n)
			c.TmpTables, c.TmpDiskTables, c.SortRows = over(d.TmpTables, n), over(d.TmpDiskTables, n), over(d.SortRows, n)
		}
		t.Digests = append(t.Digests, c)
	}
	t.DigestsLack = lackOf(w, "digest_statements", "digest")
	if len(t.Digests) > 0 {
		t.CPULack = lackOf(w, "digest_cpu_us", "")
	}
}

// addThreads makes rates of the window's sums.
func (t *LiveTables) addThreads(w result.Window) {
	cpu := 0.0
	for _, th := range w.Threads {
		if th.State.Usable() {
			cpu += th.CPUUS
		}
	}
	for _, th := range w.Threads {
		c := ThreadCost{
			TID: th.TID, Others: th.Others, Name: th.Name, Own: th.Own, Connection: th.Connection, User: th.User, DB: th.DB,
			Command: th.Command, Statement: th.Statement, Scope: th.Scope, State: th.State, Reason: th.Reason,
		}
		if th.State.Usable() {
			c.CPUUS, c.RunQueueUS, c.Voluntary, c.Involuntary = &th.CPUUS, &th.RunQueueUS, &th.Voluntary, &th.Involuntary
			c.Instructions, c.Cycles = th.Instructions, th.Cycles
			if th.RunningFraction > 0 {
				c.RunningFraction = &th.RunningFraction
			}
			c.CPUPercent, c.CPUShare = over(100*th.CPUUS, t.Seconds*1e6), over(th.CPUUS, cpu)
			c.RunQueuePercent = over(100*th.RunQueueUS, t.Seconds*1e6)
			c.VoluntaryPerSecond, c.InvoluntaryPerSecond = over(th.Voluntary, t.Seconds), over(th.Involuntary, t.Seconds)
			if th.Instructions != nil {
				c.InstructionsPerSecond = over(*th.Instructions, t.Seconds)
			}
			if th.Cycles != nil {
				c.CyclesPerSecond = over(*th.Cycles, t.Seconds)
			}
			if th.Instructions != nil && th.Cycles != nil {
				c.IPC = over(*th.Instructions, *th.Cycles)
			}
		}
		t.Threads = append(t.Threads, c)
	}
	t.ThreadsLack = lackOf(w, "", "threads")
}

// Sorted gives the tables with digests and threads in another order; rows that
// add others up stay last, after those that have no values.
func (t LiveTables) Sorted(o Order) LiveTables {
	t.Digests, t.Threads = slices.Clone(t.Digests), slices.Clone(t.Threads)
	slices.SortStableFunc(t.Digests, func(a, b DigestCost) int {
		return cmp.Or(cmp.Compare(min(a.Others, 1), min(b.Others, 1)), cmp.Compare(b.rank(o), a.rank(o)),
			cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Text, b.Text))
	})
	slices.SortStableFunc(t.Threads, func(a, b ThreadCost) int {
		return cmp.Or(cmp.Compare(min(a.Others, 1), min(b.Others, 1)), cmp.Compare(b.rank(o), a.rank(o)),
			cmp.Compare(value(b.CPUUS), value(a.CPUUS)), cmp.Compare(a.TID, b.TID))
	})
	return t
}

// rank is what a digest is sorted by: over all its executions.
func (d DigestCost) rank(o Order) float64 {
	if d.Count == nil {
		return -1
	}
	n := float64(*d.Count)
	switch {
	case o == ByCPU && d.CPUUS != nil:
		return n * *d.CPUUS
	case o == ByCount:
		return n
	case o == ByRows:
		return n * value(d.RowsExamined)
	}
	return n * value(d.LatencyUS)
}

func (t ThreadCost) rank(o Order) float64 {
	switch {
	case t.CPUUS == nil:
		return -1
	case o == ByCount:
		return *t.Voluntary + *t.Involuntary
	case o == ByWait:
		return *t.RunQueueUS
	}
	return *t.CPUUS
}
