package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// question is what perf is asked with.
type question struct {
	asker
	ctx  context.Context
	perf string
	csv  bool // -j is not there
	who  Caps // machine, user and settings: what a refusal is explained by
}

// Hardware events must count in any program: a 0 is no count. A program that
// only starts and ends has no guaranteed switch or migration.
var (
	hardwareEvents = []string{"instructions:u", "instructions:k", "cycles:u", "cycles:k",
		"instructions", "cycles", "branches", "branch-misses", "cache-misses"}
	softwareEvents = []string{"task-clock", "context-switches", "cpu-migrations", "page-faults"}
	tracepoints    = []string{SyscallEvent}
)

// SyscallEvent is hit once a system call.
const SyscallEvent = "raw_syscalls:sys_enter"

// HybridName is an event's name for one kind of core: cpu_core/cycles/u.
func HybridName(pmu, event string) string {
	event, modifier, _ := strings.Cut(event, ":")
	return pmu + "/" + event + "/" + modifier
}

// events tries each event. All are asked at once first, which settles those that
// are not supported and those that the kernel counts itself. Hardware events
// that count share the PMU then, so each of these is tried alone; and all are
// when one unknown or refused event has made perf count none.
func (q question) events(h Host) map[string]Event {
	names, hardware := eventNames(h)
	events := make(map[string]Event, len(names))
	if rows, _, err := q.count(names...); err == nil {
		for i, name := range names {
			if !hardware[name] || rows[i].value == notSupported {
				events[name] = q.judge(name, hardware[name], rows[i])
			}
		}
	}
	var (
		mu   sync.Mutex // over events
		wg   sync.WaitGroup
		free = make(chan struct{}, 4)
	)
	for _, name := range unsettled(names, events) {
		wg.Go(func() {
			free <- struct{}{}
			e := q.event(name, hardware[name])
			<-free
			mu.Lock()
			defer mu.Unlock()
			events[name] = e
		})
	}
	wg.Wait()
	return events
}

func unsettled(names []string, events map[string]Event) []string {
	return slices.DeleteFunc(names, func(n string) bool {
		_, settled := events[n]
		return settled
	})
}

// eventNames are the events to try, and which of them are the PMU's.
func eventNames(h Host) (names []string, hardware map[string]bool) {
	hardware = map[string]bool{}
	names = append(append(names, softwareEvents...), tracepoints...)
	for _, e := range hardwareEvents {
		kinds := []string{e}
		if h.Hybrid() {
			kinds = nil
			for _, pmu := range h.PMUs {
				kinds = append(kinds, HybridName(pmu, e))
			}
		}
		for _, k := range kinds {
			names = append(names, k)
			hardware[k] = true
		}
	}
	return names, hardware
}

// event tries one alone.
func (q question) event(name string, hardware bool) Event {
	rows, stderr, err := q.count(name)
	if err != nil {
		return Event{Ability: q.refusal(name, stderr, err)}
	}
	return q.judge(name, hardware, rows[0])
}

const (
	notSupported = "<not supported>" // man perf-stat: the machine cannot
	notCounted   = "<not counted>"   // it never was on the PMU
)

// judge says what a row of perf stat means for the event asked.
func (q question) judge(name string, hardware bool, row seen) Event {
	e := Event{Name: row.event, Ability: yes()}
	switch {
	case row.value == notSupported && hardware:
		e.Ability = no("not supported: this machine gives no hardware counters", q.pmuRemedy())
	case row.value == notSupported:
		e.Ability = no("not supported by this kernel", "")
	case row.value == notCounted && hardware && q.who.Host.Hybrid():
		// The trial never ran on that kind of core, which is no fault.
	case row.value == notCounted:
		e.Ability = no("not counted: the event never was on the PMU", "end other programs that use hardware counters; sysctl kernel.nmi_watchdog=0")
	case hardware && isZero(row.value):
		e.Ability = no("it stays 0 while the program runs: the machine pretends to have the counter", q.pmuRemedy())
	case inKernel[name] && userOnly(name, row.event):
		// perf adds :u by itself where the kernel may not be counted. What it
		// then says of these events is 0, at 100% running.
		e.Ability = no(fmt.Sprintf("perf may count in user space only and made it %s, which is always 0", row.event), q.permission())
	}
	return e
}

// inKernel are events that happen in the kernel alone.
var inKernel = map[string]bool{"context-switches": true, "cpu-migrations": true}

func isZero(s string) bool { return strings.Trim(s, "0.") == "" }

func userOnly(asked, got string) bool {
	return !strings.HasSuffix(asked, ":u") && strings.HasSuffix(got, ":u")
}

// seen is one event's line of perf stat.
type seen struct{ value, event string }

// count runs a program that ends at once, and counts the events in it: a row
// each, in their order.
func (q question) count(events ...string) (rows []seen, stderr string, err error) {
	ctx, cancel := context.WithTimeout(q.ctx, oneAnswer)
	defer cancel()
	argv := []string{q.perf, "stat", "-j"}
	if q.csv {
		argv = []string{q.perf, "stat", "-x", ";"}
	}
	for _, e := range events {
		argv = append(argv, "-e", e)
	}
	_, stderr, err = q.run(ctx, append(argv, "true")...)
	if err = why(ctx, stderr, err); err != nil {
		return nil, stderr, err
	}
	for line := range strings.Lines(stderr) {
		if row, ok := readLine(strings.TrimSpace(line), q.csv); ok {
			rows = append(rows, row)
		}
	}
	if len(rows) != len(events) {
		return nil, stderr, fmt.Errorf("perf was asked for %d counts and printed %d: %s", len(events), len(rows), firstLine(stderr))
	}
	return rows, stderr, nil
}

// readLine takes value and event from a line of perf stat; perfstat's parsers
// do the rest of such a line's columns.
func readLine(line string, csv bool) (seen, bool) {
	if csv {
		f := strings.Split(line, ";")
		if len(f) < 3 || f[0] == "" || f[2] == "" {
			return seen{}, false
		}
		return seen{value: f[0], event: f[2]}, isCount(f[0])
	}
	var r struct {
		Value string `json:"counter-value"`
		Event string `json:"event"`
	}
	if err := json.Unmarshal([]byte(line), &r); err != nil || r.Event == "" {
		return seen{}, false
	}
	return seen{value: r.Value, event: r.Event}, isCount(r.Value)
}

func isCount(s string) bool {
	return s == notSupported || s == notCounted || (s != "" && strings.Trim(s, "0123456789.") == "")
}
