package importer

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"opcost/collectors/perfstat"
	"opcost/perfctl/result"
)

func parseCSV(r io.Reader) (perfstat.Counts, []result.Warning, error) {
	return perfstat.ParseCSV(r, "")
}

// perf makes a window of one output of perf stat. What was done meanwhile perf
// does not know, so its counts stand a second.
func (b *batch) perf(p piece, s perfstat.Section) {
	p.window = windowOf(p.from, perfReadings(s.Counts)...)
	p.window.Ops.Per = "second"
	p.window.DurationNS = nanoseconds(s.Elapsed)
	if p.window.DurationNS == 0 {
		for _, r := range s.Rows {
			p.window.DurationNS = max(p.window.DurationNS, nanoseconds(r.Interval))
		}
	}
	if t, err := time.Parse("Mon Jan _2 15:04:05 2006", s.Started); err == nil {
		p.window.Start = t
	}
	if p.window.DurationNS <= 0 {
		p.window.DurationNS = 0
		p.warn("import_elapsed", "perf's output does not say how long it counted, so its counts are not divided")
	}
	b.add(p)
}

// perfName is a reading's name for an event.
func perfName(n perfstat.Name) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, n.Event)
	if clock(n.Event) {
		name += "_us"
	}
	switch n.Modifier {
	case "":
		return name
	case "u":
		return name + "_user"
	case "k":
		return name + "_kernel"
	}
	return name + "_" + n.Modifier
}

func clock(event string) bool { return event == "task-clock" || event == "cpu-clock" }

// kernelEvents happen in the kernel alone: counted in user space they are 0.
var kernelEvents = []string{"context-switches", "cpu-migrations"}

// perfReadings sums up an event's rows: over intervals, places and kinds of
// core. Each was scaled by perf already.
func perfReadings(c perfstat.Counts) []result.Reading {
	summed := slices.ContainsFunc(c.Rows, func(r perfstat.Count) bool { return r.Summary })
	var order []string
	rows := map[string][]perfstat.Count{}
	for _, r := range c.Rows {
		if summed && !r.Summary {
			continue // the rows that the summary adds up
		}
		name := perfName(perfstat.ParseName(r.Event))
		if rows[name] == nil {
			order = append(order, name)
		}
		rows[name] = append(rows[name], r)
	}
	rs := make([]result.Reading, 0, len(order))
	for _, name := range order {
		rs = append(rs, perfReading(name, rows[name]))
	}
	return rs
}

func perfReading(name string, rows []perfstat.Count) result.Reading {
	n := perfstat.ParseName(rows[0].Event)
	scope := result.UserKernel
	switch {
	case clock(n.Event):
	case strings.Contains(n.Modifier, "u") && !strings.Contains(n.Modifier, "k"):
		scope = result.User
	case strings.Contains(n.Modifier, "k") && !strings.Contains(n.Modifier, "u"):
		scope = result.Kernel
	}
	unit := "count"
	if rows[0].Unit != "" && !clock(n.Event) {
		unit = rows[0].Unit
	}
	lacking := func(s result.State, reason string) result.Reading {
		return result.Lacking(name, unit, result.SourceImport, scope, s, reason, "")
	}
	if scope == result.User && slices.Contains(kernelEvents, n.Event) {
		return lacking(result.Unsupported, fmt.Sprintf("perf counted %s, in user space only, where there are none", rows[0].Event))
	}
	type place struct {
		event, where string
		interval     float64
	}
	seen := map[place]bool{}
	sum, counted, twice, running := 0.0, 0, false, 100.0
	mark := perfstat.NotCounted
	for _, r := range rows {
		if r.Mark != perfstat.Counted {
			mark = r.Mark
			continue
		}
		at := place{r.Event, r.Where, r.Interval}
		if seen[at] {
			twice = true
			continue
		}
		seen[at] = true
		counted++
		if clock(n.Event) {
			unit = "us"
			sum += microseconds(r)
		} else {
			sum += r.Value
		}
		if r.Running > 0 {
			running = min(running, r.Running)
		}
	}
	switch {
	case counted == 0 && mark == perfstat.NotSupported:
		return lacking(result.Unsupported, "perf says <not supported>: that machine or kernel did not count it")
	case counted == 0:
		return lacking(result.NotCounted, "perf says <not counted>: the process never ran in the window, or the counter was never free")
	}
	r := result.Got(name, sum, unit, result.SourceImport, scope)
	switch {
	case twice:
		r.State, r.Reason = result.Partial, "perf counted it twice, in two groups; the first is taken"
	case running < 100:
		r.State, r.RunningFraction = result.Scaled, running/100
		r.Reason = "the counter was shared; perf has scaled the value up from the time it ran"
	}
	return r
}

// microseconds of a clock, which perf prints in milliseconds: named so from 4.19 on.
func microseconds(r perfstat.Count) float64 {
	if r.Unit == "ns" {
		return r.Value / 1000
	}
	return r.Value * 1000
}
