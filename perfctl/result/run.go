package result

import "time"

// Schema is the version of the record on disk. A reader names and skips
// records of a schema it does not know.
const Schema = 1

// Attached is the driver of a run whose load was not ours: a live server. Its
// clients are not known (0).
const Attached = "attached"

// Run is one cell (version, workload, clients) measured on one server start.
// The server start is the unit of replication.
type Run struct {
	Schema    int       `json:"schema"`
	ID        string    `json:"id"` // unique in its folder, and the folder's name
	Host      string    `json:"host"`
	Started   time.Time `json:"started"`
	PlanHash  string    `json:"plan_hash"`
	Seed      uint64    `json:"seed"`
	Repeat    int       `json:"repeat"`       // 0-based
	Start     string    `json:"server_start"` // names the server start; runs of one `restart: set` start share it
	Version   string    `json:"version"`      // the plan's name for it
	Place     int       `json:"place"`        // of the version in the plan, from 0: tables keep this order
	Base      string    `json:"base"`         // the version that the plan compares with
	Workload  string    `json:"workload"`     // id, as random-points_range=1000
	Group     string    `json:"group"`
	Clients   int       `json:"clients"`
	Driver    string    `json:"driver"`    // builtin, sysbench, ...
	Protocol  string    `json:"protocol"`  // prepared, text
	Transport string    `json:"transport"` // socket, tcp
	Charset   string    `json:"charset"`
	TLS       bool      `json:"tls"`
	Tables    int       `json:"tables"`
	Rows      int64     `json:"rows"` // a table
	Machine   Machine   `json:"machine"`
	Server    Server    `json:"server"`
	Passes    []Pass    `json:"passes"`
	Warnings  []Warning `json:"warnings,omitempty"`

	// Dir is the results folder that the run was read from, as given to [Read],
	// and Path the run's own folder. Neither is written.
	Dir  string `json:"-"`
	Path string `json:"-"`

	// Checksum is over the rest of run.json; it must stay the last field.
	Checksum string `json:"checksum"`
}

// Machine is what the numbers were measured on.
type Machine struct {
	Kernel     string  `json:"kernel"`
	CPUModel   string  `json:"cpu_model"`
	CPUs       int     `json:"cpus"`
	MemoryKB   int64   `json:"memory_kb"`
	Hypervisor string  `json:"hypervisor,omitempty"`
	Perf       string  `json:"perf,omitempty"`     // version text
	Valgrind   string  `json:"valgrind,omitempty"` // version text
	PMU        string  `json:"pmu"`                // "counts", or why it does not
	Load1      float64 `json:"load1"`              // when the run began

	// How the machine was set. "" (0) is what it does not show, as most virtual
	// machines do. Each is a text or a number, so that machines compare with ==.
	Governor    string  `json:"governor,omitempty"`    // frequency governors in use, each once, by commas
	Boost       string  `json:"boost,omitempty"`       // on, off: a clock above the nominal one
	SMT         string  `json:"smt,omitempty"`         // on, off: threads share cores
	THP         string  `json:"thp,omitempty"`         // transparent huge pages: always, madvise, never
	MaxMHz      float64 `json:"max_mhz,omitempty"`     // the clock that the governor may go up to
	NUMANodes   int     `json:"numa_nodes,omitempty"`  // with memory of their own
	Mitigations string  `json:"mitigations,omitempty"` // of the CPU's faults: "NAME: what the kernel does; ...", without those it has not
}

// Server is the measured server's identity.
type Server struct {
	Binary      string            `json:"binary"`
	BuildID     string            `json:"build_id,omitempty"`
	VersionText string            `json:"version_text"`            // as the binary says it
	Flavor      string            `json:"flavor"`                  // mysql, mariadb
	Number      string            `json:"number"`                  // 10.11.19
	Argv        []string          `json:"argv"`                    // without secrets
	Options     []string          `json:"options,omitempty"`       // those of the plan for this version, as it writes them
	Defaults    string            `json:"defaults_file,omitempty"` // of the plan for this version
	Launcher    []string          `json:"launcher,omitempty"`
	Env         map[string]string `json:"env,omitempty"`
	PID         int               `json:"pid"`
	Variables   map[string]string `json:"variables,omitempty"` // effective, from SHOW GLOBAL VARIABLES, a chosen subset
	// Session is what a connection of the workload has: its effective variables
	// where they can differ from the global ones, and ssl_cipher and ssl_version
	// ("" without TLS).
	Session map[string]string `json:"session,omitempty"`
	// Plans are those of the run's statements: statement with ? for its values ->
	// normalised EXPLAIN, a table a part, as "sbtest1 ref k_1(4) Using index".
	// What could not be explained says "not explained: " and why.
	Plans map[string]string `json:"plans,omitempty"`
	// Build is what the program file tells of how it was made: arch, compiler,
	// lto, allocator, frame_pointers, debug, symbols, pgo. What the file does not
	// tell begins with "unknown".
	Build map[string]string `json:"build,omitempty"`
}

// PassKind says how the counting was done, because each way costs the server
// something else.
type PassKind string

const (
	PassCount     PassKind = "count"     // perf stat, procfs, status
	PassCallgrind PassKind = "callgrind" // under valgrind: instructions only, times mean nothing
	PassProfile   PassKind = "profile"   // sampled by perf record, which slows the server: no cost is taken from it
)

// Pass is one way of measuring; a pass that could not be made keeps its reason.
type Pass struct {
	Kind    PassKind `json:"kind"`
	Windows []Window `json:"windows"`
	State   State    `json:"state"`
	Reason  string   `json:"reason,omitempty"`
}

// Window is the unit of counting: operations and readings between the same two
// edges.
type Window struct {
	ID         string    `json:"id"`
	Start      time.Time `json:"start"`
	DurationNS int64     `json:"duration_ns"` // opcost's monotonic clock, operation count to operation count; 0: not known, of what was imported
	Gated      bool      `json:"gated"`       // no statement was under way at either edge
	EventSet   string    `json:"event_set,omitempty"`
	Ops        OpCount   `json:"ops"`
	// OtherOps are further counts of the same operations, e.g. the server's own
	// beside the client's; a difference beyond uncertainty is a warning.
	OtherOps []OpCount `json:"other_ops,omitempty"`
	Readings []Reading `json:"readings"`
	// Digests and Threads say where the queries went, by kind of statement and
	// by thread; nil where nobody asked, or the reading that says why not.
	Digests []Digest  `json:"digests,omitempty"`
	Threads []Thread  `json:"threads,omitempty"`
	Latency *Latency  `json:"latency,omitempty"`
	Quality []Quality `json:"quality,omitempty"`
	State   State     `json:"state"` // OK, Partial or Failed
	Reason  string    `json:"reason,omitempty"`
	// Thirds are the operations in each third of the window's time, read while
	// it ran, so each may be off by one a client; nil where a count ended it.
	Thirds []int64 `json:"thirds,omitempty"`
	// EdgeNS is how long reading the edges took, begin and end.
	EdgeNS   [2]int64 `json:"edge_ns"`
	Evidence []string `json:"evidence,omitempty"` // file names in the run's evidence folder
}

// OpCount is a count of operations at the window's edges.
type OpCount struct {
	Source       Source  `json:"source"`
	Per          string  `json:"per"` // statement, transaction, row
	Begin        int64   `json:"begin"`
	End          int64   `json:"end"`
	Errors       int64   `json:"errors,omitempty"` // failed operations, not in End-Begin
	Misses       int64   `json:"misses,omitempty"` // writes among them that found no row to change
	Transactions int64   `json:"transactions,omitempty"`
	Uncertainty  float64 `json:"uncertainty,omitempty"` // operations
}

// N is the operations of the window.
func (o OpCount) N() int64 { return o.End - o.Begin }

// Latency is the response time of the window's statements, seen by the client.
type Latency struct {
	Count  int64   `json:"count"`
	MeanUS float64 `json:"mean_us"`
	P50US  float64 `json:"p50_us"`
	P95US  float64 `json:"p95_us"`
	P99US  float64 `json:"p99_us"`
	MaxUS  float64 `json:"max_us"`
}

// Quality is one check of a window: a number, its limit, and whether it held.
type Quality struct {
	Name  string  `json:"name"` // steal, pool_reads_per_1000_queries, ...
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
	OK    bool    `json:"ok"`
	Text  string  `json:"text,omitempty"` // what it means for the numbers, and what to do
}

// Warning travels with the result to every report.
type Warning struct {
	Code string `json:"code"` // short and stable: task_clock_differs, ops_differ, ...
	Text string `json:"text"`
}

// ProfileFile is the name, in the run's evidence folder, of the profile that its
// sampling window or its window under callgrind gave (pprof, compressed).
const ProfileFile = "profile.pb.gz"

// Complete tells whether every pass of the run was made to its end, so that it
// need not be measured again. A profile that this machine cannot give is not
// worth another run.
func (r Run) Complete() bool {
	for _, p := range r.Passes {
		if p.State != OK && !(p.Kind == PassProfile && p.State == Unsupported) {
			return false
		}
	}
	return len(r.Passes) > 0
}
