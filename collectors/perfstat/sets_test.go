package perfstat

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"opcost/collectors"
	"opcost/collectors/probe"
)

// machine makes capabilities: so many counters, and these events work. An event
// written "branches>branches:u" is one that perf narrowed.
func machine(counters int, pmus []string, events ...string) probe.Caps {
	var c probe.Caps
	c.Perf.Ability, c.Perf.Control = probe.Ability{OK: true}, probe.Ability{OK: true}
	c.Perf.PMU.OK = counters >= 0
	c.Perf.Counters = max(counters, 0)
	c.Host.PMUs = pmus
	c.Perf.Events = map[string]probe.Event{}
	for _, e := range events {
		asked, got, narrowed := strings.Cut(e, ">")
		if !narrowed {
			got = asked
		}
		c.Perf.Events[asked] = probe.Event{Ability: probe.Ability{OK: true}, Name: got}
	}
	return c
}

var (
	soft     = []string{"task-clock", "context-switches", "cpu-migrations", "page-faults"}
	hard     = []string{"instructions", "cycles", "instructions:u", "instructions:k", "cycles:u", "cycles:k", "branches", "branch-misses", "cache-misses"}
	userHard = []string{"instructions>instructions:u", "cycles>cycles:u", "instructions:u", "cycles:u", "branches>branches:u", "branch-misses>branch-misses:u"}
)

func TestSets(t *testing.T) {
	both := func(a, b []string) []string { return append(append([]string{}, a...), b...) }
	hybrid := []string{"cpu_core", "cpu_atom"}
	var hybridHard []string
	for _, p := range hybrid {
		for _, e := range hard {
			hybridHard = append(hybridHard, probe.HybridName(p, e))
		}
	}
	const software = " task-clock context-switches cpu-migrations page-faults"
	tests := []struct {
		name string
		caps probe.Caps
		want []string
	}{
		{"no PMU", machine(-1, nil, soft...), []string{"software:" + software}},
		{"no PMU, few software events", machine(-1, nil, "task-clock"), []string{"software: task-clock"}},
		{"six counters", machine(6, nil, both(soft, hard)...), []string{
			"core: {instructions:u,instructions:k,cycles:u,cycles:k}" + software,
			"branches: {instructions:u,branches,branch-misses,cache-misses} task-clock",
		}},
		{"three counters", machine(3, nil, both(soft, hard)...), []string{
			"core: {instructions,cycles}" + software,
			"core-user: {instructions:u,cycles:u} task-clock",
			"branches: {instructions:u,branches,branch-misses} task-clock",
			"cache-misses: {instructions:u,cache-misses} task-clock",
		}},
		{"unknown number of counters", machine(0, nil, both(soft, hard[:6])...), []string{
			"core: {instructions,cycles}" + software,
			"core-user: {instructions:u,cycles:u} task-clock",
		}},
		{"one counter", machine(1, nil, both(soft, hard)...), []string{
			"instructions: instructions" + software,
			"cycles: cycles task-clock",
		}},
		{"user space only", machine(6, nil, append(userHard, "task-clock>task-clock:u", "page-faults>page-faults:u")...), []string{
			"core: {instructions:u,cycles:u} task-clock page-faults",
			"branches: {instructions:u,branches:u,branch-misses:u} task-clock",
		}},
		{"no cycles", machine(6, nil, both(soft, []string{"instructions", "instructions:u", "instructions:k"})...), []string{
			"instructions: instructions" + software,
		}},
		{"hybrid", machine(6, hybrid, both(soft, hybridHard)...), []string{
			"core: {cpu_core/instructions/u,cpu_core/instructions/k,cpu_core/cycles/u,cpu_core/cycles/k}" +
				" {cpu_atom/instructions/u,cpu_atom/instructions/k,cpu_atom/cycles/u,cpu_atom/cycles/k}" + software,
			"branches: {cpu_core/instructions/u,cpu_core/branches/,cpu_core/branch-misses/,cpu_core/cache-misses/}" +
				" {cpu_atom/instructions/u,cpu_atom/branches/,cpu_atom/branch-misses/,cpu_atom/cache-misses/} task-clock",
		}},
		{"no perf", probe.Caps{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range Sets(tt.caps) {
				line := s.Name + ":"
				for _, g := range s.Groups {
					if len(g) > 1 {
						line += " {" + strings.Join(g, ",") + "}"
					} else {
						line += " " + g[0]
					}
				}
				got = append(got, line)
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestSyscallSet(t *testing.T) {
	s, err := SyscallSet(machine(-1, nil, probe.SyscallEvent, "task-clock"))
	if err != nil || s.Name != "syscalls" || s.events()[0] != probe.SyscallEvent {
		t.Errorf("%v %+v", err, s)
	}
	c := machine(6, nil, hard...)
	c.Perf.Events[probe.SyscallEvent] = probe.Event{Ability: probe.Ability{Reason: "no permission", Remedy: "run as root"}}
	_, err = SyscallSet(c)
	var u *collectors.Unsupported
	if !errors.As(err, &u) || u.Remedy != "run as root" {
		t.Errorf("got %v", err)
	}
}
