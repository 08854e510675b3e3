// Package doctor judges what the probe has found: which of the things that
// opcost measures can be had here, what each lack costs, and what changes it.
// It reads nothing of the machine itself, and lays nothing out.
package doctor

import (
	"opcost/collectors/probe"
	"opcost/collectors/probe/binary"
)

// State of a check.
type State string

const (
	OK      State = "ok"      // nothing is lost by it
	Limited State = "limited" // measuring works, with less or with more noise
	Missing State = "missing" // what needs it cannot be had
	Unknown State = "unknown" // it could not be found out; Found says why
)

// Check is one line.
type Check struct {
	Group string `json:"group"`
	Name  string `json:"name"`
	State State  `json:"state"`
	// Found is what there is: a version, a setting, or a reason.
	Found string `json:"found"`
	// Cost is what the state costs the user; "" where it costs nothing.
	Cost string `json:"cost"`
	// Remedy is the command or setting that changes it; "" where there is none,
	// or none is needed.
	Remedy string `json:"remedy"`
}

// Report is all that the doctor says.
type Report struct {
	Schema int     `json:"schema"`
	Checks []Check `json:"checks"`
}

// Machine judges the machine, and the disk where the data will be.
func Machine(c probe.Caps, disk probe.Space) Report {
	r := Report{Schema: 1}
	r.group("what can be counted", countable(c))
	r.group("perf and valgrind", tools(c))
	r.group("permissions", permissions(c))
	r.group("machine", machine(c, disk))
	return r
}

// Server adds a server's program to the report.
func (r *Report) Server(p binary.Process, err error) {
	r.group("server", server(p, err))
}

func (r *Report) group(name string, checks []Check) {
	for _, c := range checks {
		c.Group = name
		r.Checks = append(r.Checks, c)
	}
}

// Count is how many checks are in each state.
func (r Report) Count() map[State]int {
	n := map[State]int{}
	for _, c := range r.Checks {
		n[c.State]++
	}
	return n
}

func ok(name, found string) Check { return Check{Name: name, State: OK, Found: found} }

func unknown(name, reason, cost string) Check {
	return Check{Name: name, State: Unknown, Found: reason, Cost: cost}
}

// ability judges a yes or no.
func ability(name, found string, a probe.Ability, without State, cost string) Check {
	if a.OK {
		return ok(name, found)
	}
	return Check{Name: name, State: without, Found: a.Reason, Cost: cost, Remedy: a.Remedy}
}
