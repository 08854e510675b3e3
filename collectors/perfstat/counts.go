package perfstat

import (
	"strconv"
	"strings"
)

// Counts is what one output of `perf stat` says.
type Counts struct {
	Rows    []Count
	Metrics []Metric
	// Elapsed is the wall time in seconds that perf prints, 0 when it does not.
	Elapsed float64
}

// Mark says whether a row has a number.
type Mark string

const (
	Counted      Mark = "counted"
	NotCounted   Mark = "<not counted>"   // never was on the PMU; for a software event: nothing to count
	NotSupported Mark = "<not supported>" // still comes with "100% running"
)

// Count is one row of one event. An event can have several rows: per interval,
// per CPU, per PMU of a hybrid CPU, or because it is in two groups.
type Count struct {
	Event string  // as perf prints it: instructions:u, cpu_core/cycles/u
	Value float64 // meaningless unless Mark is Counted; perf has already scaled it up to 100% running
	Unit  string  // msec, ns, Joules, ...; "" for a plain count
	Mark  Mark
	// RunNS is the time for which the event was on the PMU; -1 when not printed.
	RunNS int64
	// Running is RunNS in percent of the time that the event should have been
	// counted, cut to a whole number by perf from 2022 on; -1 when not printed.
	Running float64
	// Variance is the relative standard deviation in percent of `perf stat -r`.
	Variance float64
	Interval float64 // seconds since perf's start, with -I
	Summary  bool    // the sum at the end of -I --summary: not to be added to the intervals
	Where    string  // CPU0, S0, S0-D0-C15, mysqld-4711: what the row is about; "" for all
	CPUs     int     // that the row adds up, where perf says so
	Cgroup   string
}

// Metric is a number that perf derived from counts. After a disabled start it
// divides by perf's whole life and is wrong, so nothing here computes with it.
type Metric struct {
	Name  string
	Value float64 // may be NaN
	Group string  // TopdownL1, ...
}

// Find gives the rows of an event by its name as perf prints it.
func (c Counts) Find(event string) []Count {
	var rows []Count
	for _, r := range c.Rows {
		if r.Event == event {
			rows = append(rows, r)
		}
	}
	return rows
}

// Name is an event's name taken apart.
type Name struct {
	PMU      string // cpu_core, armv8_pmuv3_0, msr; "" when perf chose
	Event    string // instructions, raw_syscalls:sys_enter
	Modifier string // u, k, ...
}

// ParseName takes an event's name apart, in every spelling that perf prints:
// cpu_core/cycles/u, armv8_pmuv3_0/instructions:u/, cycles:u, cycles [cpu_core].
func ParseName(s string) Name {
	if at := strings.LastIndex(s, " ["); at > 0 && strings.HasSuffix(s, "]") {
		n := ParseName(s[:at])
		n.PMU = s[at+2 : len(s)-1]
		return n
	}
	if first, last := strings.IndexByte(s, '/'), strings.LastIndexByte(s, '/'); first > 0 && last > first {
		n := Name{PMU: s[:first], Event: s[first+1 : last], Modifier: strings.TrimPrefix(s[last+1:], ":")}
		if n.Modifier == "" {
			n.Event, n.Modifier = cutModifier(n.Event)
		}
		return n
	}
	e, m := cutModifier(s)
	return Name{Event: e, Modifier: m}
}

// cutModifier cuts off what stands behind the last colon if it is made of
// perf's modifier letters alone (man perf-list); in a tracepoint's name it is not.
func cutModifier(s string) (event, modifier string) {
	at := strings.LastIndexByte(s, ':')
	if at <= 0 || at == len(s)-1 || strings.Trim(s[at+1:], "ukhIGHpPSDWeb") != "" {
		return s, ""
	}
	return s[:at], s[at+1:]
}

// number reads a number as perf prints it in any locale that leaves the
// separator alone: a comma may stand for the decimal point.
func number(s string) (float64, bool) {
	if strings.Count(s, ",") == 1 && !strings.Contains(s, ".") {
		s = strings.Replace(s, ",", ".", 1)
	}
	// ParseFloat would take "inf", "0x1p4" and "1_000", which perf never prints.
	if s == "" || strings.Trim(s, "0123456789.eE+-") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// marked reads the field of a count.
func marked(s string) (float64, Mark, bool) {
	switch s {
	case string(NotCounted):
		return 0, NotCounted, true
	case string(NotSupported):
		return 0, NotSupported, true
	}
	v, ok := number(s)
	return v, Counted, ok
}
