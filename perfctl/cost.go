package perfctl

import (
	"time"

	"opcost/perfctl/plan"
	"opcost/perfctl/profiling"
	"opcost/perfctl/result"
	"opcost/perfctl/workload"
)

// What the parts of a run take, seen with MariaDB 10.11 on a virtual machine of
// 2 CPUs (x86-64, no hardware counters). Those that are CPU work are scaled by
// [pace]; those that wait for the disk are given in synced writes.
const (
	initialiseCPU   = 3000 * time.Millisecond // make the data folder, with its system tables
	loadRowCPU      = 15 * time.Microsecond   // insert a row, and its part of the index
	loadOnceCPU     = 1200 * time.Millisecond // start and stop around the load
	copyBytes       = 400 << 20               // copied in a second
	settleTime      = 300 * time.Millisecond  // until writeback is seen to be at rest
	startCPU        = 700 * time.Millisecond
	stopCPU         = 150 * time.Millisecond
	armCPU          = 150 * time.Millisecond // perf, procfs and status at a window's edges
	scanRowCPU      = 2 * time.Microsecond
	pointCPU        = 50 * time.Microsecond  // a point query, client and server
	writeCPU        = 250 * time.Microsecond // an update of one row
	valgrindStart   = 3000 * time.Millisecond
	valgrindStop    = 1200 * time.Millisecond
	valgrindScanRow = 15 * time.Microsecond // scanned while it does not count
	valgrindPoint   = 550 * time.Microsecond
	valgrindWrite   = 3 * time.Millisecond
	valgrindRow     = 12 * time.Microsecond  // of a counted scan
	valgrindWarm    = 0.4                    // of a statement's time, while it does not count
	readProfileCPU  = 700 * time.Millisecond // perf three times, and the program files' tables
	readSampleCPU   = 50 * time.Microsecond  // of frame pointers
	unwindCPU       = 150 * time.Microsecond // more of dwarf
	readDumpCPU     = 500 * time.Millisecond
	writesSettle    = 2 * time.Second // dirty pages and history, behind a write test
	driverStart     = 100 * time.Millisecond
)

// costs estimates how long the parts of a plan take.
type costs struct {
	plan *plan.Plan
	ways ways
	pace pace
	copy int64 // bytes of one copy of a version's data
}

func (k costs) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) * k.pace.cpu)
}

// load is one version's: initialise, fill, save.
func (k costs) load() time.Duration {
	rows := time.Duration(k.rows())
	return k.scaled(initialiseCPU+loadOnceCPU+rows*loadRowCPU) + k.copying()
}

func (k costs) rows() int64 { return int64(k.plan.Tables) * k.plan.Rows }

func (k costs) copying() time.Duration {
	return time.Duration(float64(k.copy) / copyBytes * float64(time.Second))
}

// start is one server start with its cells; restored says that the data are
// put back before it.
func (k costs) start(s Start, restored bool) time.Duration {
	var sum time.Duration
	if restored {
		sum += k.copying() + settleTime
	}
	if s.Pass == result.PassCallgrind {
		sum += k.scaled(valgrindStart + valgrindStop)
	} else {
		sum += k.scaled(startCPU + stopCPU)
	}
	for _, c := range s.Cells {
		sum += k.cell(s, c)
	}
	return sum
}

func (k costs) cell(s Start, c Cell) time.Duration {
	y := k.ways.of(s.Pass)
	rows := time.Duration(k.rows())
	if s.Pass == result.PassCallgrind {
		n := instructionOps(k.plan, c.Test)
		return k.reading(y, c) + k.scaled(rows*valgrindScanRow) + time.Duration((1+valgrindWarm/2)*float64(k.operations(s.Pass, c.Test, n)))
	}
	window := k.window(c)
	windows := time.Duration(max(1, len(y.sets)))
	if y.sampling != nil {
		windows++
	}
	var settling time.Duration
	if c.Test.Write {
		settling = writesSettle
	}
	warm := y.warmup(k.plan, c.Test)
	if !k.plan.Driver.Own() {
		settling += k.driver(c, windows)
	}
	return k.reading(y, c) + k.scaled(rows*scanRowCPU+windows*armCPU) + windows*window + settling +
		warm.Duration + k.operations(result.PassCount, c.Test, warm.Operations)
}

// driver is what a driver that is not ours takes beyond the windows: it runs for
// the time that arming may take, or is started for each window.
func (k costs) driver(c Cell, windows time.Duration) time.Duration {
	switch {
	case lengthOf(k.plan, c.Test).Operations > 0:
		return k.scaled((1 + windows) * driverStart)
	case k.plan.Driver.Name == workload.DriverMysqlslap: // it is stopped behind the last window
		return k.scaled(driverStart)
	}
	return connecting + windows*(arming-k.scaled(armCPU))
}

// redo is a server start in which write tests are done without measuring.
func (k costs) redo(todo []Past) time.Duration {
	if len(todo) == 0 {
		return 0
	}
	sum := k.scaled(startCPU + stopCPU)
	for _, past := range todo {
		for _, ph := range k.ways.of(past.Pass).phases(k.plan, past.Cell.Test) {
			sum += k.operations(result.PassCount, past.Cell.Test, ph.Operations)
		}
	}
	return sum
}

// window is the length of a window of the counting pass.
func (k costs) window(c Cell) time.Duration {
	l := lengthOf(k.plan, c.Test)
	if l.Operations > 0 {
		return k.operations(result.PassCount, c.Test, l.Operations)
	}
	return l.Duration
}

// samples that a sampled window of the cell has at most: a thread a client runs.
func (k costs) samples(y way, c Cell) float64 {
	if y.sampling == nil {
		return 0
	}
	return float64(k.plan.Sampling.Hz) * k.window(c).Seconds() * float64(c.Clients)
}

// reading is the time in which a profile is made of what was recorded.
func (k costs) reading(y way, c Cell) time.Duration {
	switch {
	case y.dumped:
		return k.scaled(readDumpCPU)
	case y.sampling == nil:
		return 0
	}
	each := readSampleCPU
	if k.plan.Sampling.CallGraph == plan.CallGraphDWARF {
		each += unwindCPU
	}
	return k.scaled(readProfileCPU + time.Duration(k.samples(y, c)*float64(each)))
}

// profileBytes is what the cell's profile and its raw data take on disk.
func (k costs) profileBytes(y way, c Cell) int64 {
	each := 200.0
	if k.plan.Sampling.CallGraph == plan.CallGraphDWARF {
		each = 8600
	}
	return min(int64(k.samples(y, c)*each), profiling.KeepBytes)
}

// operations is the time of n operations one after another. What a statement
// costs beyond a point query goes with the rows it is after; each write is
// synced.
func (k costs) operations(pass result.PassKind, t workload.Test, n int64) time.Duration {
	point, write := pointCPU, writeCPU
	if pass == result.PassCallgrind {
		point, write = valgrindPoint, valgrindWrite
	}
	if t.Per == workload.PerRow {
		row := scanRowCPU
		if pass == result.PassCallgrind {
			row = valgrindRow
		}
		return k.scaled(time.Duration(n) * row)
	}
	each := time.Duration(float64(point) * (100 + float64(t.Range)) / 100)
	if t.Write {
		each = max(each, write)
	}
	sum := k.scaled(time.Duration(n) * each)
	if t.Write {
		sum += time.Duration(n) * k.pace.fsync
	}
	return sum
}
