package workload

import (
	"sync"
	"sync/atomic"

	"opcost/perfctl/window"
)

// phase is what the clients do between two closings of the gate.
type phase struct {
	window.Phase
	closing atomic.Bool   // read by the clients between transactions
	idle    chan struct{} // closed when every client is done with it
	done    chan struct{} // closed with idle, or before it when the load fails
	once    sync.Once     // of done
	busy    atomic.Int64  // clients not done
	fail    func(error)
}

func newPhase(p window.Phase, clients int, fail func(error)) *phase {
	n := &phase{Phase: p, idle: make(chan struct{}), done: make(chan struct{}), fail: fail}
	n.busy.Store(int64(clients))
	return n
}

// share is how many operations client n has to do, -1 for no end. They are
// split evenly, the remainder going to the first clients, so that each client's
// keys are the same whatever the others' speed.
func (p *phase) share(n, clients int) int64 {
	if p.Operations == 0 {
		return -1
	}
	share := p.Operations / int64(clients)
	if int64(n) < p.Operations%int64(clients) {
		share++
	}
	return share
}

// clientDone is called once by each client.
func (p *phase) clientDone(err error) {
	if err != nil {
		p.fail(err)
	}
	if p.busy.Add(-1) == 0 {
		close(p.idle)
		p.finish()
	}
}

func (p *phase) finish() { p.once.Do(func() { close(p.done) }) }

// over says whether every client is done with it.
func (p *phase) over() bool {
	select {
	case <-p.idle:
		return true
	default:
		return false
	}
}
