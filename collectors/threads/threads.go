// Package threads (being written).
package threads

import (
	"context"

	"opcost/collectors"
	"opcost/collectors/probe"
)

// Options say what is counted and kept.
type Options struct {
	// Perf counts instructions and cycles of each thread, where the machine can.
	Perf bool
	// Max is how many threads perf may count, the busiest; 0: as many as the
	// limit of file descriptors allows.
	Max int
	// Keep is how many threads are kept, those with the most CPU; the rest are
	// added up in one row. 0: 200.
	Keep int
	// Literals keeps statements as they are, with what users wrote in them.
	Literals bool
}

// New is the collector.
func New(o Options) collectors.Collector { return collector{o} }

type collector struct{ o Options }

func (collector) Name() string { return "threads" }

func (c collector) Arm(ctx context.Context, t collectors.Target, _ probe.Caps) (collectors.Armed, error) {
	return nil, &collectors.Unsupported{What: "threads", Reason: "being written"}
}
