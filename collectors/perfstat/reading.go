package perfstat

import (
	"cmp"
	"fmt"

	"opcost/perfctl/result"
)

// rows are the quantity's rows in perf's output: one, or one a kind of core.
// Asked for user and kernel, perf may have counted user space alone and says so
// in the name.
func (s sheet) rows(q quantity) (rows []Count, narrowed bool) {
	find := func(modifier string) []Count {
		var found []Count
		for _, r := range s.counts.Rows {
			n := ParseName(r.Event)
			if n.Event == q.event && n.Modifier == modifier {
				found = append(found, r)
			}
		}
		return found
	}
	rows = find(q.modifier)
	if len(rows) == 0 && q.modifier == "" {
		if rows = find("u"); len(rows) > 0 {
			return rows, true
		}
	}
	return rows, false
}

// reading makes one.
func (s sheet) reading(q quantity) result.Reading {
	rows, narrowed := s.rows(q)
	if len(rows) == 0 {
		reason := fmt.Sprintf("perf printed no row for %s", q.asked[0])
		if len(s.warnings) > 0 {
			reason += ": " + s.warnings[0].Text
		}
		return q.lacking(result.Failed, reason, "")
	}
	counted := 0
	for _, r := range rows {
		switch r.Mark {
		case NotSupported:
			return s.unsupported(q)
		case Counted:
			counted++
		}
	}
	if narrowed && kernelEvents[q.event] {
		return q.lacking(result.Unsupported,
			fmt.Sprintf("perf may count in user space only and made it %s, which is always 0", rows[0].Event),
			"sysctl kernel.perf_event_paranoid=1, or run as root (CAP_PERFMON)")
	}
	if counted == 0 {
		return s.notCounted(q)
	}
	r := s.sum(q, rows)
	if narrowed {
		r.Scope = q.scope("u")
	}
	if q.isHardware() && *r.Value == 0 && s.cpuUS() > 1000 {
		return q.lacking(result.Failed,
			fmt.Sprintf("%s stays 0 while the process used %.0f us of CPU: the machine pretends to have the counter", rows[0].Event, s.cpuUS()),
			s.caps.Perf.PMU.Remedy)
	}
	return r
}

func (s sheet) unsupported(q quantity) result.Reading {
	tried := s.caps.Perf.Events[q.asked[0]]
	return q.lacking(result.Unsupported,
		cmp.Or(tried.Reason, "perf says <not supported>: this machine or kernel does not count it"),
		cmp.Or(tried.Remedy, s.caps.Perf.PMU.Remedy))
}

// notCounted: the event was never on the PMU, or the process never ran. In the
// second case the kernel's own counters had nothing to count, a true 0.
func (s sheet) notCounted(q quantity) result.Reading {
	idle := true
	for _, r := range s.counts.Rows {
		idle = idle && r.Mark != Counted
	}
	switch {
	case idle && !q.isHardware():
		return result.Got(q.name(), 0, q.unit(), result.SourcePerf, q.scope(q.modifier))
	case idle:
		return q.lacking(result.NotCounted, "the process did not run in the window", "")
	}
	remedy := "count fewer events in one group, or end other programs that use hardware counters"
	if s.caps.Host.NMIWatch {
		remedy += "; sysctl kernel.nmi_watchdog=0 frees one counter"
	}
	return q.lacking(result.NotCounted, "its group never was on the PMU, which has too few free counters", remedy)
}

// covered is the share of the time on a CPU from which the kinds of core count
// as all of it: perf cuts each percentage to a whole number.
const covered = 0.97

// sum makes the value of the rows. perf has scaled each up to the whole time; on
// a hybrid CPU that is wrong, because a thread is on one kind of core or on the
// other, so there the scaling is undone before adding.
func (s sheet) sum(q quantity, rows []Count) result.Reading {
	if len(rows) == 1 {
		r := result.Got(q.name(), q.scale(rows[0]), q.unit(), result.SourcePerf, q.scope(q.modifier))
		if q.isHardware() {
			r.RunningFraction = fraction(rows[0], s.whole())
		}
		if rows[0].Running >= 0 && rows[0].Running < 100 {
			r.State, r.RunningFraction = result.Scaled, fraction(rows[0], s.whole())
			r.Reason = "the counter was shared; the value is scaled up from the time it ran"
		}
		return r
	}
	var value, share float64
	whole := s.whole()
	for _, row := range rows {
		if row.Mark == Counted {
			f := fraction(row, whole)
			value += q.scale(row) * f
			share += f
		}
	}
	r := result.Got(q.name(), value, q.unit(), result.SourcePerf, q.scope(q.modifier))
	r.RunningFraction = min(share, 1)
	if share < covered {
		r.State = result.Partial
		r.Reason = fmt.Sprintf("the kinds of core together counted %.0f%% of the time", share*100)
	}
	return r
}

// scale gives a clock in microseconds; perf prints milliseconds, named so from
// 4.19 on.
func (q quantity) scale(r Count) float64 {
	switch {
	case !q.isClock():
		return r.Value
	case r.Unit == "ns":
		return r.Value / 1000
	}
	return r.Value * 1000
}

// fraction is the share of the time in which the event was on the PMU: from its
// run time where that agrees with the percentage, which perf cuts to a whole
// number. whole is the run time of an event that ran always.
func fraction(r Count, whole int64) float64 {
	if r.Running < 0 {
		return 1 // a perf that does not tell
	}
	if whole > 0 && r.RunNS >= 0 {
		f := float64(r.RunNS) / float64(whole)
		if f*100 >= r.Running-0.5 && f*100 < r.Running+1 {
			return min(f, 1)
		}
	}
	return r.Running / 100
}

// whole is the run time of an event that ran always; 0 where there is none.
func (s sheet) whole() (ns int64) {
	for _, r := range s.counts.Rows {
		if r.Running == 100 && r.Mark == Counted {
			ns = max(ns, r.RunNS)
		}
	}
	return ns
}

// cpuUS is the CPU time that perf saw the process use; 0 when not counted.
func (s sheet) cpuUS() float64 {
	q := quantity{event: "task-clock"}
	rows, _ := s.rows(q)
	if len(rows) != 1 || rows[0].Mark != Counted {
		return 0
	}
	return q.scale(rows[0])
}
