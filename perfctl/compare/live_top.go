package compare

import (
	"cmp"
	"fmt"
	"slices"

	"opcost/perfctl/result"
)

// Top keeps the first rows of each table and adds the rest up in one row, last.
// A number below 1 keeps all.
func (t LiveTables) Top(kinds, digests, threads int) LiveTables {
	t.Kinds = topKinds(t.Kinds, kinds)
	if rest := beyond(t.Digests, digests); len(rest) > 0 {
		t.Digests = append(slices.Clone(t.Digests[:digests]), sumDigests(rest))
	}
	if rest := beyond(t.Threads, threads); len(rest) > 0 {
		t.Threads = append(slices.Clone(t.Threads[:threads]), sumThreads(rest))
	}
	return t
}

// beyond is what is left after n rows; nothing where one row would replace one.
func beyond[T any](rows []T, n int) []T {
	if n < 1 || len(rows) <= n+1 {
		return nil
	}
	return rows[n:]
}

// topKinds adds up statements alone: rows that are apart, or void, stay.
func topKinds(all []Kind, n int) []Kind {
	end := slices.IndexFunc(all, func(k Kind) bool { return k.Apart || k.Count == nil })
	if end < 0 {
		end = len(all)
	}
	rest := beyond(all[:end], n)
	if len(rest) == 0 {
		return all
	}
	sum := Kind{Name: "others", Label: fmt.Sprintf("%d other kinds", len(rest)), State: result.OK}
	for _, k := range rest {
		plus(&sum.Count, k.Count, 1)
		plus(&sum.PerSecond, k.PerSecond, 1)
		plus(&sum.Share, k.Share, 1)
		sum.State, sum.Reason = worse(sum.State, sum.Reason, k.State, k.Reason)
	}
	return slices.Concat(all[:n], []Kind{sum}, all[end:])
}

// plus adds n times v; nothing is added to a sum by what is not known.
func plus(sum **float64, v *float64, n float64) {
	if v == nil {
		return
	}
	s := value(*sum) + n**v
	*sum = &s
}

func worse(a result.State, why string, b result.State, other string) (result.State, string) {
	if severity(b) > severity(a) {
		return b, other
	}
	return a, why
}

func sumDigests(rows []DigestCost) DigestCost {
	sum := DigestCost{State: result.OK}
	n, void, noCPU := int64(0), 0, false
	for _, d := range rows {
		sum.Others += max(1, d.Others)
		if d.Count == nil {
			void++
			continue
		}
		c := float64(*d.Count)
		n += *d.Count
		noCPU = noCPU || (d.CPUUS == nil && c > 0)
		plus(&sum.PerSecond, d.PerSecond, 1)
		plus(&sum.LatencyShare, d.LatencyShare, 1)
		for _, p := range digestCosts(&sum, &d) {
			plus(p[0], *p[1], c)
		}
		sum.State, sum.Reason = worse(sum.State, sum.Reason, d.State, d.Reason)
	}
	for _, p := range digestCosts(&sum, &sum) {
		if *p[0] != nil {
			*p[0] = over(**p[0], float64(n))
		}
	}
	if noCPU {
		sum.CPUUS = nil
	}
	switch {
	case void == len(rows):
		sum.State, sum.Reason = result.Failed, cmp.Or(rows[0].Reason, "their counters cannot be used")
	case void > 0:
		sum.State, sum.Reason = result.Partial, fmt.Sprintf("the counters of %d of them cannot be used", void)
	}
	if void < len(rows) {
		sum.Count = &n
	}
	return sum
}

// digestCosts pairs the costs per execution of two digests.
func digestCosts(a, b *DigestCost) [][2]**float64 {
	return [][2]**float64{
		{&a.LatencyUS, &b.LatencyUS}, {&a.CPUUS, &b.CPUUS}, {&a.RowsSent, &b.RowsSent}, {&a.RowsExamined, &b.RowsExamined},
		{&a.RowsAffected, &b.RowsAffected}, {&a.TmpTables, &b.TmpTables}, {&a.TmpDiskTables, &b.TmpDiskTables},
		{&a.SortRows, &b.SortRows}, {&a.Errors, &b.Errors},
	}
}

// sumThreads adds threads up. Instructions and cycles are left out: of some of
// the threads they would be no sum, and the ones not counted are among these.
func sumThreads(rows []ThreadCost) ThreadCost {
	sum := ThreadCost{State: result.OK}
	void := 0
	for _, t := range rows {
		sum.Others += max(1, t.Others)
		if t.CPUUS == nil {
			void++
			continue
		}
		for _, p := range [][2]**float64{
			{&sum.CPUUS, &t.CPUUS}, {&sum.RunQueueUS, &t.RunQueueUS}, {&sum.Voluntary, &t.Voluntary}, {&sum.Involuntary, &t.Involuntary},
			{&sum.CPUPercent, &t.CPUPercent}, {&sum.CPUShare, &t.CPUShare}, {&sum.RunQueuePercent, &t.RunQueuePercent},
			{&sum.VoluntaryPerSecond, &t.VoluntaryPerSecond}, {&sum.InvoluntaryPerSecond, &t.InvoluntaryPerSecond},
		} {
			plus(p[0], *p[1], 1)
		}
		sum.State, sum.Reason = worse(sum.State, sum.Reason, t.State, t.Reason)
	}
	switch {
	case void == len(rows):
		sum.State, sum.Reason = result.Failed, cmp.Or(rows[0].Reason, "their counters cannot be used")
	case void > 0:
		sum.State, sum.Reason = result.Partial, fmt.Sprintf("the counters of %d of them cannot be used", void)
	}
	return sum
}

// Top keeps the n rows with the largest change and adds the rest up in one, last.
func (m Mix) Top(n int) Mix {
	rest := beyond(m.Rows, n)
	if len(rest) == 0 {
		return m
	}
	sum := MixRow{Others: true, Text: fmt.Sprintf("%d others", len(rest))}
	cpu := &Split{}
	for _, r := range rest {
		sum.BaseCount += r.BaseCount
		sum.NewCount += r.NewCount
		sum.BaseShare += r.BaseShare
		sum.NewShare += r.NewShare
		sum.Latency.add(r.Latency)
		if r.CPU == nil {
			cpu = nil
		} else if cpu != nil {
			cpu.add(*r.CPU)
		}
	}
	sum.CPU = cpu
	m.Rows = append(slices.Clone(m.Rows[:n]), sum)
	return m
}
