package record

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"opcost/perfctl/result"
)

// The names of the readings. What the samples stand for has a name by its event:
// profile_instructions, profile_cycles, profile_cpu_us, profile_events.
const (
	samplesName   = "profile_samples"
	lostName      = "profile_lost"
	throttledName = "profile_throttled"
)

// Close ends perf and says what its data hold. What could not be sampled is a
// reading with a reason, so the error is nil.
func (a *armed) Close() ([]result.Reading, error) {
	defer a.clear()
	end := a.perf.Stop()
	why := explain(end, a.target.PID)
	lacking := func(st result.State, reason, remedy string) ([]result.Reading, error) {
		a.remove()
		r := result.Lacking(samplesName, "count", result.SourcePerf, result.UserKernel, st, reason, remedy)
		w := r
		e, _ := named(a.event)
		w.Name, w.Unit, _ = weightName(e)
		return []result.Reading{r, w}, nil
	}
	switch {
	case !a.begun:
		return lacking(result.NotCounted, "the window was not begun", "")
	case a.edge != nil && !a.ended:
		if end.Early {
			return lacking(result.Failed, fmt.Sprintf("%v: %s", a.edge, why.reason), why.remedy)
		}
		return lacking(result.Failed, a.edge.Error(), "")
	case !end.Clean():
		return lacking(result.Failed, why.reason, why.remedy)
	}
	c, err := readContents(a.out)
	if err != nil {
		return lacking(result.Failed, fmt.Sprintf("%v (perf: %s)", err, end.FirstLine()), "")
	}
	if reason, remedy := a.empty(c); reason != "" {
		return lacking(result.Failed, reason, remedy)
	}
	rs := c.readings(a.doubt(c))
	if c.event.noKernel && !a.userAsked() {
		rs[1].Reason = strings.TrimPrefix(rs[1].Reason+"; user space only, as this user may not sample the kernel", "; ")
		rs[1].Remedy = "run as root, or sysctl kernel.perf_event_paranoid=1"
	}
	if cut := a.cut(why); cut != "" {
		for i := range rs { // from Begin to some moment that is not the window's end
			rs[i].State, rs[i].Reason, rs[i].Remedy = result.Partial, cut, why.remedy
		}
	}
	return rs, nil
}

// cut says why the samples are not of the whole window, "" where they are.
func (a *armed) cut(why verdict) string {
	switch {
	case !a.ended:
		return "the window was not ended"
	case a.edge == nil:
		return ""
	}
	return fmt.Sprintf("%v: %s", a.edge, why.reason)
}

// expected is how many samples must be missing before none at all is a fault.
const expected = 20

// empty says why there is no sample of a process that did use CPU: perf ends
// well where it was let attach to nothing. "" where all is well.
func (a *armed) empty(c contents) (reason, remedy string) {
	used := a.cpu[1] - a.cpu[0]
	if c.samples > 0 || used <= 0 || used.Seconds()*float64(a.o.Hz) < expected {
		return "", ""
	}
	reason = fmt.Sprintf("perf took no sample, though the process used %v of CPU", used.Round(time.Millisecond))
	u := a.caps.User
	switch {
	case !u.Perfmon && a.caps.Paranoid > 1:
		return reason + fmt.Sprintf("; kernel.perf_event_paranoid is %d and this user has no CAP_PERFMON", a.caps.Paranoid),
			"run as root, or sysctl kernel.perf_event_paranoid=1"
	case !u.Ptrace:
		return reason + "; this user has no CAP_SYS_PTRACE, so Yama or the process's owner may have kept perf away", "run as root"
	case a.event != ClockEvent:
		return reason + "; this machine's PMU may count " + a.event + " and give no interrupts for it", "event: " + ClockEvent
	}
	return reason, "perf record -e " + a.event + " true, and what it says"
}

// doubt is why the event is not the best, or not the one that was asked for.
func (a *armed) doubt(c contents) string {
	asked, known := named(a.event)
	if known && (asked.kind != c.event.kind || asked.config != c.event.number()) {
		name, _, _ := weightName(c.event)
		return fmt.Sprintf("perf was asked for %s and sampled another event (%s)", a.event, name)
	}
	return a.note
}

// userAsked: the event was asked for without the kernel, as cycles:u or cpu/cycles/u.
func (a *armed) userAsked() bool {
	i := strings.LastIndexAny(a.event, ":/")
	return i >= 0 && strings.Contains(a.event[i:], "u") && !strings.Contains(a.event[i:], "k")
}

// readings of the data. note is why they are not of a better event.
func (c contents) readings(note string) []result.Reading {
	got := func(name, unit string, v float64) result.Reading {
		return result.Got(name, v, unit, result.SourcePerf, c.event.scope())
	}
	name, unit, divisor := weightName(c.event)
	weight := got(name, unit, float64(c.weight)/divisor)
	weight.Reason = note
	return []result.Reading{
		got(samplesName, "count", float64(c.samples)), weight,
		got(lostName, "count", float64(c.lost)), got(throttledName, "count", float64(c.throttled)),
	}
}

// weightName is the reading of what samples of an event stand for.
func weightName(e event) (name, unit string, divisor float64) {
	switch n := e.number(); {
	case e.kind == unix.PERF_TYPE_HARDWARE && n == unix.PERF_COUNT_HW_INSTRUCTIONS:
		return "profile_instructions", "count", 1
	case e.kind == unix.PERF_TYPE_HARDWARE && n == unix.PERF_COUNT_HW_CPU_CYCLES:
		return "profile_cycles", "count", 1
	case e.kind == unix.PERF_TYPE_SOFTWARE && n <= unix.PERF_COUNT_SW_TASK_CLOCK:
		return "profile_cpu_us", "us", 1e3 // periods are nanoseconds
	}
	return "profile_events", "count", 1
}

// named is what perf means by an event's name, for those whose number we know;
// for others, an event of no type that the kernel has.
func named(name string) (e event, known bool) {
	name, _, _ = strings.Cut(name, ":")
	switch name {
	case "instructions":
		return event{kind: unix.PERF_TYPE_HARDWARE, config: unix.PERF_COUNT_HW_INSTRUCTIONS}, true
	case "cycles":
		return event{kind: unix.PERF_TYPE_HARDWARE, config: unix.PERF_COUNT_HW_CPU_CYCLES}, true
	case "cpu-clock":
		return event{kind: unix.PERF_TYPE_SOFTWARE, config: unix.PERF_COUNT_SW_CPU_CLOCK}, true
	case "task-clock":
		return event{kind: unix.PERF_TYPE_SOFTWARE, config: unix.PERF_COUNT_SW_TASK_CLOCK}, true
	}
	return event{kind: 1 << 32}, false
}

// Samples is the reading that tells of a window whether it was sampled; where it
// was not, its state and reason say why.
func Samples(rs []result.Reading) result.Reading {
	why := result.Lacking(samplesName, "count", result.SourcePerf, result.UserKernel, result.NotCounted, "nothing was sampled in this window", "")
	for _, r := range rs {
		switch r.Name {
		case samplesName:
			return r
		case "collector_record": // it could not be armed
			why.State, why.Reason, why.Remedy = r.State, r.Reason, r.Remedy
		}
	}
	return why
}
