// Package mysqlstatus reads the server's own counters, SHOW GLOBAL STATUS, at
// the window's edges, and takes out what our own statements added. It changes
// nothing in the server, needs no privilege, and must not divide by anything.
package mysqlstatus

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"opcost/collectors"
	"opcost/collectors/internal/evidence"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// Options say how the window is made.
type Options struct {
	// Quiet: behind a gate, so that no statement but ours runs while Arm and
	// the edges are read. Then what one SHOW GLOBAL STATUS adds to the counters
	// is learnt by Arm and subtracted. Without it only our own questions,
	// queries and com_show_status are subtracted, and the rest is stated as
	// Uncertainty: in MariaDB 10.11 some 560 handler_read_rnd_next and as many
	// handler_tmp_write a window.
	Quiet bool
}

// New is the collector of SHOW GLOBAL STATUS. Its readings, source server:
//
//   - each counter's difference, named as the variable in lower case. Of those
//     that did not move only the ones a reader will ask for are given (the
//     table [always]); an absent one is 0, and the evidence has its two values.
//   - levels (gauges) as NAME_begin and NAME_end, for the table [levels].
//   - rows_read: handler_read_first + key + last + next + prev + rnd + rnd_next.
//     MariaDB's own variable of that name is status_rows_read here.
//   - rows_changed: handler_write + handler_update + handler_delete. MariaDB
//     counts internal temporary tables apart (handler_tmp_*); in MySQL
//     handler_write has them too.
//
// The execution of a prepared statement counts in questions, in
// com_stmt_execute and in com_select (or its like) at once: [Statements] uses
// questions alone. Preparing and closing a statement count in none of questions.
// In MySQL before 5.0.76 and 5.1.31 questions also has what stored programs run.
func New(o Options) collectors.Collector { return collector{o} }

// Statements is the server's own count of the window's statements, ours taken
// out: the reading questions. It is false where that has no whole value.
func Statements(readings []result.Reading) (int64, bool) {
	for _, r := range readings {
		if r.Name == "questions" && r.Source == result.SourceServer && r.State == result.OK {
			return int64(*r.Value), true
		}
	}
	return 0, false
}

type collector struct{ o Options }

func (collector) Name() string { return "mysqlstatus" }

// Arm reads the status five times, to learn what reading it costs.
func (c collector) Arm(ctx context.Context, t collectors.Target, _ probe.Caps) (collectors.Armed, error) {
	if t.SQL == nil {
		return nil, &collectors.Unsupported{What: "the server's status counters", Reason: "there is no login to the server",
			Remedy: "give one: --dsn 'user@unix(/path/to/socket)/'"}
	}
	a := &armed{target: t, quiet: c.o.Quiet}
	if _, err := read(ctx, t.SQL); err != nil { // the first one opens things
		return nil, err
	}
	var samples []sample
	for range 4 {
		s, err := read(ctx, t.SQL)
		if err != nil {
			return nil, err
		}
		samples = append(samples, s)
	}
	a.cost = cost(samples)
	return a, nil
}

type armed struct {
	target     collectors.Target
	quiet      bool
	cost       map[string]float64
	begin, end *sample
}

func (a *armed) Begin(ctx context.Context) error {
	s, err := read(ctx, a.target.SQL)
	if err == nil {
		a.begin = &s
	}
	return err
}

func (a *armed) End(ctx context.Context) error {
	s, err := read(ctx, a.target.SQL)
	if err == nil {
		a.end = &s
	}
	return err
}

// Rereadable: the last End counts (see [collectors.Rereadable]).
func (*armed) Rereadable() {}

func (a *armed) Close() ([]result.Reading, error) {
	if a.begin == nil {
		return nil, nil
	}
	if a.end == nil {
		return nil, errors.New("mysqlstatus: the window's end was not read")
	}
	w := window{begin: *a.begin, end: *a.end, cost: a.cost, quiet: a.quiet, shows: 1}
	if a.begin.shows >= 0 {
		w.shows = int(a.end.shows - a.begin.shows)
	}
	return w.readings(), evidence.Write(a.target, "status.json",
		map[string]any{"begin": w.begin.Values, "end": w.end.Values, "own_statements": w.own(), "cost_of_show_status": w.cost, "quiet": w.quiet})
}

// sample is the status as text, by lower-case name, and how many statements we
// had sent when it was read, this one included; shows of these were SHOW GLOBAL
// STATUS, -1 where our connection does not tell: then there is the one at the
// end. What else we send between the edges are selects.
type sample struct {
	Values            map[string]string
	statements, shows int64
}

// read takes no lock and touches no table of the user's.
func read(ctx context.Context, sql collectors.Querier) (sample, error) {
	rows, err := sql.Query(ctx, "SHOW GLOBAL STATUS")
	if err != nil {
		return sample{}, fmt.Errorf("SHOW GLOBAL STATUS: %w", err)
	}
	s := sample{Values: make(map[string]string, len(rows)), statements: sql.Statements(), shows: -1}
	if c, ok := sql.(collectors.StatusShows); ok {
		s.shows = c.StatusShows()
	}
	for _, r := range rows {
		if len(r) != 2 {
			return sample{}, fmt.Errorf("SHOW GLOBAL STATUS gave a row of %d columns, not a name and a value: %q", len(r), r)
		}
		s.Values[strings.ToLower(r[0])] = r[1]
	}
	if len(s.Values) == 0 {
		return sample{}, errors.New("SHOW GLOBAL STATUS gave no rows: check that the login may see the global status")
	}
	return s, nil
}
