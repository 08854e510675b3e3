// Package window is the edges of a measurement: the gate that keeps statements
// out while counters are read, the count of operations, and the clock. It does
// not know what is read at an edge, nor by whom.
package window

import (
	"context"
	"fmt"
	"time"

	"opcost/perfctl/result"
)

// Length ends a window: after a time, or after exactly Operations operations
// (where the load can be gated). Exactly one of them is set.
type Length struct {
	Duration   time.Duration
	Operations int64
}

func (l Length) String() string {
	if l.Operations > 0 {
		return fmt.Sprintf("%d operations", l.Operations)
	}
	return l.Duration.String()
}

// Ops counts operations. Read is called at each edge. A load of ours that has
// failed gives, with its error, the count of what it did until then; any other
// error comes with the zero count.
type Ops interface {
	Read(context.Context) (result.OpCount, error)
}

// Phase names what the load does between two closings of the gate. The keys of
// a client are a function of (plan's seed, repeat, client, phase name), begun
// afresh with the phase, so that every version sees the same.
type Phase struct {
	Name       string // "warmup", "count-0", ...
	Operations int64  // close by itself after exactly so many; 0: until Quiesce
}

// Gate stops a load that we drive. A load that we do not drive has none.
type Gate interface {
	// Quiesce closes the gate and returns when no statement is under way.
	// It is idempotent.
	Quiesce(context.Context) error
	// Release begins a phase. The channel is closed when the phase's
	// operations are done, or the load has failed.
	Release(Phase) (done <-chan struct{})
}
