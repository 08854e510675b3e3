// Package host reads what the whole machine did in a window: what vmstat and
// iostat print, and how much of it a hypervisor stole; and what opcost itself
// used. None of it is the server's: it says how quiet the machine was, and it
// allows a comparison with results that were made from vmstat and iostat.
package host

import (
	"context"
	"errors"

	"github.com/prometheus/procfs"
	"github.com/prometheus/procfs/blockdevice"

	"opcost/collectors"
	"opcost/collectors/internal/evidence"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// New is the collector of the whole machine. Its readings (unit us, count or
// kb, after the name; source host unless said; gauges are levels at an edge):
//
//	host_cpu_user_us      user and nice; a guest's time is within it
//	host_cpu_system_us, host_cpu_irq_us (hard and soft), host_cpu_steal_us
//	host_cpu_idle_us, host_cpu_iowait_us    10 ms grain, as all the above
//	host_context_switches, host_interrupts
//	host_reads, host_read_kb, host_writes, host_write_kb
//	                      whole disks: no partition, nothing built of other
//	                      disks (dm, md), no loop, ram or optical device
//	host_disks            gauge: how many, with their names as the reason
//	host_dirty_kb_begin|end, host_writeback_kb_begin|end    gauges
//	host_run_queue_begin|end    gauges: runnable threads, ours included
//	host_cpus             gauge: CPUs online at the end
//	host_cpu_mhz_begin|end      gauges: mean over CPUs; behind a gate they idle,
//	                      so that cycles per task-clock is the better measure
//	client_cpu_us, client_cpu_user_us, client_cpu_system_us
//	                      source client: opcost's own process, so the built-in
//	                      client and the reading of the edges, and no other load
func New() collectors.Collector {
	return collector{proc: procfs.DefaultMountPoint, sys: "/sys"}
}

// collector has what a test replaces.
type collector struct{ proc, sys string }

func (collector) Name() string { return "host" }

// Arm finds out which disks there are.
func (c collector) Arm(ctx context.Context, t collectors.Target, _ probe.Caps) (collectors.Armed, error) {
	fs, err := procfs.NewFS(c.proc)
	if err != nil {
		return nil, &collectors.Unsupported{What: "the host's counters", Reason: err.Error(), Remedy: "mount -t proc proc " + c.proc}
	}
	a := &armed{target: t, reader: reader{fs: fs, sys: c.sys}}
	// Without /sys there are no disks, which is said where they are read.
	a.reader.block, a.reader.blockErr = blockdevice.NewFS(c.proc, c.sys)
	if a.reader.blockErr == nil {
		a.reader.disks, a.reader.blockErr = wholeDisks(c.sys)
	}
	return a, ctx.Err()
}

type armed struct {
	target     collectors.Target
	reader     reader
	begin, end *edge
}

// Begin and End do not fail: what cannot be read is a reading without a value.
func (a *armed) Begin(ctx context.Context) error {
	e := a.reader.begin()
	a.begin = &e
	return ctx.Err()
}

func (a *armed) End(ctx context.Context) error {
	e := a.reader.finish()
	a.end = &e
	return ctx.Err()
}

// Rereadable: the last End counts (see [collectors.Rereadable]).
func (*armed) Rereadable() {}

func (a *armed) Close() ([]result.Reading, error) {
	if a.begin == nil {
		return nil, nil
	}
	if a.end == nil {
		return nil, errors.New("host: the window's end was not read")
	}
	w := window{begin: *a.begin, end: *a.end, disks: a.reader.disks}
	return w.readings(), evidence.Write(a.target, "host.json", map[string]edge{"begin": w.begin, "end": w.end})
}
