// Package sysbench reads what sysbench prints: 1.0 and 1.1, and the summaries of
// 0.4 and 0.5, whose words differ. The layouts are those of sysbench's
// src/tests/include/oltp_legacy and src/sb_ext.c, and of outputs found. It knows
// nothing of records on disk.
package sysbench

import "time"

// Output is what one run of sysbench says. A pointer is nil, and a number of
// which it says so 0, where the output does not have it: an aborted run has no
// summary, another test than OLTP no queries.
type Output struct {
	Program string // "1.1.0-3ceba0b"; "" where not printed
	Threads int    // 0 where not printed
	Warmup  time.Duration
	CPUs    int    // from a line "8 CPUs" in front, as scripts print it; else 0
	Command string // the command line, where a script has printed it; without passwords

	Queries *Queries // nil without a summary of SQL statistics
	Events  *int64   // total number of events (transactions, or single statements)
	Elapsed time.Duration
	// Latency of an event in milliseconds, as printed; nil where the summary lacks it.
	Latency *Latency

	Reports   []Report // --report-interval
	Histogram []Bin
	Fatal     []string // lines of errors that ended the run, the first few
}

// Queries is the summary "SQL statistics".
type Queries struct {
	Read, Write, Other, Total int64
	Transactions              int64
	QueriesPerSecond          *float64 // as printed; nil in 0.4
	TransactionsPerSecond     *float64
	Errors                    int64 // ignored errors, or deadlocks in 0.4
	Reconnects                int64
}

// Latency of events, in milliseconds. Sum and Percentile are nil where they are not printed.
type Latency struct {
	Min, Avg, Max float64
	Sum           *float64
	Percentile    *float64
	Percent       int // which percentile: 95, 99
}

// Report is one line of --report-interval. The rates are of that interval, a second.
type Report struct {
	At                 time.Duration
	Threads            int
	TPS, QPS           float64
	Read, Write, Other float64
	Percentile         float64 // milliseconds
	ErrorsPerSecond    float64
	Reconnects         float64 // a second
}

// Bin is a row of the latency histogram.
type Bin struct {
	MS    float64
	Count int64
}

// PerTransaction is how many queries a transaction had; 0 where it cannot be told.
func (q Queries) PerTransaction() float64 {
	if q.Transactions == 0 {
		return 0
	}
	return float64(q.Total) / float64(q.Transactions)
}
