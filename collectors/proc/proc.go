// Package proc reads what the kernel says of the server's process: its CPU
// clock, /proc/PID/{stat,io}, and of each of its threads
// /proc/PID/task/*/{status,schedstat}; beside them the throttling of its
// control group. It counts the server and nothing else: no client, no host, and
// it neither stops, traces nor signals the process.
//
// Which file says what (each was seen, with MariaDB 10.11 on Linux 6.18):
//   - The process clock, stat and io keep what ended threads did.
//   - /proc/PID/status and /proc/PID/schedstat speak of the leader thread
//     alone, so switches and run-queue wait are the sum over the threads; a
//     thread that ends takes its counts along, and the sum is partial.
//   - stat has ticks of 10 ms; the process clock and schedstat have nanoseconds.
//   - schedstat of a thread that is running lacks its time since the last tick
//     (up to 10 ms a thread); the process clock does not. Behind a gate no
//     connection's thread runs.
package proc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/procfs"

	"opcost/collectors"
	"opcost/collectors/child"
	"opcost/collectors/internal/evidence"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// New is the collector of the server's process. Its readings, all of source
// proc (unit; scope user+kernel unless said):
//
//	cpu_us                        process clock, exact, ended threads included
//	cpu_user_us, cpu_system_us    of it (scope user, kernel), 10 ms grain
//	cpu_connection_us             threads of Target.ConnTIDs
//	cpu_background_us             the rest of cpu_us, ended threads included
//	context_switches              sum of the next two
//	context_switches_voluntary, context_switches_involuntary
//	context_switches_connection, context_switches_background
//	run_queue_us, run_queue_connection_us   waiting for a CPU
//	page_faults, page_faults_major          the first includes the second
//	read_kb, write_kb             to and from the storage layer
//	write_cancelled_kb            of write_kb, never written: truncated before
//	read_chars_kb, write_chars_kb, read_calls, write_calls   by system calls
//	cgroup_throttled_us, cgroup_throttled_periods
//	schedstat_cpu_us              CPU by the sum over threads: a check of cpu_us
//	threads_begin, threads_end, threads_started, threads_ended   gauges
func New() collectors.Collector {
	return collector{proc: procfs.DefaultMountPoint, clock: child.CPUTime}
}

// collector has what a test replaces.
type collector struct {
	proc  string // mount point
	clock func(pid int) (time.Duration, error)
}

func (collector) Name() string { return "proc" }

// Arm reads everything once, so that a process that is not there, is another
// one than meant, or has ended is an error now.
func (c collector) Arm(ctx context.Context, t collectors.Target, _ probe.Caps) (collectors.Armed, error) {
	fs, err := procfs.NewFS(c.proc)
	if err != nil {
		return nil, &collectors.Unsupported{What: "the server's process", Reason: err.Error(), Remedy: "mount -t proc proc " + c.proc}
	}
	a := &armed{target: t, reader: reader{fs: fs, root: c.proc, pid: t.PID, clock: c.clock}}
	a.reader.cgroups, a.reader.noCgroup = cgroupFiles(fs, t.PID)
	e := a.reader.begin(nil)
	a.first = &e
	if a.target.StartTicks == 0 {
		a.target.StartTicks = e.StartTicks
	}
	if err := alive(e, a.target); err != nil {
		return nil, err
	}
	return a, ctx.Err()
}

type armed struct {
	target     collectors.Target
	reader     reader
	first      *edge // by Arm
	begin, end *edge
	died       error // found at End
}

// Begin fails when the process is gone: there is nothing to measure.
func (a *armed) Begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e := a.reader.begin(a.first)
	if err := alive(e, a.target); err != nil {
		return err
	}
	a.begin = &e
	return nil
}

// End fails when the process is gone; Close still gives its readings, without
// values or partial, each with that reason.
func (a *armed) End(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e := a.reader.finish(a.begin)
	a.end, a.died = &e, alive(e, a.target)
	return a.died
}

// Rereadable: the last End counts (see [collectors.Rereadable]).
func (*armed) Rereadable() {}

func (a *armed) Close() ([]result.Reading, error) {
	if a.begin == nil {
		return nil, nil
	}
	if a.end == nil {
		return nil, errors.New("proc: the window's end was not read")
	}
	w := window{begin: *a.begin, end: *a.end, died: a.died,
		conns: a.target.ConnTIDs, connsReason: a.target.ConnTIDsReason}
	return w.readings(), evidence.Write(a.target, "proc.json", map[string]edge{"begin": w.begin, "end": w.end})
}

// Age is how much further from the window than the rest a reading of the
// threads was made (see [collectors.WithAges]).
func (a *armed) Age(reading string) (begin, end time.Duration) {
	if a.begin == nil || a.end == nil {
		return 0, 0
	}
	for _, s := range slices.Concat(allSums, connSums, backgroundSums) {
		if s.name == reading {
			return a.begin.age(s.part), a.end.age(s.part)
		}
	}
	return 0, 0
}

// alive says why an edge is none of the target's.
func alive(e edge, t collectors.Target) error {
	_, noClock := e.Lacks[partClock]
	_, noStat := e.Lacks[partStat]
	switch {
	case noClock && noStat:
		return fmt.Errorf("server process %d is gone: see the end of its error log", t.PID)
	case noStat: // it runs, and /proc hides it
		return nil
	case e.StartTicks != t.StartTicks:
		return fmt.Errorf("process %d is no longer the server: this one started at tick %d after boot, the server at tick %d",
			t.PID, e.StartTicks, t.StartTicks)
	// A leader that has ended is a zombie until the last thread ends too.
	case (e.State == "Z" || e.State == "X") && e.NumThreads <= 1:
		return errEnded{t.PID}
	}
	return nil
}

// errEnded: a zombie, whose process-wide counts can still be read.
type errEnded struct{ pid int }

func (e errEnded) Error() string {
	return fmt.Sprintf("server process %d has ended (a zombie that its parent has not reaped): see the end of its error log", e.pid)
}
