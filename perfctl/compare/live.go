package compare

import (
	"time"

	"opcost/perfctl/result"
)

// Attached is the driver of a run whose load is not ours: one window of a live
// server (see [result.Run].Driver).
const Attached = "attached"

// LiveTables say where the work of one window went: by kind of statement, by
// digest and by thread. They stand beside the report of the same run, which
// has the costs per query.
type LiveTables struct {
	Version string    `json:"version"`
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"`
	// Operations of the window, and what one is; nil where Per is "second".
	Operations *int64 `json:"operations"`
	Per        string `json:"per"`
	// Statements is the server's own count (questions), ours taken out: what
	// the shares of Kinds are of. nil where it is not known.
	Statements *float64     `json:"statements"`
	Kinds      []Kind       `json:"kinds"`
	Digests    []DigestCost `json:"digests"`
	Threads    []ThreadCost `json:"threads"`
	// Why a table is empty or doubtful; nil where nothing says so.
	KindsLack   *Lack `json:"kinds_lack,omitempty"`
	DigestsLack *Lack `json:"digests_lack,omitempty"`
	CPULack     *Lack `json:"digest_cpu_lack,omitempty"` // of CPU time by digest
	ThreadsLack *Lack `json:"threads_lack,omitempty"`
	// Warnings name what was voided, and by what. A report's JSON has them among
	// its own.
	Warnings []result.Warning `json:"-"`
}

// Lack says why something is absent.
type Lack struct {
	State  result.State `json:"state"`
	Reason string       `json:"reason"`
	Remedy string       `json:"remedy,omitempty"`
}

// Kind is one kind of statement as the server's status counts it.
type Kind struct {
	Name  string `json:"name"`  // the status variable in lower case: com_select; "other" for the rest
	Label string `json:"label"` // SELECT
	// Count is of executions; nil where State is not usable.
	Count     *float64 `json:"count"`
	PerSecond *float64 `json:"per_second"`
	// Share of Statements; nil where that is not known.
	Share *float64 `json:"share"`
	// Apart: the row is no part of the sum, since the server counts these under
	// their own kind too (a prepared execution of a SELECT), or not as
	// statements at all (preparing and closing one).
	Apart  bool         `json:"apart,omitempty"`
	State  result.State `json:"state"`
	Reason string       `json:"reason,omitempty"`
}

// DigestCost is one digest: how often it ran, and what one execution cost.
type DigestCost struct {
	Schema string `json:"schema,omitempty"`
	Digest string `json:"digest,omitempty"`
	Text   string `json:"text"`
	Others int    `json:"others,omitempty"` // how many digests this row adds up; 0: one
	// Everything below is nil where State is not usable.
	Count     *int64   `json:"count"`
	PerSecond *float64 `json:"per_second"`
	// LatencyShare is of the latency of all digests; nil where none was timed.
	LatencyShare *float64 `json:"latency_share"`
	// Per execution; nil where it did not run.
	LatencyUS     *float64 `json:"latency_us"`
	CPUUS         *float64 `json:"cpu_us"` // nil too where the server does not collect it
	RowsSent      *float64 `json:"rows_sent"`
	RowsExamined  *float64 `json:"rows_examined"`
	RowsAffected  *float64 `json:"rows_affected"`
	TmpTables     *float64 `json:"tmp_tables"`
	TmpDiskTables *float64 `json:"tmp_disk_tables"`
	SortRows      *float64 `json:"sort_rows"`
	Errors        *float64 `json:"errors"`

	State  result.State `json:"state"`
	Reason string       `json:"reason,omitempty"`
}

// ThreadCost is one thread, with the connection that it served.
type ThreadCost struct {
	TID        int    `json:"tid"`              // 0 where Others is set
	Others     int    `json:"others,omitempty"` // how many threads this row adds up; 0: one
	Name       string `json:"name,omitempty"`
	Own        bool   `json:"own,omitempty"` // it serves opcost's own connection
	Connection uint64 `json:"connection,omitempty"`
	User       string `json:"user,omitempty"`
	DB         string `json:"db,omitempty"`
	Command    string `json:"command,omitempty"`
	Statement  string `json:"statement,omitempty"`
	// The window's sums; nil where State is not usable. Instructions and Cycles
	// are nil too where they were not counted; Scope says what they are of.
	CPUUS        *float64     `json:"cpu_us"`
	RunQueueUS   *float64     `json:"run_queue_us"` // runnable, waiting for a CPU
	Voluntary    *float64     `json:"voluntary"`    // context switches
	Involuntary  *float64     `json:"involuntary"`
	Instructions *float64     `json:"instructions"`
	Cycles       *float64     `json:"cycles"`
	Scope        result.Scope `json:"scope,omitempty"`
	// RunningFraction is the share of the thread's time in which the two were
	// counted, nil where they were not; below 1 they are scaled up.
	RunningFraction *float64 `json:"running_fraction"`
	// CPUPercent is of one CPU, RunQueuePercent of the window's time; CPUShare is
	// of the CPU of all threads listed.
	CPUPercent            *float64 `json:"cpu_percent"`
	CPUShare              *float64 `json:"cpu_share"`
	RunQueuePercent       *float64 `json:"run_queue_percent"`
	VoluntaryPerSecond    *float64 `json:"voluntary_per_second"`
	InvoluntaryPerSecond  *float64 `json:"involuntary_per_second"`
	InstructionsPerSecond *float64 `json:"instructions_per_second"`
	CyclesPerSecond       *float64 `json:"cycles_per_second"`
	IPC                   *float64 `json:"ipc"`

	State  result.State `json:"state"`
	Reason string       `json:"reason,omitempty"`
}

// Order is what digests and threads are sorted by, the most first.
type Order string

const (
	ByLatency Order = "latency" // digests by all their latency; threads by CPU
	ByCPU     Order = "cpu"
	ByCount   Order = "count" // executions; threads by context switches
	ByRows    Order = "rows"  // rows examined, all executions; threads by CPU
	ByWait    Order = "wait"  // threads by run-queue wait; digests by latency
)

// Orders are all of them, in the order in which a key steps through them.
func Orders() []Order { return []Order{ByLatency, ByCPU, ByCount, ByRows, ByWait} }

// Live makes the tables of the run's last counting window. A run without one
// gives tables that say so.
//
// A prepared execution is counted by the server in questions, in
// com_stmt_execute and in com_select (or its like) at once. Here it is once a
// statement, under its own kind; com_stmt_execute is a row with Apart set.
func Live(run result.Run) LiveTables {
	t := LiveTables{Version: run.Version, Started: run.Started, Kinds: []Kind{}, Digests: []DigestCost{}, Threads: []ThreadCost{}}
	w, ok := lastWindow(run)
	if !ok {
		t.KindsLack = &Lack{State: result.NotCounted, Reason: "the run has no counting window"}
		return t
	}
	t.Started, t.Seconds, t.Per = w.Start, float64(w.DurationNS)/1e9, perOf(w)
	if t.Per != perSecond {
		n := w.Ops.N()
		t.Operations = &n
	}
	t.addKinds(w)
	t.addDigests(w)
	t.addThreads(w)
	t.Warnings = append(t.Warnings, voided(w)...)
	return t.Sorted(ByLatency)
}

// lastWindow of a run's counting passes.
func lastWindow(run result.Run) (w result.Window, ok bool) {
	for _, p := range run.Passes {
		if p.Kind == result.PassCount && len(p.Windows) > 0 {
			w, ok = p.Windows[len(p.Windows)-1], true
		}
	}
	return w, ok
}

// lackOf says why a collector's table is not there or not whole: by the named
// reading, else by what was left when the collector gave nothing.
func lackOf(w result.Window, reading, collector string) *Lack {
	for _, name := range []string{reading, lostCollector + collector} {
		for _, r := range w.Readings {
			if r.Name == name && name != "" && r.Reason != "" {
				return &Lack{State: r.State, Reason: r.Reason, Remedy: r.Remedy}
			}
		}
	}
	return nil
}

// over divides; nil where there is nothing to divide by.
func over(a, b float64) *float64 {
	if q := a / b; b != 0 && finite(q) {
		return &q
	}
	return nil
}
