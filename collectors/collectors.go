// Package collectors says what a collector is: something that is armed on a
// server process, reads it at a window's two edges, and gives readings later.
// Each folder below is one source. A collector knows nothing of plans,
// versions or comparisons; of perfctl it may import result alone.
//
// Arming is slow and may fail with a reason ([Unsupported]); Begin and End are
// fast and have happened when they return; parsing waits for Close.
package collectors

import (
	"context"
	"fmt"
	"time"

	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// Target is the process to be measured.
type Target struct {
	PID        int         // as this machine numbers it
	StartTicks uint64      // field 22 of /proc/PID/stat: with PID it names the process for good
	PIDFD      int         // a pidfd, or -1
	Root       string      // /proc/PID/root where the process sees other files than we do, else ""
	Exe        string      // the server's binary as seen from here
	NSTIDs     map[int]int // thread id as the server says it -> thread id here; nil: the same
	SQL        Querier     // a control connection of ours, or nil
	// ConnTIDs are the threads that serve the workload's connections, as this
	// machine numbers them; nil when unknown, with the reason beside it.
	ConnTIDs       []int
	ConnTIDsReason string
	Evidence       string // folder for raw outputs
	Tag            string // prefix of evidence files: the window's id
}

// Querier runs one statement on the control connection and gives its rows as
// text; NULL is the empty string. Statements counts what was sent so far, so
// that our own can be subtracted from the server's counters.
type Querier interface {
	Query(ctx context.Context, sql string) ([][]string, error)
	Statements() int64
}

// Collector is a source of readings.
type Collector interface {
	Name() string
	Arm(context.Context, Target, probe.Caps) (Armed, error)
}

// Armed is a collector on its mark. Close is called once, after End or instead
// of it, and ends whatever Arm began.
type Armed interface {
	Begin(context.Context) error
	End(context.Context) error
	Close() ([]result.Reading, error)
}

// Rereadable marks an Armed whose End may be called again and again: the last
// call makes the window's end. A window that is cut short by the end of its
// server has then something to show.
type Rereadable interface{ Rereadable() }

// WithAges is an Armed some of whose readings were made longer before Begin's
// return, and longer after End's call, than the rest: by how much.
type WithAges interface {
	Age(reading string) (begin, end time.Duration)
}

// StatusShows is what a Querier has that counts apart how many of its
// Statements were SHOW GLOBAL STATUS, which servers count by kind.
type StatusShows interface{ StatusShows() int64 }

// Unsupported is the error of a collector that cannot work here: what is
// lacking, and the exact command or setting that would change it.
type Unsupported struct {
	What   string // what cannot be had: "instructions", "run-queue wait"
	Reason string
	Remedy string
}

func (u *Unsupported) Error() string {
	if u.Remedy == "" {
		return fmt.Sprintf("%s: %s", u.What, u.Reason)
	}
	return fmt.Sprintf("%s: %s (%s)", u.What, u.Reason, u.Remedy)
}
