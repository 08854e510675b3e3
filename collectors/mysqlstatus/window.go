package mysqlstatus

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/result"
)

// window is two samples of which readings are made.
type window struct {
	begin, end sample
	cost       map[string]float64 // of one SHOW GLOBAL STATUS
	quiet      bool
	shows      int // SHOW GLOBAL STATUS of ours among the statements, that at the end included
}

// own is how many statements we sent from the first sample to the second: the
// second SHOW GLOBAL STATUS counts itself.
func (w window) own() int64 { return w.end.statements - w.begin.statements }

// cost is the least that each counter grew from one sample to the next, over
// several: the least, so that what the server does in the background, and a
// load that has not stopped yet, are hardly in it.
func cost(samples []sample) map[string]float64 {
	least := map[string]float64{}
	for i := range samples[1:] {
		for name, text := range samples[i+1].Values {
			d, ok := difference(samples[i].Values[name], text)
			if before, seen := least[name]; ok && !isLevel(name) && (!seen || d < before) {
				least[name] = max(d, 0)
			}
		}
	}
	maps.DeleteFunc(least, func(_ string, d float64) bool { return d == 0 })
	return least
}

// difference of two numbers as text; false where one of them is none. Whole
// numbers are subtracted before they lose digits.
func difference(begin, end string) (float64, bool) {
	b, errB := strconv.ParseUint(begin, 10, 64)
	e, errE := strconv.ParseUint(end, 10, 64)
	if errB == nil && errE == nil {
		if e >= b {
			return float64(e - b), true
		}
		return -float64(b - e), true
	}
	fb, errB := number(begin)
	fe, errE := number(end)
	return fe - fb, errB == nil && errE == nil
}

// number reads a number as a server has them, in 64 bits. Galera gives nan for a
// mean over nothing, which Go would take, as it would inf; no record may hold
// them, nor what their sums would be.
func number(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err == nil && !(math.Abs(v) <= 1<<64) {
		err = strconv.ErrRange
	}
	return v, err
}

func (w window) readings() []result.Reading {
	var out []result.Reading
	counters := map[string]result.Reading{}
	names := map[string]bool{}
	for _, s := range []sample{w.begin, w.end} {
		for name := range s.Values {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch {
		case slices.Contains(levels, name):
			out = append(out, level(name+"_begin", name, w.begin), level(name+"_end", name, w.end))
		case !isLevel(name):
			r, moved := w.counter(name)
			counters[name] = r
			if moved || slices.Contains(always, name) || strings.HasPrefix(name, "handler_") {
				if ours(r.Name) { // MariaDB's rows_read; the name is fixed for the sum of handler_read_
					r.Name = "status_" + r.Name
				}
				out = append(out, r)
			}
		}
	}
	return append(out, total("rows_read", readHandlers, counters), total("rows_changed", changeHandlers, counters))
}

// ours tells whether a reading that is no counter has this name.
func ours(name string) bool {
	if name == "rows_read" || name == "rows_changed" {
		return true
	}
	for _, edge := range []string{"_begin", "_end"} {
		if l, ok := strings.CutSuffix(name, edge); ok && slices.Contains(levels, l) {
			return true
		}
	}
	return false
}

func level(reading, name string, s sample) result.Reading {
	v, err := number(s.Values[name])
	r := result.Got(reading, v, unit(name), result.SourceServer, "")
	if err != nil {
		r = result.Lacking(reading, unit(name), result.SourceServer, "", result.Failed, fmt.Sprintf("the server gives %q for %s, which is no number", s.Values[name], name), "")
	}
	r.Gauge = true
	return r
}

// counter is a counter's difference without our own share, and whether it is
// worth telling though it is not in the table [always]. What is no number
// (ON, a path, nothing) is no counter.
func (w window) counter(name string) (r result.Reading, moved bool) {
	failed := func(reason string) (result.Reading, bool) {
		return result.Lacking(name, unit(name), result.SourceServer, "", result.Failed, reason, ""), true
	}
	begin, atBegin := w.begin.Values[name]
	end, atEnd := w.end.Values[name]
	diff, number := difference(begin, end)
	switch {
	case !atBegin || !atEnd:
		return failed("the server gives it at one edge of the window only")
	case !number:
		r, _ = failed(fmt.Sprintf("not a number: %q", end))
		return r, false
	case w.restarted():
		return failed("the server was restarted in the window: its uptime went back")
	case diff < 0:
		return failed(fmt.Sprintf("the counter went back from %s to %s: FLUSH STATUS, or a level that opcost takes for a counter", begin, end))
	}
	share, unsure := w.share(name)
	value := diff - share
	if value < 0 {
		// Our share of bytes_sent and the like is not the same each time.
		value, unsure = 0, max(unsure, -value)
	}
	r = result.Got(name, value, unit(name), result.SourceServer, "")
	r.Uncertainty = unsure
	if w.flushed() {
		r.State, r.Reason, r.Remedy = result.Partial, "FLUSH STATUS ran in the window and may have reset the counter", "see that no monitor runs FLUSH STATUS"
	}
	return r, value != 0
}

// share is what our own statements added to a counter between the samples, and
// how much more it may be.
func (w window) share(name string) (known, unsure float64) {
	shows := float64(min(w.own(), int64(max(w.shows, 1))))
	switch {
	case name == "questions", name == "queries":
		return float64(w.own()), 0
	case name == "com_show_status":
		return shows, 0
	case name == "com_select": // what opcost sends besides are selects
		return float64(w.own()) - shows, 0
	case w.quiet:
		return w.cost[name] * shows, 0
	case slices.ContainsFunc(showAddsTo, func(prefix string) bool { return strings.HasPrefix(name, prefix) }):
		// What grew from one sample to the next is ours and the load's.
		return 0, w.cost[name] * shows
	}
	return 0, 0
}

func (w window) restarted() bool {
	d, ok := difference(w.begin.Values["uptime"], w.end.Values["uptime"])
	return ok && d < 0
}

// flushed: the time since FLUSH STATUS grew by less than the uptime did (whole
// seconds both).
func (w window) flushed() bool {
	up, ok := difference(w.begin.Values["uptime"], w.end.Values["uptime"])
	since, has := difference(w.begin.Values["uptime_since_flush_status"], w.end.Values["uptime_since_flush_status"])
	return ok && has && since < up-1
}

// total adds counters up; it is as good as the worst of them.
func total(name string, of []string, counters map[string]result.Reading) result.Reading {
	sum := result.Got(name, 0, "count", result.SourceServer, "")
	n := 0
	for _, c := range of {
		r, there := counters[c]
		if !there { // handler_read_last came with MySQL 5.6 and MariaDB 5.5
			continue
		}
		n++
		if !r.State.Usable() {
			return result.Lacking(name, "count", result.SourceServer, "", r.State, c+": "+r.Reason, r.Remedy)
		}
		*sum.Value += *r.Value
		sum.Uncertainty += r.Uncertainty
		if r.State != result.OK {
			sum.State, sum.Reason, sum.Remedy = r.State, c+": "+r.Reason, r.Remedy
		}
	}
	if n == 0 {
		return result.Lacking(name, "count", result.SourceServer, "", result.Unsupported, "the server gives none of "+strings.Join(of, ", "), "")
	}
	return sum
}
