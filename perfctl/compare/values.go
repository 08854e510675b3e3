package compare

import (
	"cmp"
	"fmt"
	"strings"

	"opcost/perfctl/result"
)

// measure is a metric as one source counted it. Values of different measures
// are never mixed, and no ratio is taken between them.
type measure struct {
	name   string
	source result.Source
	scope  result.Scope
	per    string
}

// tally gathers what one server start says about a measure: a sum and what it
// is divided by, over all the windows that hold it. So each reading is divided
// by the operations of its own windows, and several windows of a start give
// their mean weighted by operations.
type tally struct {
	there    bool // else the start has not got it
	num, den float64
	unit     string
	state    result.State
	reason   string
	remedy   string
	fraction float64 // smallest running fraction; 0: does not apply
	// How far num and den may be off, by reading their edges at other moments.
	numUnsure, denUnsure float64
}

// usable: the start has a value.
func (t *tally) usable() bool { return t.den > 0 && t.state.Usable() }

func (t *tally) value() float64 { return t.num / t.den }

// bounds of the value, if everything at the edges went as far wrong as it may;
// nil where nothing is known of them.
func (t *tally) bounds() *[2]float64 {
	if (t.numUnsure == 0 && t.denUnsure == 0) || t.denUnsure >= t.den {
		return nil
	}
	return &[2]float64{max(0, t.num-t.numUnsure) / (t.den + t.denUnsure), (t.num + t.numUnsure) / (t.den - t.denUnsure)}
}

// tallies of one server start of a cell, in the places that the cell's layout
// gives measures.
type tallies struct {
	*layout
	in   []tally
	next int // place after the last one: as a rule starts have the same in the same order
}

// layout is the order of a cell's measures.
type layout struct {
	measures []measure
	places   map[measure]int
}

// place gives a measure's tally, which may be a new one.
func (ts *tallies) place(m measure) *tally {
	i := ts.next
	if i >= len(ts.measures) || ts.measures[i] != m {
		var ok bool
		if i, ok = ts.places[m]; !ok {
			i = len(ts.measures)
			ts.measures = append(ts.measures, m)
			ts.places[m] = i
		}
	}
	if i >= len(ts.in) {
		ts.in = append(ts.in, make([]tally, i+1-len(ts.in))...)
	}
	ts.next = i + 1
	return &ts.in[i]
}

// at is the tally of a place, nil where the start has none.
func (ts *tallies) at(i int) *tally {
	if i >= len(ts.in) || !ts.in[i].there {
		return nil
	}
	return &ts.in[i]
}

// of is the tally of a measure, nil where the start has none.
func (ts *tallies) of(m measure) *tally {
	if i, ok := ts.places[m]; ok {
		return ts.at(i)
	}
	return nil
}

// amount is a quantity of one window on its way into a tally.
type amount struct {
	value    float64
	unit     string
	state    result.State
	reason   string
	remedy   string
	fraction float64
	unsure   float64 // see tally.numUnsure
}

// divisor is what amounts are divided by.
type divisor struct{ n, unsure float64 }

func exactly(n float64) divisor { return divisor{n: n} }

// operations of a window, or its seconds where none are counted: then costs are
// per second.
func operations(w result.Window) divisor {
	if perOf(w) == perSecond {
		return exactly(float64(w.DurationNS) / 1e9)
	}
	return divisor{float64(w.Ops.N()), w.Ops.Uncertainty}
}

// perSecond is what a window without operations is divided by.
const perSecond = "second"

func amountOf(r result.Reading) amount {
	a := amount{unit: r.Unit, state: r.State, reason: r.Reason, remedy: r.Remedy, fraction: r.RunningFraction, unsure: r.Uncertainty}
	if r.Value != nil {
		a.value = *r.Value
	} else if r.State.Usable() {
		a.state, a.reason = result.Failed, cmp.Or(r.Reason, "the reading has no value")
	}
	return a
}

// and is the doubt of two amounts together: the worse state with its reason.
func (a amount) and(b amount) amount {
	if severity(b.state) > severity(a.state) {
		a.state, a.reason, a.remedy = b.state, b.reason, b.remedy
	}
	a.fraction = smaller(a.fraction, b.fraction)
	return a
}

// add puts an amount, to be divided by den, into the tally of m. An amount
// without a value leaves its reason, unless a value is there.
func (ts *tallies) add(m measure, a amount, den divisor) {
	if a.state.Usable() && den.n <= 0 {
		a.state, a.reason, a.remedy = result.Failed, "no operation was counted in the window", "measure longer"
		if m.source == result.SourceImport {
			a.reason, a.remedy = "what was imported does not say over how long or how many operations it was counted", ""
		}
	}
	t := ts.place(m)
	if !t.there {
		*t = tally{there: true, num: a.value, den: den.n, numUnsure: a.unsure, denUnsure: den.unsure,
			unit: a.unit, state: a.state, reason: a.reason, remedy: a.remedy, fraction: a.fraction}
		if !a.state.Usable() {
			t.num, t.den = 0, 0
		}
		return
	}
	switch {
	case !a.state.Usable():
		return
	case !t.state.Usable():
		*t = tally{there: true, unit: a.unit, state: a.state, reason: a.reason, remedy: a.remedy, fraction: a.fraction}
	case severity(a.state) > severity(t.state):
		t.state, t.reason, t.remedy = a.state, a.reason, a.remedy
	}
	t.num += a.value
	t.den += den.n
	t.numUnsure += a.unsure
	t.denUnsure += den.unsure
	t.fraction = smaller(t.fraction, a.fraction)
}

// addRun puts all the windows of a run into the tallies of its server start.
func (ts *tallies) addRun(run *result.Run) {
	for _, p := range costly(run) {
		for _, w := range p.Windows {
			if w.State == result.Failed {
				ts.addFailed(p.Kind, w)
				continue
			}
			if p.Kind == result.PassCallgrind {
				ts.addCallgrind(w)
			} else {
				ts.addCount(w)
			}
		}
	}
}

// addFailed keeps why a window's readings are not used.
func (ts *tallies) addFailed(kind result.PassKind, w result.Window) {
	reason := "the window failed: " + cmp.Or(w.Reason, "no reason was stored")
	for _, r := range w.Readings {
		if r.Gauge || strings.HasPrefix(r.Name, "host_") || (kind == result.PassCallgrind && r.Source != result.SourceCallgrind) {
			continue
		}
		ts.add(measure{metricOf(r.Name), r.Source, r.Scope, perOf(w)}, amount{unit: r.Unit, state: result.Failed, reason: reason}, divisor{})
	}
}

// metricOf is the metric that a reading becomes.
func metricOf(reading string) string {
	if reading == "server_latency_us" || strings.HasPrefix(reading, lostCollector) {
		return reading // a fixed name without the ending; no metric at all
	}
	return reading + "_per_query"
}

// addCallgrind takes the instructions from a window under valgrind. Its times,
// CPU, switches and throughput mean nothing.
func (ts *tallies) addCallgrind(w result.Window) {
	ops := operations(w)
	for _, r := range w.Readings {
		if r.Source != result.SourceCallgrind || !strings.HasPrefix(r.Name, "instructions") || r.Gauge {
			continue
		}
		a := amountOf(r).and(doubt(w))
		whole := strings.TrimSuffix(r.Name, "_user")
		ts.add(measure{whole + "_per_query", r.Source, r.Scope, perOf(w)}, a, ops)
		if r.Name == "instructions_user" {
			ts.add(measure{"instructions_user_per_query", r.Source, r.Scope, perOf(w)}, a, ops)
		}
	}
}

// addCount takes everything from a window of the counting pass.
func (ts *tallies) addCount(w result.Window) {
	traced := isTraced(w)
	ops := operations(w)
	for _, r := range w.Readings {
		if r.Gauge && r.Source == result.SourceImport {
			ts.addImported(w, r)
			continue
		}
		if r.Gauge || strings.HasPrefix(r.Name, "host_") || (traced && !isTracepoint(r)) {
			continue
		}
		ts.add(measure{metricOf(r.Name), r.Source, r.Scope, perOf(w)}, amountOf(r).and(doubt(w)), ops)
	}
	if !traced {
		ts.addSums(w)
		ts.addRates(w)
		ts.addHost(w)
	}
}

// lostCollector begins the name of a reading that only says why a whole
// collector gave none.
const lostCollector = "collector_"

// isTracepoint: counting it slows every system call (7-14% more CPU/query has
// been seen), so nothing else of such a window is used.
func isTracepoint(r result.Reading) bool {
	return r.Source == result.SourcePerf && strings.HasPrefix(r.Name, "syscalls")
}

func isTraced(w result.Window) bool {
	for _, r := range w.Readings {
		if isTracepoint(r) && r.State.Usable() {
			return true
		}
	}
	return false
}

// perOf is what the window's operations are.
func perOf(w result.Window) string { return cmp.Or(w.Ops.Per, "statement") }

// doubt is what the window's own state adds to each of its readings.
func doubt(w result.Window) amount {
	if w.State == result.Partial {
		return amount{state: result.Partial, reason: cmp.Or(w.Reason, "the window is partial")}
	}
	return amount{state: result.OK}
}

// severity orders states from sound to absent.
func severity(s result.State) int {
	switch s {
	case result.OK:
		return 0
	case result.Scaled:
		return 1
	case result.Partial:
		return 2
	}
	return 3
}

// smaller of two fractions, of which 0 says nothing.
func smaller(a, b float64) float64 {
	if a == 0 || (b > 0 && b < a) {
		return b
	}
	return a
}

func (m measure) String() string {
	if m.scope == "" {
		return string(m.source)
	}
	return fmt.Sprintf("%s, %s", m.source, m.scope)
}
