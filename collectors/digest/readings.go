package digest

import (
	"fmt"
	"slices"
	"strings"

	"opcost/perfctl/result"
)

// timed is true for the kinds whose time a client waits for: not those of
// statements within stored programs, which are in their CALL's time already, nor
// a replica's endless ones.
func timed(kind string) bool {
	name, com := strings.CutPrefix(kind, "statement/com/")
	return strings.HasPrefix(kind, "statement/sql/") ||
		com && !strings.Contains(name, "Dump") && name != "Sleep" && name != "Daemon" && name != "Register Slave" && name != "Register Replica"
}

// isStatement is true for the kinds that are a client's statements. A COM_QUERY
// becomes one of statement/sql once it is parsed.
func isStatement(kind string) bool {
	return strings.HasPrefix(kind, "statement/sql/") || kind == executeKind || kind == "statement/com/Query"
}

const executeKind = "statement/com/Execute"

// kinds adds up the difference of both sums: statements and microseconds.
func (w window) kinds() (statements, executions int64, latencyUS float64, err error) {
	for _, name := range w.kindNames() {
		b, e := w.begin.kinds[name], w.end.kinds[name]
		if e[0] < b[0] || e[1] < b[1] {
			return 0, 0, 0, fmt.Errorf("the server's sums by kind of statement were emptied in the window (TRUNCATE): %s went back", name)
		}
		if timed(name) {
			latencyUS += float64(e[1]-b[1]) / psPerUS
		}
		if isStatement(name) {
			statements += int64(e[0] - b[0])
		}
		if name == executeKind {
			executions = int64(e[0] - b[0])
		}
	}
	return statements - w.ownStatements(), executions, latencyUS, nil
}

// kindReadings are of the sums by kind, without our own statements.
func (w window) kindReadings(o own) []result.Reading {
	statements, _, latency, err := w.kinds()
	if err != nil {
		const remedy = "see that no monitor empties the table"
		return []result.Reading{
			result.Lacking("server_latency_us", "us", result.SourceServer, "", result.Failed, err.Error(), remedy),
			result.Lacking("server_statements", "count", result.SourceServer, "", result.Failed, err.Error(), remedy),
		}
	}
	l := result.Got("server_latency_us", max(latency-o.latencyUS, 0), "us", result.SourceServer, "")
	l.Uncertainty = o.uncertainUS
	n := result.Got("server_statements", float64(max(statements, 0)), "count", result.SourceServer, "")
	if statements < 0 {
		// Another connection's statement ended between two of our readings.
		n.Uncertainty = float64(-statements)
	}
	if o.unknown > 0 {
		// Known by number and not by time: at most all of a mean statement each.
		l.Uncertainty += float64(o.unknown) * latency / float64(max(statements+w.ownStatements(), 1))
		l.Reason = fmt.Sprintf("the time of %d statements of opcost's own is in it", o.unknown)
	}
	for _, r := range []*result.Reading{&l, &n} {
		if w.on.partly != "" {
			r.State, r.Reason = result.Partial, w.on.partly
		}
	}
	if w.on.untimed != "" {
		l.State, l.Reason = result.Partial, w.on.untimed
	}
	return []result.Reading{l, n}
}

// digestReadings are of the table of digests.
func (w window) digestReadings(total result.Digest, rows []result.Digest, o own) []result.Reading {
	n := result.Got("digest_statements", float64(total.Count), "count", result.SourceServer, "")
	switch missing, reason := w.missing(total.Count); {
	case w.on.partly != "":
		n.State, n.Reason = result.Partial, w.on.partly
	case missing:
		n.State, n.Reason = result.Partial, reason
	case o.unknown > 0 && !slices.ContainsFunc(rows, func(d result.Digest) bool { return d.Digest == "" }):
		n.Uncertainty = float64(o.unknown)
		n.Reason = fmt.Sprintf("%d statements of opcost's own may be among them", o.unknown)
	}
	rs := []result.Reading{n}
	if w.on.cpu && total.CPUUS == nil {
		total.CPUUS = new(float64) // nothing was executed
	}
	if w.on.cpu {
		rs = append(rs, result.Got("digest_cpu_us", *total.CPUUS, "us", result.SourceServer, ""))
	} else {
		rs = append(rs, result.Lacking("digest_cpu_us", "us", result.SourceServer, "", result.Unsupported, w.on.noCPU.Reason, w.on.noCPU.Remedy))
	}
	g := result.Got("digests", float64(len(rows)), "count", result.SourceServer, "")
	g.Gauge = true
	return append(rs, g)
}

// missing says whether the server gave statements no digest: more of them than
// can have ended between the reading of one table and of the other.
func (w window) missing(digested int64) (bool, string) {
	statements, executions, _, err := w.kinds()
	lacks := statements - digested
	if err != nil || lacks <= 0 || float64(lacks) <= 0.01*float64(statements) {
		return false, ""
	}
	reason := fmt.Sprintf("%d of %d statements have no digest", lacks, statements)
	if executions >= lacks*9/10 {
		reason += ": this server gives none to executions of prepared statements"
	}
	return true, reason
}
