package perfstat

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"

	"opcost/perfctl/result"
)

// Section is one run of perf in its output for people: a file can hold several,
// one behind the other.
type Section struct {
	Counts
	// Of is what was counted: "system wide", "process id '4711'", "'sleep 1'".
	Of string
	// Started is the text of perf's line "# started on"; "" where it lacks.
	Started string
	Repeats int     // of -r; 0 where perf does not say
	User    float64 // seconds that the command used, with Sys; 0 where not printed
	Sys     float64
}

// ParseText reads what `perf stat` prints for people, perf 3 to 6, in any
// locale's marks between thousands. The layout is not documented; it is that of
// tools/perf/util/stat-display.c and of outputs found. Counts are printed whole,
// but scaled ones (msec, MiB, ...) with two decimals, or six before 4.19.
//
// A line that is not understood is a warning; an output without a single row is
// an error. A row without a number (<not supported>) is a row.
func ParseText(r io.Reader) ([]Section, []result.Warning, error) {
	p := textParser{}
	err := lines(r, func(n int, line string) error {
		p.line(n, line)
		return nil
	})
	p.close()
	if err == nil && len(p.sections) == 0 {
		err = errNoRows(p.why())
	}
	return p.sections, p.warnings.all(), err
}

type textParser struct {
	sections []Section
	now      Section
	open     bool   // a heading has been seen
	started  string // for the next section
	group    string
	metrics  bool // something like --metric-only was seen
	warnings warnings
}

func (p *textParser) why() string {
	switch {
	case p.metrics:
		return "it holds metrics only; run perf stat without --metric-only and --topdown"
	case len(p.warnings.list) > 0:
		return p.warnings.list[0].Text
	case !p.open:
		return `there is no line "Performance counter stats for"`
	}
	return ""
}

// close ends a section. One without rows says nothing.
func (p *textParser) close() {
	if len(p.now.Rows) > 0 {
		p.sections = append(p.sections, p.now)
	}
	p.now, p.group = Section{}, ""
}

var (
	headingLine = regexp.MustCompile(`^\s*Performance counter stats for (.+?)(?: \((\d+) runs\))?:\s*$`)
	elapsedLine = regexp.MustCompile(`^\s*([\d.,]+)(?: \+- [\d.,]+)? seconds (time elapsed|user|sys)\b`)
	startedLine = regexp.MustCompile(`^#\s*started on (.+)$`)
	columnsLine = regexp.MustCompile(`^#\s+time\s.*\bcounts\b`)
	// hintLine is advice that perf prints below the counts.
	hintLine = regexp.MustCompile(`(?i)^\s*(some events weren't counted|the events in group|try disabling|\(?use |echo [01] >|perf stat \.\.\.|\[ perf|note:)|NMI watchdog`)
	// percentsLine is a row of --metric-only or --topdown: percentages alone.
	percentsLine = regexp.MustCompile(`^\s*(?:\S+\s+)?(?:\d+\s+)?(?:[\d.,]+%\s*)+$`)
)

func (p *textParser) line(n int, line string) {
	if m := headingLine.FindStringSubmatch(line); m != nil {
		p.close()
		p.open = true
		p.now.Of, p.now.Started, p.started = m[1], p.started, ""
		_, _ = fmt.Sscan(m[2], &p.now.Repeats) // digits, or not there
		return
	}
	if m := startedLine.FindStringSubmatch(line); m != nil {
		p.started = m[1]
		return
	}
	if columnsLine.MatchString(line) {
		p.open = true // of -I, whose output has no other heading
		p.now.Started = p.started
		return
	}
	if !p.open || hintLine.MatchString(line) {
		return
	}
	if m := elapsedLine.FindStringSubmatch(line); m != nil {
		v, ok := number(m[1])
		if !ok {
			p.warnings.add("perf_output", "line %d of perf's output has a time that is no number: %s", n, short(line))
			return
		}
		switch m[2] {
		case "time elapsed":
			p.now.Elapsed = v
		case "user":
			p.now.User = v
		default:
			p.now.Sys = v
		}
		return
	}
	row, metrics, kind := textRow(line)
	switch kind {
	case isCount:
		p.now.Rows = append(p.now.Rows, row)
	case isMetric:
		if row.Event != "" {
			p.group = row.Event
		}
		if row.Running >= 0 && len(p.now.Rows) > 0 { // of the row above, which has no room for it
			if last := &p.now.Rows[len(p.now.Rows)-1]; last.Running < 0 {
				last.Running = row.Running
			}
		}
	default:
		p.metrics = p.metrics || percentsLine.MatchString(line)
		p.warnings.add("perf_output", "line %d of perf's output is no row of a count: %s", n, short(line))
		return
	}
	for _, m := range metrics {
		m.Group = p.group
		p.now.Metrics = append(p.now.Metrics, m)
	}
}

// textMetrics reads what stands behind the marks "#": a number and its name.
func textMetrics(parts []string) []Metric {
	var ms []Metric
	for _, s := range parts {
		v, name, ok := strings.Cut(strings.TrimSpace(s), " ")
		v, hasPercent := strings.CutSuffix(v, "%")
		x, isNumber := number(v)
		if !isNumber {
			x = math.NaN()
			if v != "nan" && v != "-nan" && v != "inf" {
				continue
			}
		}
		if name = metricName(name); (ok || hasPercent) && name != "" {
			ms = append(ms, Metric{Name: name, Value: x})
		}
	}
	return ms
}
