package perfctl

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"opcost/collectors"
	"opcost/perfctl/result"
)

// showStatus is the statement whose answer two readers share.
const showStatus = "SHOW GLOBAL STATUS"

// StatusOps counts operations by the server's status: the sum of the named
// counters, less our own statements where Own says that they are among them.
type StatusOps struct {
	SQL   collectors.Querier
	Per   string   // what one operation is called
	Names []string // as SHOW GLOBAL STATUS spells them
	Own   bool     // our statements count too

	last struct {
		n    int64
		took time.Duration
		at   time.Time
	}
	shared answer
}

// answer is what the server said when one of two readers asked, for the other
// to take, once.
type answer struct {
	rows  [][]string
	taker reader
	at    time.Time
	took  time.Duration
	sent  int64 // of our statements
}

type reader int

const (
	opsReader reader = iota
	collectorReader
)

// ask gives the server's status: the other reader's answer if there is one.
// Both readers ask at each edge, one right after the other, so that what a
// collector reads of the status and the operations are of one moment.
func (o *StatusOps) ask(ctx context.Context, who reader) (answer, error) {
	if a := o.shared; a.rows != nil && a.taker == who {
		o.shared = answer{}
		return a, nil
	}
	o.shared = answer{}
	began := time.Now()
	rows, err := o.SQL.Query(ctx, showStatus)
	if err != nil {
		return answer{}, err
	}
	a := answer{rows: rows, at: began, took: time.Since(began), sent: o.SQL.Statements(), taker: collectorReader}
	if who == collectorReader {
		a.taker = opsReader
	}
	o.shared = a
	return a, nil
}

// forCollector is the connection for the collector of the server's status.
func (o *StatusOps) forCollector() collectors.Querier { return sharing{o} }

type sharing struct{ o *StatusOps }

func (s sharing) Query(ctx context.Context, sql string) ([][]string, error) {
	if sql != showStatus {
		return s.o.SQL.Query(ctx, sql)
	}
	a, err := s.o.ask(ctx, collectorReader)
	return a.rows, err
}

func (s sharing) Statements() int64 { return s.o.SQL.Statements() }

// StatusShows: see [collectors.StatusShows].
func (s sharing) StatusShows() int64 {
	if c, ok := s.o.SQL.(collectors.StatusShows); ok {
		return c.StatusShows()
	}
	return -1
}

// Read asks the server. Its uncertainty is what may have happened between the
// counting and the clock, at this reading and the one before.
func (o *StatusOps) Read(ctx context.Context) (result.OpCount, error) {
	a, err := o.ask(ctx, opsReader)
	if err != nil {
		return result.OpCount{}, fmt.Errorf("count operations: %w", err)
	}
	n, found := sum(a.rows, o.Names)
	if found < len(o.Names) {
		return result.OpCount{}, fmt.Errorf("count operations: the server has no counter %v; give another --per", o.Names)
	}
	if o.Own {
		n -= a.sent
	}
	c := result.OpCount{Source: result.SourceServer, Per: o.Per, End: n}
	if passed := a.at.Sub(o.last.at).Seconds(); !o.last.at.IsZero() && passed > 0 {
		rate := float64(n-o.last.n) / passed
		c.Uncertainty = max(0, rate*(a.took+o.last.took).Seconds()/2)
	}
	o.last.n, o.last.at, o.last.took = n, a.at, a.took
	return c, nil
}

// sum adds up the named counters; found is how many there are.
func sum(rows [][]string, names []string) (n int64, found int) {
	for _, r := range rows {
		if len(r) != 2 || !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, r[0]) }) {
			continue
		}
		if v, err := strconv.ParseInt(r[1], 10, 64); err == nil {
			n += v
			found++
		}
	}
	return n, found
}
