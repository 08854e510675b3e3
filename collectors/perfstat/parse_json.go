package perfstat

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"

	"opcost/perfctl/result"
)

// ParseJSON reads `perf stat -j`: one object a line, which perf has from 6.0
// on (tools/perf/Documentation/perf-stat.txt). A line that is not understood is
// a warning; an output without a single count is an error.
func ParseJSON(r io.Reader) (Counts, []result.Warning, error) {
	var (
		c     Counts
		w     warnings
		group string
		first string // what was wrong with the first bad line
	)
	err := lines(r, func(n int, line string) error {
		if strings.HasPrefix(line, "#") {
			return nil
		}
		row, err := jsonLine(line)
		if err != nil {
			if first == "" {
				first = fmt.Sprintf("line %d: %v", n, err)
			}
			w.add("perf_output", "line %d of perf's JSON: %v", n, err)
			return nil
		}
		if row.Value != "" {
			count, err := row.count()
			if err != nil {
				w.add("perf_output", "line %d of perf's JSON: %v", n, err)
				return nil
			}
			c.Rows = append(c.Rows, count)
			return nil
		}
		if row.Group != "" {
			group = row.Group
		}
		if row.MetricUnit != "" {
			c.Metrics = append(c.Metrics, Metric{Name: metricName(row.MetricUnit), Value: row.Metric.or(math.NaN()), Group: group})
		}
		return nil
	})
	if err == nil && len(c.Rows) == 0 {
		err = errNoRows(first)
	}
	return c, w.all(), err
}

// jsonRow is a line's object. Fields that perf's versions print as a number or
// as a string are loose.
type jsonRow struct {
	Interval   loose  `json:"interval"`
	Value      loose  `json:"counter-value"`
	Unit       string `json:"unit"`
	Event      string `json:"event"`
	Variance   loose  `json:"variance"`
	RunNS      loose  `json:"event-runtime"`
	Running    loose  `json:"pcnt-running"`
	Metric     loose  `json:"metric-value"`
	MetricUnit string `json:"metric-unit"`
	Group      string `json:"metricgroup"`
	Cgroup     string `json:"cgroup"`

	Core    loose `json:"core"`
	Die     loose `json:"die"`
	Cluster loose `json:"cluster"`
	Cache   loose `json:"cache"`
	Socket  loose `json:"socket"`
	Node    loose `json:"node"`
	CPU     loose `json:"cpu"`
	Thread  loose `json:"thread"`

	Aggregated loose `json:"aggregate-number"` // before 6.5
	Counters   loose `json:"counters"`         // since
}

// loose is the text of a JSON number or string; "" for null and absent.
type loose string

func (l *loose) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*l = loose(strings.TrimSpace(s))
		return nil
	}
	if b[0] == '{' || b[0] == '[' {
		return fmt.Errorf("%s where a number or a text was expected", short(string(b)))
	}
	if s := string(b); s != "null" {
		*l = loose(s)
	}
	return nil
}

func (l loose) or(absent float64) float64 {
	if v, ok := number(string(l)); ok {
		return v
	}
	return absent
}

var (
	// perf prints C's nan and inf bare in some versions, which JSON does not have.
	bareNaN = regexp.MustCompile(`(:\s*)[-+]?(?i:nan|inf)(\s*[,}])`)
	// A decimal comma makes `"pcnt-running" : 100,00`.
	decimalComma = regexp.MustCompile(`:\s*-?\d+,\d+\s*[,}]`)
)

func jsonLine(line string) (jsonRow, error) {
	var row jsonRow
	err := json.Unmarshal([]byte(bareNaN.ReplaceAllString(line, "${1}null${2}")), &row)
	switch {
	case err == nil:
		return row, nil
	case decimalComma.MatchString(line):
		return row, fmt.Errorf("numbers with a decimal comma are no JSON: run perf with LC_ALL=C: %s", short(line))
	default:
		return row, fmt.Errorf("no JSON object: %w: %s", err, short(line))
	}
}

func (r jsonRow) count() (Count, error) {
	if r.Event == "" {
		return Count{}, fmt.Errorf("a count of %s without an event", r.Value)
	}
	v, mark, ok := marked(string(r.Value))
	if !ok {
		return Count{}, fmt.Errorf("%s is counted as %s, which is no number", r.Event, short(string(r.Value)))
	}
	c := Count{
		Event: r.Event, Value: v, Mark: mark, Unit: r.Unit,
		RunNS: int64(r.RunNS.or(-1)), Running: r.Running.or(-1), Variance: r.Variance.or(0),
		Interval: r.Interval.or(0), Summary: r.Interval == "summary", Cgroup: r.Cgroup,
		CPUs: int(r.Aggregated.or(r.Counters.or(0))),
	}
	for _, w := range []loose{r.Core, r.Die, r.Cluster, r.Cache, r.Socket, r.Node, r.Thread} {
		if w != "" {
			c.Where = string(w)
			return c, nil
		}
	}
	if r.CPU != "" {
		c.Where = "CPU" + string(r.CPU)
	}
	return c, nil
}

// metricName is the name of a metric from its unit column: "%  tma_retiring".
func metricName(unit string) string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(unit), "%"))
}
