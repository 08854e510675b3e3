// Package digest reads the server's own statement statistics at the window's
// edges: performance_schema's table of digests (statements without their
// literals) and its sums by kind of statement. It takes what the server
// collects already: it switches nothing on, sends SELECTs that take no lock,
// takes its own statements out, and says what would have to be switched on. It
// never sees a literal.
//
// A statement is counted when it has ended in the server: some microseconds
// after its client has the result, so the last one of each connection may be in
// the next window.
package digest

import (
	"context"
	"errors"
	"fmt"

	"opcost/collectors"
	"opcost/collectors/internal/evidence"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// Options say how much is kept.
type Options struct {
	// Keep is how many digests are kept, those with the most latency; the rest
	// are added up in one row. 0: 200.
	Keep int
}

const defaultKeep = 200

// New is the collector. Its table of digests is read by
// [collectors.WithDigests]; its readings, source server:
//
//	server_latency_us   response time inside the server, summed over statements and
//	                    the protocol's commands (prepare, ping, ...), our own taken out
//	server_statements   statements of the clients: executions of prepared ones too
//	digest_statements   of these, the ones that are in the table of digests;
//	                    partial where the server gives some of them no digest
//	digest_cpu_us       CPU time of the digests, where the server collects it
//	digests             gauge: digests that were executed in the window
//
// Where the table of digests cannot be had, digest_statements says why.
func New(o Options) collectors.Collector {
	if o.Keep <= 0 {
		o.Keep = defaultKeep
	}
	return collector{o}
}

type collector struct{ o Options }

func (collector) Name() string { return "digest" }

// Arm asks what the server collects, and reads the tables once.
func (c collector) Arm(ctx context.Context, t collectors.Target, _ probe.Caps) (collectors.Armed, error) {
	if t.SQL == nil {
		return nil, &collectors.Unsupported{What: what, Reason: "there is no login to the server",
			Remedy: "give one: --dsn 'user@unix(/path/to/socket)/'"}
	}
	on, err := ask(ctx, t.SQL)
	if err != nil {
		return nil, err
	}
	if _, err = readEdge(ctx, t.SQL, on); err != nil {
		return nil, err
	}
	return &armed{target: t, keep: c.o.Keep, on: on}, nil
}

const what = "the server's statement statistics"

type armed struct {
	target     collectors.Target
	keep       int
	on         switches
	begin, end *edge
	texts      map[string]string // by digest, of what was executed in the window
	digests    []result.Digest
}

// Begin reads the digests first, the faster sums by kind last; End the other
// way round, so that both see the same of our statements but for these two.
func (a *armed) Begin(ctx context.Context) error {
	e, err := readEdge(ctx, a.target.SQL, a.on)
	if err == nil {
		a.begin = &e
	}
	return err
}

func (a *armed) End(ctx context.Context) error {
	if a.begin == nil {
		return errors.New("digest: the window's begin was not read")
	}
	e := edge{}
	var err error
	if e.kinds, err = readKinds(ctx, a.target.SQL); err != nil {
		return err
	}
	e.statements = a.target.SQL.Statements()
	if a.on.noDigests == nil {
		if e.digests, err = readDigests(ctx, a.target.SQL, a.on.cpu); err != nil {
			return err
		}
		if a.texts, err = readTexts(ctx, a.target.SQL, executed(a.begin.digests, e.digests)); err != nil {
			return err
		}
	}
	a.end = &e
	return nil
}

func (a *armed) Close() ([]result.Reading, error) {
	if a.begin == nil {
		return nil, nil
	}
	if a.end == nil {
		return nil, errors.New("digest: the window's end was not read")
	}
	w := window{begin: *a.begin, end: *a.end, texts: a.texts, on: a.on}
	rs, rows := w.result(a.keep)
	a.digests = rows
	return rs, evidence.Write(a.target, "digest.json", map[string]any{
		"kinds_begin": w.begin.kinds, "kinds_end": w.end.kinds, "own_statements": w.ownStatements(), "digests": rows})
}

// Digests are the window's, most latency first; none before Close.
func (a *armed) Digests() []result.Digest { return a.digests }

func failed(doing string, err error) error { return fmt.Errorf("%s: %s: %w", what, doing, err) }
