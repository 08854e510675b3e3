package perfctl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"opcost/collectors"
	"opcost/collectors/priority"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
	"opcost/perfctl/window"
)

// Pass is one way of measuring a server process.
type Pass struct {
	Kind   result.PassKind
	Wrap   func(argv []string) []string // goes in front of the server; nil: nothing does
	Length window.Length
	Phase  string // names the keys of the window, see window.Phase
	Set    string // the event set, for the record
	// Collectors, slowest first. They are begun in this order and ended in the
	// reverse, so that the fastest reader stands closest to the operation count.
	Collectors []collectors.Collector
	Caps       probe.Caps
	// Ended is set for a server that is not ours and tells whether it has ended.
	// With it, what was measured until the server or our connection to it went
	// away is kept as a shorter window, partial.
	Ended func() bool
	// Counted names the collector whose readings are of the very moments at which
	// the operations are counted; "": none's are.
	Counted string
}

// Measure makes one window: gate closed, edges read, gate open, time, gate
// closed, edges read. With a gate the operations are exact and the reading of
// the edges costs the window nothing. Without one (gate nil) the operation
// count is read innermost, and what the server did between a counter's reading
// and the count is stored as that reading's uncertainty.
//
// A collector that fails leaves readings that say why; the rest is intact. The
// error is non-nil only when there is no window to keep; a window cut short
// (by ctx, by a load or server that failed) comes back with state partial.
func Measure(ctx context.Context, t collectors.Target, p Pass, ops window.Ops, gate window.Gate) (result.Window, error) {
	w := result.Window{ID: t.Tag, EventSet: p.Set, Gated: gate != nil, State: result.OK}

	// The gate closes before collectors are armed: some learn what they
	// themselves cost the server, which needs a quiet one.
	if err := quiesce(ctx, gate); err != nil {
		return w, fmt.Errorf("before the window: %w", err)
	}
	arms := arm(ctx, t, p)
	defer func() {
		for _, a := range arms {
			a.abandon()
		}
	}()
	back := hurry(gate)
	edge := time.Now()
	for _, a := range arms {
		a.begin(ctx)
	}
	begin, err := ops.Read(ctx)
	w.Start = time.Now()
	back()
	if err != nil {
		return w, fmt.Errorf("operations at the window's begin: %w", err)
	}
	w.EdgeNS[0] = w.Start.Sub(edge).Nanoseconds()

	var thirds []int64
	var last kept
	still := func() time.Duration { return 0 }
	if gate != nil {
		still = watchStandstill()
	}
	if p.Ended == nil {
		thirds = wait(ctx, &w, p, gate, ops)
	} else {
		last = keep(ctx, &w, p, arms, ops)
	}

	// From here on a cancelled ctx must not stop us: what was counted is kept.
	ctx, cancel := closingTime(ctx)
	defer cancel()
	failed := quiesce(ctx, gate)
	if failed != nil {
		partial(&w, failed.Error())
	}
	if stopped := still(); stopped > 0 {
		w.Readings = append(w.Readings, stoodStill(stopped))
	}
	back = hurry(gate)
	defer back()
	stop, end := last.at, last.ops
	if last.lost == nil {
		stop = time.Now()
		end, err = ops.Read(ctx)
		// A load of ours that failed knows all the same what it did until then.
		if known := failed != nil && end.Source != ""; err != nil && !known {
			last.lost, stop, end = err, last.at, last.ops
		}
	}
	switch {
	case last.lost == nil:
		for i := len(arms) - 1; i >= 0; i-- {
			arms[i].end(ctx)
		}
		w.EdgeNS[1] = time.Since(stop).Nanoseconds()
	case p.Ended == nil:
		return w, fmt.Errorf("operations at the window's end: %w", last.lost)
	default:
		if err := last.cutBack(&w, arms); err != nil {
			return w, err
		}
	}
	w.DurationNS = stop.Sub(w.Start).Nanoseconds()
	w.Ops = between(begin, end)
	w.Thirds = differences(begin.End, thirds, end.End)

	for _, a := range arms {
		w.Readings = append(w.Readings, a.readings(w.Start, stop, gate != nil || a.name == p.Counted)...)
		a.tables(&w)
		if p.Ended == nil && result.NoSpace(a.err) { // the evidence of a live window is not kept
			partial(&w, "what "+a.name+" read could not be kept: "+a.err.Error())
		}
	}
	return w, nil
}

// edgeTimeout bounds the closing of the gate and the reading of an edge: a
// scan of a large table under valgrind is the slowest statement to wait for.
const edgeTimeout = 5 * time.Minute

// stopTimeout is for the same once we were told to stop: a statement under way
// gets some time to end.
const stopTimeout = 20 * time.Second

// closingTime is a context for closing the gate and reading an edge, which must
// go on when ctx ends, and end itself when the server has stopped answering.
func closingTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return outlasting(ctx, edgeTimeout, stopTimeout)
}

// outlasting is a context that ends after most, or that long after the end of
// ctx as told says.
func outlasting(ctx context.Context, most, told time.Duration) (context.Context, context.CancelFunc) {
	inTime, late := context.WithTimeoutCause(context.WithoutCancel(ctx), most, fmt.Errorf("no answer within %v", most))
	closing, cancel := context.WithCancelCause(inTime)
	forget := context.AfterFunc(ctx, func() {
		t := time.AfterFunc(told, func() { cancel(fmt.Errorf("no answer within %v", told)) })
		context.AfterFunc(closing, func() { t.Stop() })
	})
	return closing, func() { forget(); cancel(nil); late() }
}

func quiesce(ctx context.Context, gate window.Gate) error {
	if gate == nil {
		return nil
	}
	return gate.Quiesce(ctx)
}

// wait lets the load run for the pass's length, and reads the operations after
// the first and the second third of a time, to see whether it was steady.
func wait(ctx context.Context, w *result.Window, p Pass, gate window.Gate, ops window.Ops) (thirds []int64) {
	var done <-chan struct{}
	if gate != nil {
		done = gate.Release(window.Phase{Name: p.Phase, Operations: p.Length.Operations})
	}
	var tick <-chan time.Time
	if p.Length.Operations == 0 {
		t := time.NewTicker(p.Length.Duration / 3)
		defer t.Stop()
		tick = t.C
	}
	for range 3 {
		select {
		case <-tick:
			if gate == nil || ops == nil {
				continue // asking a server that we do not drive would cost it
			}
			if c, err := ops.Read(ctx); err == nil {
				thirds = append(thirds, c.End)
			}
		case <-done: // the operations are done, or the load failed: Quiesce tells
			if p.Length.Operations == 0 {
				partial(w, fmt.Sprintf("the load ended before the window's %v", p.Length.Duration))
			}
			return nil
		case <-ctx.Done():
			partial(w, "stopped before the window's end: "+context.Cause(ctx).Error())
			return nil
		}
	}
	return thirds
}

// hurry raises our priority for an edge of a load that goes on meanwhile.
func hurry(gate window.Gate) (back func()) {
	if gate != nil {
		return func() {} // nothing is uncertain, however long it takes
	}
	return priority.Raise()
}

// differences are the operations in each third: the third reading was made at
// the end, and the count behind the gate replaces it.
func differences(begin int64, thirds []int64, end int64) []int64 {
	if len(thirds) != 3 {
		return nil
	}
	return []int64{thirds[0] - begin, thirds[1] - thirds[0], end - thirds[1]}
}

func partial(w *result.Window, why string) {
	w.State = result.Partial
	if w.Reason != "" {
		why = w.Reason + "; " + why
	}
	w.Reason = why
}

// between joins the counts of the two edges.
func between(begin, end result.OpCount) result.OpCount {
	c := end
	c.Begin, c.End = begin.End, end.End
	c.Errors = end.Errors - begin.Errors
	c.Misses = end.Misses - begin.Misses
	c.Transactions = end.Transactions - begin.Transactions
	return c
}

// armed is one collector through one window, with what went wrong on the way.
type armed struct {
	name     string
	armed    collectors.Armed
	err      error
	beganAt  time.Time
	endedAt  time.Time
	kept     bool // an end was read that stands if there is no later one
	void     bool // what was read last is not of the window's end
	finished bool
}

func arm(ctx context.Context, t collectors.Target, p Pass) []*armed {
	arms := make([]*armed, 0, len(p.Collectors))
	for _, c := range p.Collectors {
		a := &armed{name: c.Name()}
		a.armed, a.err = c.Arm(ctx, t, p.Caps)
		arms = append(arms, a)
	}
	return arms
}

func (a *armed) begin(ctx context.Context) {
	if a.err == nil {
		a.err = a.armed.Begin(ctx)
	}
	a.beganAt = time.Now()
}

func (a *armed) end(ctx context.Context) {
	a.endedAt = time.Now()
	if a.err == nil {
		a.err = a.armed.End(ctx)
	}
	a.void = a.kept && a.err != nil
}

// readings closes the collector. What failed is said under the collector's own
// name, so that a report can show which numbers are missing, and why.
func (a *armed) readings(start, stop time.Time, exact bool) []result.Reading {
	a.finished = true
	var rs []result.Reading
	if a.armed != nil {
		var err error
		rs, err = a.armed.Close()
		if a.void {
			rs = nil // and what went wrong is known
		} else {
			a.err = errors.Join(a.err, err)
		}
	}
	if a.err != nil {
		rs = append(rs, lost(a.name, a.err))
	}
	if !exact {
		spread(rs, a, start, stop)
	}
	return rs
}

// tables takes what the collector has beside its readings, once it is closed.
func (a *armed) tables(w *result.Window) {
	if d, ok := a.armed.(collectors.WithDigests); ok {
		w.Digests = append(w.Digests, d.Digests()...)
	}
	if t, ok := a.armed.(collectors.WithThreads); ok {
		w.Threads = append(w.Threads, t.Threads()...)
	}
}

func (a *armed) abandon() {
	if !a.finished && a.armed != nil {
		_, _ = a.armed.Close() // the window is given up; its error is on its way
	}
}

// lost is the reading of a collector that failed.
func lost(name string, err error) result.Reading {
	var u *collectors.Unsupported
	if errors.As(err, &u) {
		return result.Lacking("collector_"+name, "", sourceOf(name), "", result.Unsupported, u.Error(), u.Remedy)
	}
	return result.Lacking("collector_"+name, "", sourceOf(name), "", result.Failed, err.Error(), "")
}

// spread gives each reading of a collector the uncertainty of its edges: the
// time between its reading and the operation count, times its mean rate.
func spread(rs []result.Reading, a *armed, start, stop time.Time) {
	length := stop.Sub(start).Seconds()
	aged, _ := a.armed.(collectors.WithAges)
	for i := range rs {
		off := start.Sub(a.beganAt) + a.endedAt.Sub(stop)
		if aged != nil {
			begin, end := aged.Age(rs[i].Name)
			off += begin + end
		}
		if off := off.Seconds(); rs[i].Value != nil && !rs[i].Gauge && length > 0 {
			rs[i].Uncertainty += *rs[i].Value / (length + off) * off
		}
	}
}

func sourceOf(collector string) result.Source {
	switch collector {
	case "perfstat", "record":
		return result.SourcePerf
	case "callgrind":
		return result.SourceCallgrind
	case "mysqlstatus", "digest":
		return result.SourceServer
	case "host":
		return result.SourceHost
	default:
		return result.SourceProc
	}
}
