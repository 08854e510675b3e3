package proc

import (
	"errors"
	"fmt"

	"opcost/perfctl/result"
)

// window is two edges of which readings are made.
type window struct {
	begin, end  edge
	died        error // the process was not the target any more at the end
	conns       []int
	connsReason string
}

// quantity is a number of the whole process that only grows.
type quantity struct {
	name, unit  string
	scope       result.Scope
	part        part
	of          func(edge) float64
	uncertainty float64
}

// tickUS is the grain of /proc/PID/stat: USER_HZ is 100 on every Linux that
// servers run on (procfs takes the same).
const tickUS = 10_000

var cpu = quantity{"cpu_us", "us", result.UserKernel, partClock, func(e edge) float64 { return float64(e.ClockNS) / 1e3 }, 0}

var quantities = []quantity{
	cpu,
	{"cpu_user_us", "us", result.User, partStat, func(e edge) float64 { return float64(e.UserTicks) * tickUS }, tickUS},
	{"cpu_system_us", "us", result.Kernel, partStat, func(e edge) float64 { return float64(e.SystemTicks) * tickUS }, tickUS},
	{"page_faults", "count", result.UserKernel, partStat, func(e edge) float64 { return float64(e.MinorFaults + e.MajorFaults) }, 0},
	{"page_faults_major", "count", result.UserKernel, partStat, func(e edge) float64 { return float64(e.MajorFaults) }, 0},
	{"read_kb", "kb", result.UserKernel, partIO, func(e edge) float64 { return float64(e.IO.ReadBytes) / 1024 }, 0},
	{"write_kb", "kb", result.UserKernel, partIO, func(e edge) float64 { return float64(e.IO.WriteBytes) / 1024 }, 0},
	// procfs reads this one signed; it can be below 0 for a process that
	// truncates what another wrote, and only its growth matters.
	{"write_cancelled_kb", "kb", result.UserKernel, partIO, func(e edge) float64 { return float64(e.IO.CancelledWriteBytes) / 1024 }, 0},
	{"read_chars_kb", "kb", result.UserKernel, partIO, func(e edge) float64 { return float64(e.IO.RChar) / 1024 }, 0},
	{"write_chars_kb", "kb", result.UserKernel, partIO, func(e edge) float64 { return float64(e.IO.WChar) / 1024 }, 0},
	{"read_calls", "count", result.UserKernel, partIO, func(e edge) float64 { return float64(e.IO.SyscR) }, 0},
	{"write_calls", "count", result.UserKernel, partIO, func(e edge) float64 { return float64(e.IO.SyscW) }, 0},
	{"cgroup_throttled_us", "us", result.UserKernel, partCgroup, func(e edge) float64 { return float64(e.Throttle.US) }, 0},
	{"cgroup_throttled_periods", "count", result.UserKernel, partCgroup, func(e edge) float64 { return float64(e.Throttle.Periods) }, 0},
}

func (w window) readings() []result.Reading {
	var out []result.Reading
	for _, q := range quantities {
		out = append(out, w.reading(q))
	}
	return append(out, w.threadReadings()...)
}

func (w window) reading(q quantity) result.Reading {
	if l, lacks := w.lacking(q.part); lacks {
		return result.Lacking(q.name, q.unit, result.SourceProc, q.scope, l.State, l.Reason, l.Remedy)
	}
	diff := q.of(w.end) - q.of(w.begin)
	if diff < 0 && q.name != "write_cancelled_kb" {
		return result.Lacking(q.name, q.unit, result.SourceProc, q.scope, result.Failed,
			fmt.Sprintf("the kernel's counter went back by %g %s", -diff, q.unit), "")
	}
	r := result.Got(q.name, diff, q.unit, result.SourceProc, q.scope)
	r.Uncertainty = q.uncertainty
	if w.died != nil {
		r.State, r.Reason = result.Partial, w.died.Error()
	}
	return r
}

// lacking says why a part has no value over this window. Of a process that has
// ended, only a zombie's process-wide counts are left.
func (w window) lacking(p part) (lack, bool) {
	threads := p == partStatus || p == partSchedstat
	if w.died != nil && (threads || !errors.As(w.died, new(errEnded))) {
		return lack{State: result.Failed, Reason: w.died.Error()}, true
	}
	for _, e := range []edge{w.begin, w.end} {
		if l, lacks := e.Lacks[p]; lacks {
			return l, true
		}
	}
	return lack{}, false
}
