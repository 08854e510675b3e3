package perfstat

import (
	"fmt"
	"strings"

	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// sheet turns counts into readings.
type sheet struct {
	set      EventSet
	caps     probe.Caps
	counts   Counts
	warnings []result.Warning
	cut      string // why the counts do not reach to the window's end; "" when they do
}

// quantity is one reading to be made: an event with a modifier, on every kind of
// core.
type quantity struct {
	event    string
	modifier string
	asked    []string // as given to perf
}

// quantities of the set, in order.
func (s sheet) quantities() []quantity {
	var qs []quantity
	at := map[[2]string]int{}
	for _, e := range s.set.events() {
		n := ParseName(e)
		key := [2]string{n.Event, n.Modifier}
		i, seen := at[key]
		if !seen {
			i = len(qs)
			at[key] = i
			qs = append(qs, quantity{event: n.Event, modifier: n.Modifier})
		}
		qs[i].asked = append(qs[i].asked, e)
	}
	return qs
}

// kernelEvents happen in the kernel alone, so that user space has none.
var kernelEvents = map[string]bool{"context-switches": true, "cpu-migrations": true}

// ownNames are readings whose names are not the event's: other collectors count
// context switches and faults too, and the clock is given in microseconds.
var ownNames = map[string]string{
	"task-clock":       "task_clock_us",
	"cpu-clock":        "cpu_clock_us",
	"context-switches": "perf_context_switches",
	"page-faults":      "perf_page_faults",
	probe.SyscallEvent: "syscalls",
}

// name is the reading's name by result.Reading's rule.
func (q quantity) name() string {
	name, own := ownNames[q.event]
	if !own {
		name = strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
				return r
			case r >= 'A' && r <= 'Z':
				return r + 'a' - 'A'
			}
			return '_'
		}, q.event)
	}
	switch q.modifier {
	case "":
		return name
	case "u":
		return name + "_user"
	case "k":
		return name + "_kernel"
	}
	return name + "_" + q.modifier
}

func (q quantity) unit() string {
	if q.isClock() {
		return "us"
	}
	return "count"
}

func (q quantity) scope(modifier string) result.Scope {
	user, kernel := strings.Contains(modifier, "u"), strings.Contains(modifier, "k")
	switch {
	case q.isClock(): // a clock runs on both sides, whatever is excluded
		return result.UserKernel
	case user && !kernel:
		return result.User
	case kernel && !user:
		return result.Kernel
	}
	return result.UserKernel
}

func (q quantity) isClock() bool { return q.event == "task-clock" || q.event == "cpu-clock" }

// isHardware: neither the kernel's own counter nor a tracepoint, which has a
// colon in its name.
func (q quantity) isHardware() bool {
	switch q.event {
	case "task-clock", "cpu-clock", "context-switches", "cpu-migrations", "page-faults", "minor-faults", "major-faults", "cgroup-switches":
		return false
	}
	return !strings.Contains(q.event, ":")
}

// lacking gives every reading of the set with the same reason.
func (s sheet) lacking(st result.State, reason, remedy string) []result.Reading {
	var rs []result.Reading
	for _, q := range s.quantities() {
		rs = append(rs, q.lacking(st, reason, remedy))
	}
	return withTotals(rs)
}

func (q quantity) lacking(st result.State, reason, remedy string) result.Reading {
	return result.Lacking(q.name(), q.unit(), result.SourcePerf, q.scope(q.modifier), st, reason, remedy)
}

// readings gives every reading of the set.
func (s sheet) readings() []result.Reading {
	var rs []result.Reading
	for _, q := range s.quantities() {
		r := s.reading(q)
		if s.cut != "" && r.State.Usable() {
			r.State, r.Reason = result.Partial, "counted to another moment than the window's end: "+s.cut
		}
		rs = append(rs, r)
	}
	return withTotals(rs)
}

// withTotals adds x where x_user and x_kernel were counted apart.
func withTotals(rs []result.Reading) []result.Reading {
	byName := map[string]result.Reading{}
	for _, r := range rs {
		byName[r.Name] = r
	}
	var totals []result.Reading
	for _, u := range rs {
		whole, isUser := strings.CutSuffix(u.Name, "_user")
		k, hasKernel := byName[whole+"_kernel"]
		_, counted := byName[whole]
		if !isUser || !hasKernel || counted {
			continue
		}
		totals = append(totals, total(whole, u, k))
	}
	return append(totals, rs...)
}

func total(name string, user, kernel result.Reading) result.Reading {
	for _, part := range []result.Reading{user, kernel} {
		if !part.State.Usable() {
			return result.Lacking(name, part.Unit, result.SourcePerf, result.UserKernel, part.State,
				fmt.Sprintf("%s: %s", part.Name, part.Reason), part.Remedy)
		}
	}
	r := result.Got(name, *user.Value+*kernel.Value, user.Unit, result.SourcePerf, result.UserKernel)
	for _, part := range []result.Reading{user, kernel} {
		if rank(part.State) > rank(r.State) {
			r.State, r.Reason = part.State, part.Reason
		}
		if f := part.RunningFraction; f > 0 && (r.RunningFraction == 0 || f < r.RunningFraction) {
			r.RunningFraction = f
		}
	}
	return r
}

// rank orders the usable states from good to bad.
func rank(s result.State) int {
	switch s {
	case result.Scaled:
		return 1
	case result.Partial:
		return 2
	}
	return 0
}
