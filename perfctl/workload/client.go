package workload

import (
	"context"
	"database/sql/driver"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
)

// client is one connection and the thread that drives it. Only its own thread
// touches it while a phase is under way, but for the counters.
type client struct {
	n       int
	cfg     *BuiltinConfig
	session *session
	steps   [][]bound // a step's statement on each table
	rows    []uint64  // of each table, where operations are rows
	keys    *keys
	times   *times
	phases  chan *phase // each is run; closed: end
	ended   chan struct{}
	thread  thread

	row  []driver.Value // scratch
	line []byte         // scratch

	yielded time.Time // when the thread last passed through Go's scheduler

	counters
	_ [64]byte // the next client's counters are in another cache line
}

// counters are running totals since the start, written by the client alone.
type counters struct {
	operations, errors, transactions, misses atomic.Int64
}

// bound is a statement on one table, prepared unless it is sent as text.
type bound struct {
	compiled
	stmt stmtCalls
}

// tooManyErrors in a row end the load: it is not getting anywhere.
const tooManyErrors = 1000

// start makes the client's thread, and connects on it.
func (c *client) start(ctx context.Context) error {
	c.phases, c.ended = make(chan *phase, 1), make(chan struct{})
	ready := make(chan error)
	go func() {
		defer close(c.ended)
		// Never unlocked: the thread ends with the goroutine, and so does its pinning.
		runtime.LockOSThread()
		err := c.thread.begin(c.cfg.CPUs)
		if err == nil {
			err = c.connect(ctx)
		}
		ready <- err
		if err != nil {
			return
		}
		for p := range c.phases {
			p.clientDone(c.run(p))
		}
		c.session.close()
		c.thread.end()
	}()
	if err := <-ready; err != nil {
		return fmt.Errorf("client %d of %d: %w", c.n+1, c.cfg.Clients, err)
	}
	return nil
}

// connect opens the connection and prepares every statement on every table.
func (c *client) connect(ctx context.Context) error {
	var err error
	if c.session, err = open(ctx, c.cfg.Access); err != nil {
		return err
	}
	cut := context.AfterFunc(ctx, func() { c.session.socket.Close() }) // wakes us when the server does not answer
	err = c.bind()
	if !cut() {
		err = fmt.Errorf("while preparing: %w", ctx.Err())
	}
	if err != nil {
		c.session.close()
	}
	return err
}

func (c *client) bind() error {
	if c.n == 0 {
		if err := c.checkTables(); err != nil {
			return err
		}
	}
	protocol := c.cfg.Test.Protocol(c.cfg.Access.Protocol)
	for _, s := range c.cfg.Test.steps {
		var tables []bound
		for t := 1; t <= c.cfg.Data.Tables; t++ {
			b := bound{compiled: compile(s.sql, t)}
			if protocol == Prepared && !b.plain {
				var err error
				if b.stmt, err = c.session.prepare(b.prepared); err != nil {
					return err
				}
			}
			tables = append(tables, b)
		}
		c.steps = append(c.steps, tables)
	}
	if c.cfg.Test.Per != PerRow {
		return nil
	}
	for t := 1; t <= c.cfg.Data.Tables; t++ {
		n, err := c.session.number(fmt.Sprintf("SELECT COUNT(*) FROM sbtest%d", t))
		if err != nil {
			return err
		}
		c.rows = append(c.rows, n)
	}
	return nil
}

// checkTables refuses tables that were loaded with fewer rows than the keys are
// drawn from: most reads would find nothing, and look cheap. The last ids may
// be missing, deletes do that.
func (c *client) checkTables() error {
	for t := 1; t <= c.cfg.Data.Tables; t++ {
		last, err := c.session.number(fmt.Sprintf("SELECT COALESCE(MAX(id), 0) FROM sbtest%d", t))
		if err != nil {
			return err
		}
		if int64(last) < c.cfg.Data.Rows/2 {
			return fmt.Errorf("table sbtest%d has ids up to %d where %d rows are meant: load it again, or set rows to what it has", t, last, c.cfg.Data.Rows)
		}
	}
	return nil
}

// run does one phase: transactions until the gate closes or this client's
// share of the operations is done. The error is fatal to the load.
func (c *client) run(p *phase) error {
	c.keys.begin(c.cfg.Seed, c.cfg.Repeat, c.n, p.Name)
	c.times.reset()
	share := p.share(c.n, c.cfg.Clients)
	first, inARow := c.operations.Load(), 0
	for !p.closing.Load() && (share < 0 || c.operations.Load()-first < share) {
		err := c.transaction()
		switch {
		case err == nil:
			c.transactions.Add(1)
			inARow = 0
			continue
		case !passing(err):
			return fmt.Errorf("client %d of %d: %w", c.n+1, c.cfg.Clients, err)
		}
		c.errors.Add(1)
		if inARow++; inARow == tooManyErrors {
			return fmt.Errorf("client %d of %d: %d statements failed one after another, the last: %w", c.n+1, c.cfg.Clients, inARow, err)
		}
		if c.cfg.Test.Transactional {
			// After a deadlock nothing is left of the transaction, after a
			// lock wait timeout all but the statement is: end it either way.
			if _, err := c.session.text.Exec(sqlRollback, nil); err != nil {
				return fmt.Errorf("client %d of %d: %s: %w", c.n+1, c.cfg.Clients, sqlRollback, c.session.explain(err))
			}
			c.operations.Add(1)
		}
	}
	return nil
}

// transaction sends the test's statements once. The next one draws new keys.
func (c *client) transaction() error {
	table := 1
	for i, tables := range c.steps {
		for n := max(1, c.cfg.Test.steps[i].times); n > 0; n-- {
			if !tables[0].same && !tables[0].plain {
				table = c.keys.table()
			}
			if err := c.send(&tables[table-1]); err != nil {
				return err
			}
			if c.rows != nil {
				c.operations.Add(int64(c.rows[table-1]))
			} else {
				c.operations.Add(1)
			}
		}
	}
	return nil
}

// send sends one statement, reads its result to the end, and takes the time.
func (c *client) send(b *bound) error {
	c.row = c.keys.values(b.args, c.row[:0])
	sql := b.prepared
	if b.stmt == nil {
		if len(b.args) > 0 {
			c.line = b.appendText(c.line[:0], c.row)
			sql = string(c.line)
		}
	}
	var (
		rows   driver.Rows
		result driver.Result
		err    error
	)
	begin := time.Now()
	switch {
	case b.reads && b.stmt != nil:
		rows, err = b.stmt.Query(c.row)
	case b.reads:
		rows, err = c.session.text.Query(sql, nil)
	case b.stmt != nil:
		result, err = b.stmt.Exec(c.row)
	default:
		result, err = c.session.text.Exec(sql, nil)
	}
	if err == nil && rows != nil {
		err = rows.Close() // reads all rows there are, without decoding them
	}
	if err != nil {
		return fmt.Errorf("%s: %w", shorten(sql), c.session.explain(err))
	}
	took := time.Since(begin)
	c.times.record(took)
	c.yield(begin.Add(took))
	if result != nil && !b.plain {
		if n, err := result.RowsAffected(); err == nil && n == 0 {
			c.misses.Add(1)
		}
	}
	return nil
}

// yieldEvery is below the 10 ms after which Go's monitor thread preempts a
// goroutine that has not passed through the scheduler. It would then take the
// processor away in the middle of a read, wake another thread to have it, and
// look again every 20 µs: a fifth more CPU per query, in a thread of no client.
// Passing through costs some 100 µs of CPU, so not oftener than needed.
const yieldEvery = 8 * time.Millisecond

func (c *client) yield(now time.Time) {
	if now.Sub(c.yielded) >= yieldEvery {
		runtime.Gosched()
		c.yielded = now
	}
}
