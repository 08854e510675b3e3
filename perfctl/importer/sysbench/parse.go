package sysbench

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"opcost/perfctl/importer/internal/lines"
	"opcost/perfctl/result"
)

// Parse reads an output; a file may hold several, one behind the other. Lines
// between that a script printed (EXPLAIN, messages) are passed over. An output
// that has neither a summary nor intervals nor an error is no output of
// sysbench, which is an error.
func Parse(r io.Reader) ([]Output, []result.Warning, error) {
	var p parser
	err := lines.Each(r, p.line)
	p.close()
	if err == nil && len(p.outputs) == 0 {
		err = errors.New("no summary, interval or error of sysbench in it")
	}
	if err != nil {
		return nil, p.warnings.All(), err
	}
	return p.outputs, p.warnings.All(), nil
}

type parser struct {
	outputs  []Output
	now      Output
	section  string // of the summary
	cpus     int    // for the output that follows
	command  string
	warnings lines.Warnings
}

// close ends an output that says something.
func (p *parser) close() {
	if p.now.Queries != nil && p.now.Queries.Total == 0 && p.now.Queries.Transactions == 0 && p.now.Events == nil {
		p.now.Queries = nil // the heading alone
	}
	if n := p.now; n.Queries != nil || n.Events != nil || len(n.Reports) > 0 || len(n.Fatal) > 0 {
		p.check(&p.now)
		p.outputs = append(p.outputs, p.now)
	}
	p.now, p.section = Output{}, ""
}

// check says what does not agree within one output.
func (p *parser) check(o *Output) {
	q := o.Queries
	if q == nil {
		return
	}
	if sum := q.Read + q.Write + q.Other; sum != q.Total && q.Total > 0 {
		p.warnings.Add("import_sum", "sysbench's total of %d queries is not the sum of its parts, %d (numbers above 2^31 wrap in old versions)", q.Total, sum)
	}
	if q.QueriesPerSecond != nil && o.Elapsed > 0 {
		got := float64(q.Total) / o.Elapsed.Seconds()
		if math.Abs(got-*q.QueriesPerSecond) > 0.005*got+0.006 { // it is printed with two decimals
			p.warnings.Add("import_sum", "%d queries in %v are %.2f a second, and sysbench prints %.2f", q.Total, o.Elapsed, got, *q.QueriesPerSecond)
		}
	}
}

const maxFatal = 5

func (p *parser) line(n int, line string) error {
	text := strings.TrimSpace(line)
	lower := strings.ToLower(text)
	switch {
	case text == "":
		return nil
	case strings.HasPrefix(lower, "sysbench ") && (strings.Contains(text, "(using") || strings.Contains(text, "multi-threaded")):
		p.close()
		p.now.Program = strings.TrimSuffix(strings.Fields(text)[1], ":")
		p.now.CPUs, p.now.Command, p.cpus, p.command = p.cpus, p.command, 0, ""
		return nil
	case strings.HasSuffix(text, " CPUs"):
		_, _ = fmt.Sscan(text, &p.cpus) // else it stays 0
		return nil
	case strings.Contains(text, "sysbench") && strings.Contains(text, " --"):
		p.command = WithoutSecrets(text)
		return nil
	case strings.HasPrefix(text, "FATAL:"):
		if len(p.now.Fatal) < maxFatal {
			p.now.Fatal = append(p.now.Fatal, strings.TrimSpace(strings.TrimPrefix(text, "FATAL:")))
		}
		return nil
	}
	if r, ok, bad := interval(text); ok {
		p.now.Reports = append(p.now.Reports, r)
		return nil
	} else if bad {
		p.warnings.Add("import_line", "line %d of sysbench's output is not understood: %s", n, lines.Short(text))
		return nil
	}
	if ms, count, ok := bin(text); ok {
		p.now.Histogram = append(p.now.Histogram, Bin{ms, count})
		return nil
	}
	name, value, ok := strings.Cut(text, ":")
	if !ok {
		return nil
	}
	return p.summary(strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value))
}

// summary reads a line "name: value". Names that occur in several places are
// told apart by the section's heading.
func (p *parser) summary(name, value string) error {
	o := &p.now
	if value == "" {
		p.section = name
		if name == "sql statistics" || name == "queries performed" {
			p.sql()
		}
		return nil
	}
	f := strings.Fields(value)
	number, isNumber := lines.Number(strings.TrimRight(strings.TrimSuffix(f[0], "ms"), "s"))
	switch name {
	case "number of threads":
		if isNumber && number >= 1 && number < 1<<20 {
			o.Threads = int(number)
		}
	case "warmup time":
		o.Warmup = seconds(number)
	case "time elapsed", "total time":
		o.Elapsed = seconds(number)
	case "total number of events":
		if c, ok := counted(number, isNumber); ok {
			o.Events = &c
		}
	case "min", "avg", "max", "sum", "95th percentile", "approx.  95 percentile", "approx. 95 percentile", "99th percentile":
		if isNumber && (strings.HasPrefix(p.section, "latency") || p.section == "per-request statistics" || p.section == "response time") {
			p.latency(name, number)
		}
	default:
		return p.statistic(name, value, number, isNumber)
	}
	return nil
}

func (p *parser) sql() {
	if p.now.Queries == nil {
		p.now.Queries = &Queries{}
	}
}

// statistic reads a line of the SQL statistics: "queries: 123 (4.56 per sec.)".
func (p *parser) statistic(name, value string, number float64, isNumber bool) error {
	q := p.now.Queries
	if q == nil {
		return nil
	}
	into := map[string]*int64{"read": &q.Read, "write": &q.Write, "other": &q.Other, "total": &q.Total, "queries": &q.Total,
		"transactions": &q.Transactions, "ignored errors": &q.Errors, "deadlocks": &q.Errors, "reconnects": &q.Reconnects}[name]
	if into == nil {
		return nil
	}
	n, ok := counted(number, isNumber)
	if !ok {
		return fmt.Errorf("%s is no count: %s", name, lines.Short(value))
	}
	*into = n
	if at := strings.IndexByte(value, '('); at >= 0 {
		if rate, ok := lines.Number(strings.Fields(value[at+1:] + " ?")[0]); ok {
			switch name {
			case "queries":
				q.QueriesPerSecond = &rate
			case "transactions":
				q.TransactionsPerSecond = &rate
			}
		}
	}
	return nil
}

func (p *parser) latency(name string, v float64) {
	if p.now.Latency == nil {
		p.now.Latency = &Latency{}
	}
	l := p.now.Latency
	switch name {
	case "min":
		l.Min = v
	case "avg":
		l.Avg = v
	case "max":
		l.Max = v
	case "sum":
		l.Sum = &v
	default:
		l.Percentile, l.Percent = &v, 95
		if strings.HasPrefix(name, "99") {
			l.Percent = 99
		}
	}
}

// counted: a number of things. A negative one has wrapped, and is none.
func counted(v float64, ok bool) (int64, bool) {
	return int64(v), ok && v >= 0 && v < 1<<53 && v == math.Trunc(v)
}

func seconds(v float64) time.Duration {
	if v < 0 || v > 1e9 {
		return 0
	}
	return time.Duration(math.Round(v * 1e9))
}
