package workload

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"opcost/perfctl/result"
	"opcost/perfctl/window"
)

// BuiltinConfig is a load by the built-in client.
type BuiltinConfig struct {
	Access  Access
	Test    Test
	Data    Data
	Clients int
	Seed    uint64 // the plan's seed
	Repeat  int    // the keys differ between repeats, and are equal across versions
	CPUs    []int  // the client threads are pinned to these; nil: everywhere
}

// Builtin is a load by the built-in client: Clients connections, each driven
// by an operating system thread of its own. It is a window.Gate and a
// window.Ops.
//
// A phase of N operations is split evenly over the clients, the remainder going
// to the first; a client whose share ends inside a transaction (or, where an
// operation is a row, inside a scan) finishes it, so such a phase may do a few
// more than N. Statements that fail by a lock conflict or a duplicate key are
// counted as errors and do no operation; their transaction is rolled back
// (ROLLBACK is a statement, and counted) and the client goes on with the next.
// Any other failure ends the load.
type Builtin struct {
	cfg     BuiltinConfig
	clients []*client

	mu      sync.Mutex
	phase   *phase // the last one released, or nil
	err     error
	stopped bool
	procs   int           // GOMAXPROCS before
	grace   time.Duration // of Stop
}

var (
	_ window.Gate = (*Builtin)(nil)
	_ window.Ops  = (*Builtin)(nil)
)

// StartBuiltin connects the clients one after another and prepares their
// statements. The gate is closed: nothing is sent until Release. The context is
// for the start only.
//
// Until Stop, GOMAXPROCS is at least the clients and two more: a client that
// waits for the server in a blocking read holds one, so with fewer the clients
// would take turns, and fewer statements than clients would be under way.
func StartBuiltin(ctx context.Context, cfg BuiltinConfig) (*Builtin, error) {
	return startBuiltin(ctx, cfg, connectTimeout)
}

// connectTimeout bounds one client's connecting and preparing, under valgrind
// too. A server that has no file descriptor left takes no connection and says
// nothing.
const connectTimeout = 2 * time.Minute

func startBuiltin(ctx context.Context, cfg BuiltinConfig, timeout time.Duration) (*Builtin, error) {
	silent := fmt.Errorf("no answer within %v; the server's error log says why, perhaps: too few open files (ulimit -n) for so many clients", timeout)
	switch {
	case cfg.Test.ID == "":
		return nil, errors.New("no workload given: take one from Resolve")
	case cfg.Clients < 1:
		return nil, fmt.Errorf("%d clients: give 1 or more", cfg.Clients)
	case cfg.Data.Tables < 1 || cfg.Data.Rows < 1:
		return nil, fmt.Errorf("%d tables of %d rows: give 1 or more of each", cfg.Data.Tables, cfg.Data.Rows)
	}
	b := &Builtin{cfg: cfg, procs: runtime.GOMAXPROCS(0), grace: stopGrace}
	runtime.GOMAXPROCS(max(b.procs, cfg.Clients+2))
	for n := range cfg.Clients {
		c := &client{n: n, cfg: &b.cfg, keys: newKeys(cfg.Data, cfg.Seed), times: newTimes()}
		connecting, cancel := context.WithTimeoutCause(ctx, timeout, silent)
		err := c.start(connecting)
		if err != nil && ctx.Err() == nil && connecting.Err() != nil {
			err = fmt.Errorf("client %d of %d: %w (%w)", n+1, cfg.Clients, silent, err)
		}
		cancel()
		if err != nil {
			return nil, errors.Join(err, b.Stop())
		}
		b.clients = append(b.clients, c)
	}
	return b, nil
}

// Release begins a phase. The channel is closed when the phase's operations
// are done, the gate has closed, or the load has failed (see Err).
func (b *Builtin) Release(p window.Phase) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.stopped:
		b.failLocked(fmt.Errorf("phase %q released after the load was stopped", p.Name))
	case b.phase != nil && !b.phase.over():
		b.failLocked(fmt.Errorf("phase %q released while phase %q is under way: call Quiesce first", p.Name, b.phase.Name))
	}
	if b.err != nil {
		closed := make(chan struct{})
		close(closed)
		return closed
	}
	b.phase = newPhase(p, len(b.clients), b.fail)
	for _, c := range b.clients {
		c.phases <- b.phase
	}
	return b.phase.done
}

// Quiesce closes the gate and returns when no statement is under way: each
// client finishes its transaction. It is idempotent. The error is Err's where
// the load has failed, or the context's; after the latter the gate is closing
// still, and Quiesce can be called again.
func (b *Builtin) Quiesce(ctx context.Context) error {
	b.mu.Lock()
	p := b.phase
	b.mu.Unlock()
	if p != nil {
		p.closing.Store(true)
		select {
		case <-p.idle:
		case <-ctx.Done():
			return fmt.Errorf("statements of phase %q are still under way: %w", p.Name, context.Cause(ctx))
		}
	}
	return b.Err()
}

// Read gives the operations done since the start of the load: End, Errors,
// Misses and Transactions are running totals and Begin is 0, so a window's count
// is the difference of two of them. A write that found no row to change (delete:
// the id had been deleted before) is an operation and a miss. Behind a closed gate it is exact; otherwise
// Uncertainty is one operation a client. Of a load that has failed it gives what
// was done until then, with Err's error.
func (b *Builtin) Read(context.Context) (result.OpCount, error) {
	n := result.OpCount{Source: result.SourceClient, Per: b.cfg.Test.Per}
	for _, c := range b.clients {
		n.End += c.operations.Load()
		n.Errors += c.errors.Load()
		n.Misses += c.misses.Load()
		if b.cfg.Test.Transactional {
			n.Transactions += c.transactions.Load()
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.phase != nil && !b.phase.over() {
		n.Uncertainty = float64(len(b.clients))
		if b.cfg.Test.Per == PerRow {
			n.Uncertainty *= float64(b.cfg.Data.Rows)
		}
	}
	return n, b.err
}

// ConnectionIDs are the server's names for the connections, client by client.
func (b *Builtin) ConnectionIDs() []uint64 {
	var ids []uint64
	for _, c := range b.clients {
		ids = append(ids, c.session.id)
	}
	return ids
}

// Latency is the response time of the statements of the phase that has just
// ended; nil while a phase is under way, and when none had a statement.
func (b *Builtin) Latency() *result.Latency {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.phase == nil || !b.phase.over() {
		return nil
	}
	return merged(b.clients)
}

// CPU is the processor time of the client threads since the start of the load.
func (b *Builtin) CPU() (time.Duration, error) {
	var sum time.Duration
	for _, c := range b.clients {
		d, err := c.thread.cpu()
		if err != nil {
			return 0, err
		}
		sum += d
	}
	return sum, nil
}

// Err is why the load failed; nil while it has not.
func (b *Builtin) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

func (b *Builtin) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failLocked(err)
}

// failLocked keeps the first error; what follows from it is of no interest.
func (b *Builtin) failLocked(err error) {
	if b.err == nil {
		b.err = err
	}
	if b.phase != nil {
		b.phase.closing.Store(true)
		b.phase.finish()
	}
}

// stopGrace is how long Stop lets transactions under way finish.
const stopGrace = 10 * time.Second

// Stop closes the gate and the connections. It is idempotent. The error says
// that statements had to be cut off; it is not Err's.
func (b *Builtin) Stop() error {
	b.mu.Lock()
	already, p := b.stopped, b.phase
	b.stopped = true
	b.mu.Unlock()
	if already {
		return nil
	}
	var err error
	if p != nil {
		p.closing.Store(true)
		t := time.NewTimer(b.grace)
		defer t.Stop()
		select {
		case <-p.idle:
		case <-t.C:
			err = fmt.Errorf("%d clients did not finish their transaction within %v; their connections were cut", p.busy.Load(), b.grace)
			for _, c := range b.clients {
				c.session.socket.Close()
			}
		}
	}
	for _, c := range b.clients {
		close(c.phases)
		<-c.ended
	}
	runtime.GOMAXPROCS(b.procs)
	return err
}
