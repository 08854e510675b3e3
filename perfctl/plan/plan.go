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
	Seed       uint64
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
)

// Restore says how data gets back to its loaded state before a write test.
type Restore struct {
	Kind    string // auto, copy, reflink, command
	Command string // with Kind command; `restore: {command: TEXT}` in the plan
}
