package result

import "fmt"

// Digest is one kind of statement over one window, as the server itself
// counted it: the statements that differ in nothing but literals, in one
// default schema. All numbers are differences between the window's edges, not
// yet divided by operations, and mean nothing where State is not Usable.
//
// A CALL's latency and rows have in them those of the statements that it ran;
// these have no rows of their own (seen in MariaDB 10.11 and MySQL 9.7).
// Executions of prepared statements have rows in MySQL (EXECUTE SELECT ...),
// and none in MariaDB 10.11.
type Digest struct {
	Schema string `json:"schema,omitempty"` // default schema of the session; "" for none
	// Digest is the server's hash of Text; versions hash differently, so
	// records are joined by Schema and Text.
	Digest string `json:"digest,omitempty"`
	Text   string `json:"text"` // without literals, at most 1024 bytes
	// Others is how many digests this row adds up: those beyond the limit of
	// kept rows. 0 for a digest of its own.
	Others        int      `json:"others,omitempty"`
	Count         int64    `json:"count"`            // executions that ended in the window
	LatencyUS     float64  `json:"latency_us"`       // their response time inside the server, total
	CPUUS         *float64 `json:"cpu_us,omitempty"` // nil where the server does not collect it
	RowsSent      float64  `json:"rows_sent"`
	RowsExamined  float64  `json:"rows_examined"`
	RowsAffected  float64  `json:"rows_affected"`
	TmpTables     float64  `json:"tmp_tables"`
	TmpDiskTables float64  `json:"tmp_disk_tables"`
	SortRows      float64  `json:"sort_rows"`
	Errors        float64  `json:"errors"`
	State         State    `json:"state"`
	Reason        string   `json:"reason,omitempty"`
}

// Thread is one thread of the server over one window, joined to the connection
// that it served. The numbers are differences between the window's edges and
// mean nothing where State is not Usable.
type Thread struct {
	TID int `json:"tid"` // as this machine numbers it; 0 where Others is set
	// Others is how many threads this row adds up: those beyond the limit of
	// kept rows. 0 for a thread of its own.
	Others     int    `json:"others,omitempty"`
	Name       string `json:"name,omitempty"` // as the server names it, else as the kernel does
	Own        bool   `json:"own,omitempty"`  // it serves opcost's own connection
	Connection uint64 `json:"connection,omitempty"`
	User       string `json:"user,omitempty"`
	DB         string `json:"db,omitempty"`
	Command    string `json:"command,omitempty"` // Query, Execute, Sleep, ... at the window's end
	// Statement is what was running at an edge (the end's before the begin's),
	// without literals; "" where nothing was.
	Statement   string  `json:"statement,omitempty"`
	CPUUS       float64 `json:"cpu_us"`
	RunQueueUS  float64 `json:"run_queue_us"` // runnable, waiting for a CPU
	Voluntary   float64 `json:"voluntary"`    // context switches
	Involuntary float64 `json:"involuntary"`
	// Instructions and Cycles are nil where they were not counted; Scope says
	// what they are of (CPU time and switches are always user+kernel). They are
	// known of a thread that ended in the window too, whose State is Failed.
	Instructions *float64 `json:"instructions,omitempty"`
	Cycles       *float64 `json:"cycles,omitempty"`
	Scope        Scope    `json:"scope,omitempty"`
	// RunningFraction is the share of the thread's time in which the two were
	// on the PMU; below 1 they are scaled up by it. 0 where they are nil.
	RunningFraction float64 `json:"running_fraction,omitempty"`
	State           State   `json:"state"`
	// Reason says why State is not OK, or why Instructions or Connection lack.
	Reason string `json:"reason,omitempty"`
}

func (d Digest) check() error {
	return checkRow(d.State, d.Reason, []float64{float64(d.Count), d.LatencyUS, d.RowsSent, d.RowsExamined, d.RowsAffected,
		d.TmpTables, d.TmpDiskTables, d.SortRows, d.Errors}, d.CPUUS)
}

func (t Thread) check() error {
	return checkRow(t.State, t.Reason, []float64{t.CPUUS, t.RunQueueUS, t.Voluntary, t.Involuntary, t.RunningFraction}, t.Instructions, t.Cycles)
}

// checkRow is nil for a row that other rooms can rely on.
func checkRow(st State, reason string, values []float64, optional ...*float64) error {
	if err := st.check(reason); err != nil {
		return err
	}
	for _, v := range optional {
		if v != nil {
			values = append(values, *v)
		}
	}
	for _, v := range values {
		if !plausible(v) {
			return fmt.Errorf("the value %v", v)
		}
	}
	return nil
}
