// Package threads says where a server's time went by thread: CPU time, waiting
// for a CPU and context switches of each from /proc/PID/task, instructions and
// cycles through perf_event_open where the machine counts them, joined through
// the operating system's thread id to the connection that the thread served. It
// only reads: no signal, no ptrace, no statement that takes a lock, and of a
// statement's text nothing that a user wrote as a literal.
package threads

import (
	"context"
	"errors"
	"fmt"

	"github.com/prometheus/procfs"

	"opcost/collectors"
	"opcost/collectors/internal/evidence"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// Options say what is counted and kept.
type Options struct {
	// Perf counts instructions and cycles of each thread, where the machine can:
	// of user space alone where the kernel does not allow more.
	Perf bool
	// Max is how many threads perf may count, the busiest; 0: as many as the
	// limit of file descriptors allows.
	Max int
	// Keep is how many threads are kept, those with the most CPU; the rest are
	// added up in one row. 0: 200.
	Keep int
	// Literals keeps statements as they are, with what users wrote in them.
	Literals bool
}

const defaultKeep = 200

// New is the collector. Its table of threads is read by
// [collectors.WithThreads]; its readings are gauges:
//
//	threads_joined    threads that served a connection (source server); why not, else
//	threads_counted   threads whose instructions were counted (source perf), when
//	                  asked for; partial where some that ran were not
func New(o Options) collectors.Collector {
	if o.Keep <= 0 {
		o.Keep = defaultKeep
	}
	return collector{options: o, proc: procfs.DefaultMountPoint, events: hardware}
}

// collector has what a test replaces.
type collector struct {
	options Options
	proc    string
	events  [2]event
}

func (collector) Name() string { return "threads" }

// Arm finds out how threads are joined, and opens the counters.
func (c collector) Arm(ctx context.Context, t collectors.Target, caps probe.Caps) (collectors.Armed, error) {
	a := &armed{target: t, options: c.options, reader: reader{proc: c.proc, pid: t.PID, startTicks: t.StartTicks}}
	first, err := a.reader.all()
	if err != nil {
		return nil, err
	}
	a.join = arrange(ctx, t.SQL)
	if c.options.Perf {
		a.perf = openAll(ctx, &a.reader, first, c.events, caps, c.options.Max)
	}
	if err := ctx.Err(); err != nil {
		a.perf.close()
		return nil, err
	}
	return a, nil
}

type armed struct {
	target     collectors.Target
	options    Options
	reader     reader
	join       joiner
	perf       *counters // nil where not asked for
	begin, end *edge
	threads    []result.Thread
}

// Begin asks the server first and reads the counters last; End the other way
// round: what is slow is outside.
func (a *armed) Begin(ctx context.Context) error {
	conns, why := a.join.ask(ctx)
	e, err := a.reader.begin()
	if err != nil {
		return err
	}
	e.conns, e.noConns = conns, why
	e.perf = a.perf.read()
	a.begin = &e
	return nil
}

func (a *armed) End(ctx context.Context) error {
	if a.begin == nil {
		return errors.New("threads: the window's begin was not read")
	}
	perf := a.perf.read()
	e, err := a.reader.finish(a.begin.threads)
	if err != nil {
		return err
	}
	e.perf = perf
	e.conns, e.noConns = a.join.ask(ctx)
	a.end = &e
	return nil
}

// Rereadable: the last End counts (see [collectors.Rereadable]).
func (*armed) Rereadable() {}

func (a *armed) Close() ([]result.Reading, error) {
	defer a.perf.close()
	if a.begin == nil {
		return nil, nil
	}
	if a.end == nil {
		return nil, errors.New("threads: the window's end was not read")
	}
	w := window{begin: *a.begin, end: *a.end, join: a.join, perf: a.perf, literals: a.options.Literals, nstids: a.target.NSTIDs}
	rows := w.rows()
	rs := w.readings(rows)
	a.threads = kept(rows, a.options.Keep)
	return rs, evidence.Write(a.target, "threads.json", a.threads)
}

// Threads are the window's, most CPU first; none before Close.
func (a *armed) Threads() []result.Thread { return a.threads }

func gone(pid int, err error) error {
	return fmt.Errorf("threads of process %d: %w: check that the server still runs", pid, err)
}
