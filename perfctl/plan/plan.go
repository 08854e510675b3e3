// Package plan is what to measure: read from YAML and flags, checked before
// anything is started. It knows nothing of how it will be measured: a workload
// id is a name here, and a server binary a path that must exist.
package plan

import "time"

// Plan is a whole plan, checked and with its defaults filled in.
type Plan struct {
	File string // as given; for messages
	Hash string // of the meaning: equal for plans that measure the same

	Base       string // a version's name; the first unless said
	Options    []string
	Versions   []Version
	Workloads  []string // ids, groups resolved
	Tables     int
	Rows       int64
	Clients    []int
	Transport  Transport
	ServerCPUs []int // nil: auto
	ClientCPUs []int
	Warmup     time.Duration
	Duration   time.Duration // 0 when Operations is set
	Operations int64
	Repeats    int
	Budget     time.Duration `json:"-"` // 0: none. No part of the hash: it decides how many starts are made, not what one is
	Restart    Restart
	Restore    Restore
	Counters   Counters
	Profile    bool
	Sampling   Sampling `json:",omitzero"` // zero where Profile is false
	Seed       uint64
	Driver     Driver `json:",omitzero"`
	// WriteOperations is the length of a write test's window; 0: as the others'.
	WriteOperations int64 `json:",omitzero"`
	// NUMA is the node that the server's CPUs and memory are of; nil: any.
	NUMA *int `json:",omitempty"`
}

// Sampling is how a profile is recorded.
type Sampling struct {
	Hz        int       // samples a second and CPU
	CallGraph CallGraph // how stacks are walked
	Event     string    // as perf names it; "" is the best that the machine samples
}

// Version is one server build with one configuration.
type Version struct {
	Name         string
	Mysqld       string // an absolute path after reading
	Basedir      string
	DefaultsFile string
	Options      []string // the plan's common options first
	Session      Session
	Launcher     []string // the first word an absolute path after reading
	Env          map[string]string
}

// Session is how the workload's connections talk to the server.
type Session struct {
	Charset  string   // latin1 unless said
	Protocol Protocol // prepared unless said
	TLS      bool
}

type (
	Protocol  string
	Transport string
	Restart   string
	Counters  string
	CallGraph string
)

const (
	Prepared Protocol = "prepared"
	Text     Protocol = "text"

	Socket Transport = "socket"
	TCP    Transport = "tcp"

	RestartSet Restart = "set" // a server start per version and repeat, all workloads on it
	RestartRun Restart = "run" // a server start per run

	CountersAuto      Counters = "auto"
	CountersPerf      Counters = "perf"
	CountersCallgrind Counters = "callgrind"
	CountersNone      Counters = "none"

	CallGraphFP    CallGraph = "fp" // by frame pointers
	CallGraphDWARF CallGraph = "dwarf"
	CallGraphLBR   CallGraph = "lbr" // by the CPU's last branch records
)

// Restore says how data gets back to its loaded state before a write test. With
// replay it does not: write tests do equal numbers of operations with equal keys
// in every version, one test on what the one before left, so that all versions'
// data have the same history; where a part of it is missing (a run is gone on
// with, a test failed) it is done again, unmeasured.
type Restore struct {
	Kind    string // auto, copy, reflink, command, replay
	Command string // with Kind command; `restore: {command: TEXT}` in the plan
}
