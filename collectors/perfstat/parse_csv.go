package perfstat

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"opcost/perfctl/result"
)

// ParseCSV reads `perf stat -x SEP`, every layout since perf 2.6 (columns are
// in tools/perf/Documentation/perf-stat.txt, "CSV FORMAT"; what is not there was
// found in outputs). sep is what perf was told; "" finds it out from the first
// line. A line that is not understood is a warning; an output without a single
// count is an error, and so is one whose columns cannot be told apart.
func ParseCSV(r io.Reader, sep string) (Counts, []result.Warning, error) {
	var (
		c     Counts
		w     warnings
		group string
	)
	err := lines(r, func(n int, line string) error {
		if strings.HasPrefix(line, "#") {
			return nil
		}
		if sep == "" {
			sep = separator(line)
		}
		f := fields(line, sep)
		if sep == "," && commaDecimals(f) {
			return errors.New("numbers have a decimal comma and columns are separated by commas, so they cannot be told apart: run perf with LC_ALL=C")
		}
		p, rest := prefix(f)
		switch row, kind := csvCount(rest); kind {
		case isCount:
			c.Rows = append(c.Rows, p.on(row))
		case isMetric:
			m, isGroup := csvMetric(rest)
			if isGroup {
				group = m.Name
				return nil
			}
			m.Group = group
			c.Metrics = append(c.Metrics, m)
		default:
			w.add("perf_output", "line %d of perf's CSV is no row of a count: %s", n, short(line))
		}
		return nil
	})
	if err == nil && len(c.Rows) == 0 {
		err = errNoRows(whyNoRows(w, c))
	}
	return c, w.all(), err
}

func whyNoRows(w warnings, c Counts) string {
	switch {
	case len(c.Metrics) > 0:
		return "it holds metrics only; run perf stat without --metric-only"
	case len(w.list) > 0:
		return w.list[0].Text + " (--metric-only prints no counts)"
	}
	return ""
}

// separator guesses what separates the columns of a line. The comma is last: it
// can be a decimal comma as well.
func separator(line string) string {
	for _, s := range []string{";", "'", "|", "\t", "^", ","} {
		if strings.Count(line, s) >= 2 {
			return s
		}
	}
	return ","
}

func fields(line, sep string) []string {
	f := strings.Split(line, sep)
	for i := range f {
		f[i] = strings.TrimSpace(f[i])
	}
	return f
}

type rowKind int

const (
	isNothing rowKind = iota
	isCount
	isMetric // has no count: a metric, or the heading of a group of them
)

// csvCount reads the columns from the count on: value, unit, event, then
// perhaps cgroup, perhaps variance, then run time and percentage; perf before
// 3.18 lacks the last two, before 3.12 the unit.
func csvCount(f []string) (Count, rowKind) {
	if len(f) >= 3 && f[0] == "" && f[len(f)-1] != "" {
		return Count{}, isMetric
	}
	if len(f) < 2 {
		return Count{}, isNothing
	}
	c := Count{RunNS: -1, Running: -1}
	var ok bool
	if c.Value, c.Mark, ok = marked(f[0]); !ok {
		return c, isNothing
	}
	switch {
	case len(f) >= 3 && knownUnits[f[1]] && isEvent(f[2]):
		c.Unit, c.Event, f = f[1], f[2], f[3:]
	case isEvent(f[1]) && len(f) <= 3:
		c.Event, f = f[1], f[2:]
	case len(f) >= 5 && isEvent(f[2]): // a unit that we do not know
		c.Unit, c.Event, f = f[1], f[2], f[3:]
	default:
		return c, isNothing
	}
	for len(f) > 0 && f[0] != "" {
		if _, isNumber := number(f[0]); isNumber {
			break
		}
		if v, ok := strings.CutSuffix(f[0], "%"); ok {
			c.Variance, _ = number(v)
		} else {
			c.Cgroup = f[0]
		}
		f = f[1:]
	}
	if len(f) >= 2 {
		run, ok1 := number(f[0])
		pct, ok2 := number(f[1])
		if ok1 && ok2 {
			c.RunNS, c.Running = int64(run), pct
		}
	}
	return c, isCount
}

// knownUnits are the units of perf's events that matter to find the columns of
// short rows.
var knownUnits = map[string]bool{"": true, "msec": true, "ns": true, "Joules": true, "MiB": true, "Bytes": true, "C": true, "Watts": true}

// isEvent: a name has a letter first, or is a raw or PMU event; never a number.
func isEvent(s string) bool {
	if s == "" || strings.HasSuffix(s, "%") {
		return false
	}
	_, isNumber := number(s)
	return !isNumber
}

// csvMetric reads a row without a count: its last two columns are a metric's
// value and name, or the last alone is the name of a group of metrics.
func csvMetric(f []string) (m Metric, isGroup bool) {
	last := len(f) - 1
	m.Name = metricName(f[last])
	if f[last-1] == "" {
		return m, true
	}
	v, ok := number(f[last-1])
	if !ok {
		v = math.NaN()
	}
	m.Value = v
	return m, false
}

// commaDecimals tells a line in which commas both separate and mark decimals.
// perf prints a percentage with two digits behind the point: a run time followed
// by 100 and by 00 is one, cut in two. So is 1795 and 31 in front of msec.
func commaDecimals(f []string) bool {
	for i := 1; i+1 < len(f); i++ {
		if whole(f[i-1]) && whole(f[i]) && len(f[i]) <= 3 && whole(f[i+1]) && len(f[i+1]) == 2 {
			return true
		}
	}
	return len(f) >= 4 && whole(f[0]) && whole(f[1]) && f[2] == "msec"
}

func whole(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// place is what stands before the count.
type place struct {
	interval float64
	summary  bool
	where    string
	cpus     int
}

func (p place) on(c Count) Count {
	c.Interval, c.Summary, c.Where, c.CPUs = p.interval, p.summary, p.where, p.cpus
	return c
}

// prefix takes the columns before the count: the time with -I, and what the row
// is about: one column with -A (CPU0) and --per-thread, two with --per-core and
// the like (S0-D0-C15 and the number of CPUs added up).
func prefix(f []string) (place, []string) {
	var p place
	if len(f) > 1 {
		if f[0] == "summary" {
			p.summary = true
			f = f[1:]
		} else if isInterval(f[0], f[1:]) {
			p.interval, _ = number(f[0])
			f = f[1:]
		}
	}
	if len(f) < 3 || f[0] == "" {
		return p, f
	}
	if _, _, ok := marked(f[0]); ok {
		return p, f
	}
	if !whole(f[1]) || strings.HasPrefix(f[0], "CPU") {
		// "CPU0,12,..."; a count of its own follows, or nothing does.
		p.where = f[0]
		return p, f[1:]
	}
	if _, _, ok := marked(f[2]); ok || aggregates(f[0]) {
		p.where = f[0]
		_, _ = fmt.Sscan(f[1], &p.cpus) // whole, as was checked
		return p, f[2:]
	}
	p.where = f[0]
	return p, f[1:]
}

// isInterval: the time of -I has nine digits behind the point; behind it stands
// a count, a place, or the empty columns of a metric.
func isInterval(s string, next []string) bool {
	at := strings.IndexByte(s, '.')
	if at < 0 || len(s)-at-1 != 9 {
		return false
	}
	if next[0] == "" {
		return len(next) > 1 && next[1] == ""
	}
	_, _, isValue := marked(next[0])
	return isValue || aggregates(next[0]) || strings.Contains(next[0], "-") || strings.HasPrefix(next[0], "CPU")
}

// aggregates tells a socket, die, core or node: S0, S0-D0-C15, N1.
func aggregates(s string) bool {
	return len(s) >= 2 && (s[0] == 'S' || s[0] == 'N' || s[0] == 'D') && s[1] >= '0' && s[1] <= '9'
}
