// Package workload is what the server is asked to do: the microbenchmarks by
// id, the data they run on, and what sends them: the built-in client, which
// counts the operations it did and keeps each client's response times, or
// another program (sysbench, mysqlslap, any command). It must not
// start or configure a server, read a counter of it, or know what a window is
// measured with; versions, plans and results on disk are other rooms'.
//
// The microbenchmarks are those of Mark Callaghan's published MySQL
// regressions (smalldatum.blogspot.com): the same tables, SQL and groups, so
// that numbers can be laid beside his.
package workload

// Group is the family that a microbenchmark is reported with.
type Group string

const (
	Point    Group = "point"
	Range    Group = "range"     // range queries without aggregation
	RangeAgg Group = "range-agg" // range queries with aggregation or sorting
	Write    Group = "write"
)

// What one operation of a test is.
const (
	PerStatement = "statement"
	PerRow       = "row"
)

// The protocols by which a statement is sent.
const (
	Prepared = "prepared" // prepared by the server once a connection, then executed
	Text     = "text"     // literals in the statement
)

// Test is one microbenchmark.
type Test struct {
	ID    string // unique: Name, or Name_range=Range where the name has several
	Name  string
	Group Group
	Range int    // how many ids or rows one statement is after; 0 where the notion does not apply
	Write bool   // changes the data, so the data must be restored before it
	Pre   bool   // a read of the loaded table, before the write tests of its plan
	Per   string // PerStatement or PerRow (scan: rows of the table read)
	// Transactional: the statements come as BEGIN, ..., COMMIT. A phase ends
	// between transactions only, so a phase of N operations is rounded up to
	// whole transactions for each client.
	Transactional bool
	// TextOnly: sent as text whatever the session's protocol is.
	TextOnly bool
	// Indexes are the indexes that the statements read: "PRIMARY", "k".
	Indexes []string

	steps []step
}

// Protocol is the protocol by which the test's statements are sent on a
// session that asks for p.
func (t Test) Protocol(p string) string {
	if t.TextOnly {
		return Text
	}
	return p
}

// Data is what the tests run on: tables sbtest1 to sbtestN, each with the ids 1
// to Rows, whose bytes are a function of Seed.
type Data struct {
	Tables int
	Rows   int64 // a table
	Seed   uint64
}
