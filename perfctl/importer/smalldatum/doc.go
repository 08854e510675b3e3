// Package smalldatum reads the result files of Small Datum's benchmarks
// (smalldatum.blogspot.com): tables of QPS by server (qps.abs.*, qps.rel.*, as
// tsv, and as csv without heading), the same by number of clients (o.qps.abs,
// o.qps.rel of 2020), costs per operation (o.met*, met.*.txt), and a single
// test's costs (*.met); and the same tables of ratios as opcost prints them. It
// knows nothing of records on disk.
//
// What the columns mean: cpu/o is the mean of vmstat's us + sy, in percent of
// all CPUs of the host, over QPS; cs/o the mean of vmstat's cs over QPS; r/o,
// rKB/o and wKB/o the means of iostat's rates over QPS; o/s is sysbench's
// queries a second.
package smalldatum

import (
	"math"
	"strconv"
	"strings"
)

// Kind of a file.
type Kind string

const (
	QPS         Kind = "qps"          // absolute
	QPSRelative Kind = "qps relative" // ratios, to File.Base where the file names it
	PerOp       Kind = "per operation"
	OneTest     Kind = "one test" // a *.met, which names neither test nor server
	// Insert is a table of the insert benchmark: rates and costs by server (its
	// tag). Absolute and relative tables have the same headings, so Relative is
	// not told.
	Insert Kind = "insert benchmark"
	// Counters are perf's counters of several servers, or their ratios: raw, of
	// one backend in a window that the file does not name. -1 is <not supported>.
	Counters Kind = "counters"
)

// File is what one file holds.
type File struct {
	Kind Kind
	// Base is the server that QPSRelative is relative to; "" where the file does
	// not say. It is no column of its own.
	Base string
	// Servers in the order of the file; nil for csv, whose cells have Column alone.
	Servers []string
	Cells   []Cell
	// Own: printed by `opcost report --relative --format tsv`, so the names of
	// servers and tests are opcost's.
	Own bool
}

// Cell is one printed number.
type Cell struct {
	// Host and Clients are of the line that opcost puts in front of each of several
	// tables; else "" and 0.
	Host    string
	Clients int
	Test    string // as printed: hot-points_range=100, sb.met.scan.range100.pk1.dop4; "" in OneTest
	Server  string // as printed; "" where the file does not name it
	// Column counts from 0: the server's place in csv and Counters, the number of
	// clients' place in o.qps.*, the series of servers in Insert, each of which
	// has a base of its own, its first.
	Column int
	Metric string // qps, cpu/o, ...
	// Relative: a ratio to the file's base, or in PerOp to the test's first server.
	Relative bool
	Text     string // as printed
	Value    float64
	Line     int
}

// Known is false for what stands for no number: x/0, printed inf, and -1 or NA.
func (c Cell) Known() bool { return !math.IsInf(c.Value, 0) && c.Value >= 0 }

// Half is half of the last printed digit: how far off the number may be.
func (c Cell) Half() float64 {
	_, decimals, _ := strings.Cut(c.Text, ".")
	return 0.5 * math.Pow(10, -float64(len(decimals)))
}

// Agrees tells whether a ratio may be that of two numbers, all as printed: 0/0
// is printed as 1 or INF, and x/0 as inf.
func Agrees(ratio, of, base Cell) bool {
	switch {
	case of.Value == 0 && base.Value == 0:
		return ratio.Value == 1 || math.IsInf(ratio.Value, 1)
	case base.Value == 0:
		return math.IsInf(ratio.Value, 1)
	}
	low := max(0, of.Value-of.Half()) / (base.Value + base.Half())
	high := (of.Value + of.Half()) / max(base.Value-base.Half(), math.SmallestNonzeroFloat64)
	const slack = 1e-9 // of binary fractions
	return ratio.Value >= low-ratio.Half()-slack && ratio.Value <= high+ratio.Half()+slack
}

// Recomputes tells whether the quotient of the two printed numbers, rounded as
// the ratio is, is the ratio.
func Recomputes(ratio, of, base Cell) bool {
	if of.Value == 0 || base.Value == 0 {
		return Agrees(ratio, of, base)
	}
	return math.Abs(of.Value/base.Value-ratio.Value) <= ratio.Half()+1e-9
}

func parseNumber(s string) (float64, bool) {
	if s == "inf" || s == "INF" {
		return math.Inf(1), true
	}
	if s == "NA" {
		return math.NaN(), true
	}
	if s == "" || strings.Trim(s, "0123456789.-") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}
