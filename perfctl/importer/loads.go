package importer

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"opcost/perfctl/importer/mysqlslap"
	"opcost/perfctl/importer/smalldatum"
	"opcost/perfctl/importer/sysbench"
	"opcost/perfctl/result"
)

// luaTests are the tests of sysbench's own scripts and of those derived from
// them, by what stands behind oltp_ in the script's name.
var luaTests = map[string]string{
	"point_select": "point-query", "point_query": "point-query", "read_only": "read-only", "read_write": "read-write",
	"write_only": "write-only", "delete": "delete", "insert": "insert", "update_index": "update-index",
	"update_non_index": "update-nonindex", "update_nonindex": "update-nonindex", "update_inlist": "update-inlist",
	"update_one": "update-one", "update_zipf": updateZipf, "select_random_points": "random-points",
	"random_points": "random-points", "scan": "scan",
}

var luaName = regexp.MustCompile(`oltp_(\w+)(?:\.lua)?\b`)

// flag finds a number behind a flag of a command line; 0 where it lacks.
func flag(command, name string) int64 {
	for _, f := range strings.Fields(command) {
		if v, ok := strings.CutPrefix(f, "--"+name+"="); ok {
			n, _ := strconv.ParseInt(v, 10, 64) // else it is no number, and not known
			return max(n, 0)
		}
	}
	return 0
}

func (b *batch) sysbench(p piece, o sysbench.Output) {
	p.driver, p.whole, p.cpus, p.clients = "sysbench", true, o.CPUs, o.Threads
	p.tables, p.rows = int(flag(o.Command, "tables")), flag(o.Command, "table-size")
	if m := luaName.FindStringSubmatch(o.Command); m != nil && luaTests[m[1]] != "" {
		p.test = smalldatum.Test{Name: luaTests[m[1]], Range: int(flag(o.Command, "range-size"))}
	}
	w := windowOf(p.from)
	limit := time.Duration(flag(o.Command, "time")) * time.Second
	p.window = w
	p.window.DurationNS = o.Elapsed.Nanoseconds()
	switch {
	case len(o.Fatal) > 0 && o.Queries == nil && len(o.Reports) == 0:
		p.fail("sysbench ended with an error: " + o.Fatal[0])
	case o.Queries == nil && o.Events == nil:
		p.intervals(o, limit)
	default:
		p.summary(o)
	}
	if limit > 0 && o.Elapsed > limit+limit/100+time.Second {
		p.warn("import_overshot", "sysbench was to run for %v and ran for %v, so its last seconds had fewer and fewer clients", limit, o.Elapsed)
	}
	b.add(p)
}

func (p *piece) warn(code, format string, args ...any) {
	p.warnings = append(p.warnings, result.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}

// fail keeps a run that did not end well, with its reason and without numbers.
func (p *piece) fail(reason string) {
	p.window.State, p.window.Reason = result.Failed, reason
	p.window.Readings = []result.Reading{result.Lacking("qps", "statement", result.SourceImport, "", result.Failed, reason, "run the load again")}
	p.window.Readings[0].Gauge = true
}

// summary takes the final numbers.
func (p *piece) summary(o sysbench.Output) {
	if q := o.Queries; q != nil {
		p.window.Ops.End, p.window.Ops.Errors = q.Total, q.Errors
		if q.Transactions != q.Total {
			p.window.Ops.Transactions = q.Transactions
		}
		if q.Reconnects > 0 {
			p.warn("import_reconnects", "%d reconnects in the run", q.Reconnects)
		}
		if o.Elapsed == 0 {
			p.window.Ops.End = 0 // a rate cannot be made of it
			if q.QueriesPerSecond != nil {
				p.window.Readings = append(p.window.Readings, gauge("qps", *q.QueriesPerSecond, "statement"))
			}
		}
	} else if o.Elapsed > 0 {
		// No statements: another test than those of a database.
		p.window.Readings = append(p.window.Readings, gauge("events_per_second", float64(*o.Events)/o.Elapsed.Seconds(), "event"))
	}
	if len(o.Fatal) > 0 {
		p.window.State, p.window.Reason = result.Partial, "sysbench reported an error: "+o.Fatal[0]
	}
	p.latency(o)
}

// latency is of events. An event is a statement in some tests, in others a
// transaction of several.
func (p *piece) latency(o sysbench.Output) {
	l := o.Latency
	if l == nil {
		return
	}
	name := "event_us"
	if q := o.Queries; q != nil {
		name = "transaction_us"
		if q.Transactions == q.Total {
			name = "response_us"
		}
	}
	mean := l.Avg
	if l.Sum != nil && o.Events != nil && *o.Events > 0 && *l.Sum > 0 {
		mean = *l.Sum / float64(*o.Events) // the printed mean has two decimals
	}
	p.window.Readings = append(p.window.Readings, gauge(name, mean*1000, "us"), gauge(name+"_max", l.Max*1000, "us"))
	if l.Percentile != nil && (l.Percent == 95 || l.Percent == 99) {
		p.window.Readings = append(p.window.Readings, gauge(fmt.Sprintf("%s_p%d", name, l.Percent), *l.Percentile*1000, "us"))
	}
}

// intervals makes what can be made of --report-interval, where the summary
// lacks: a mean of the intervals in which all clients ran and the time was not up.
func (p *piece) intervals(o sysbench.Output, limit time.Duration) {
	threads := 0
	for _, r := range o.Reports {
		threads = max(threads, r.Threads)
	}
	p.clients = threads
	n, qps, tps, errs := 0, 0.0, 0.0, 0.0
	for _, r := range o.Reports {
		if r.Threads < threads || limit > 0 && r.At > limit {
			continue
		}
		n++
		qps, tps, errs = qps+r.QPS, tps+r.TPS, errs+r.ErrorsPerSecond
	}
	if left := len(o.Reports) - n; left > 0 {
		p.warn("import_overshot", "%d of %d intervals are left out: clients had ended, or the time was up", left, len(o.Reports))
	}
	count := float64(n)
	p.window.State, p.window.Reason = result.Partial, fmt.Sprintf("no summary of sysbench's: the run was cut off; means of %d intervals", n)
	p.window.Readings = append(p.window.Readings, gauge("qps", qps/count, "statement"), gauge("tps", tps/count, "transaction"),
		gauge("errors_per_second", errs/count, "error"))
}

func (b *batch) mysqlslap(p piece, block mysqlslap.Block) {
	p.driver, p.whole, p.clients = "mysqlslap", true, block.Clients
	p.window = windowOf(p.from)
	n, known := block.Queries()
	iterations := max(1, block.Iterations)
	switch {
	case !known:
		p.lacking("mysqlslap prints 0 queries a client, as there were fewer queries than clients: how many there were is not known",
			"give --number-of-queries a multiple of --concurrency")
	case float64(n)*float64(iterations) > 1e15 || n < 0:
		p.lacking("the numbers of clients and queries in the file are beyond all bounds", "")
	case block.Avg <= 0:
		p.lacking("mysqlslap prints 0.000 seconds: the run was too short", "give more queries, for some seconds at least")
	default:
		p.window.Ops.End = n * int64(iterations)
		p.window.DurationNS = nanoseconds(block.Avg * float64(iterations))
		p.window.Ops.Uncertainty = 0
		p.window.Readings = append(p.window.Readings, gauge("response_us", block.Avg*1e6/float64(block.PerClient), "us"))
		if u := block.Unsure(); u > 0.01 {
			p.warn("import_short", "the run is too short to be compared or profiled: %.3f s in steps of %.3f s is ±%.0f%%", block.Avg, mysqlslap.Resolution, 100*u)
		}
	}
	b.add(p)
}

// lacking says why there is no rate.
func (p *piece) lacking(reason, remedy string) {
	r := result.Lacking("qps", "statement", result.SourceImport, "", result.NotCounted, reason, remedy)
	r.Gauge = true
	p.window.Readings = append(p.window.Readings, r)
}
