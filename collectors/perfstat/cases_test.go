package perfstat

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"opcost/testbed/casefiles"
)

// check looks at what was parsed from one real output. What must be there is
// computed by hand from the file and stands in the cases' index.
type check func(Counts) error

func all(cs ...check) check {
	return func(c Counts) error {
		for _, f := range cs {
			if err := f(c); err != nil {
				return err
			}
		}
		return nil
	}
}

// count: the event has exactly these values, in rows of their own.
func count(event string, want ...float64) check {
	return func(c Counts) error {
		var got []float64
		for _, r := range c.Find(event) {
			if r.Mark != Counted {
				return fmt.Errorf("%s is %s", event, r.Mark)
			}
			got = append(got, r.Value)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("%s: %v, want %v", event, got, want)
		}
		return nil
	}
}

// without: the event's rows have no value, and this is why.
func without(event string, m Mark) check {
	return func(c Counts) error {
		rows := c.Find(event)
		if len(rows) == 0 {
			return fmt.Errorf("no row for %s", event)
		}
		for _, r := range rows {
			if r.Mark != m {
				return fmt.Errorf("%s is %s (%v), want %s", event, r.Mark, r.Value, m)
			}
		}
		return nil
	}
}

func rows(n int) check {
	return func(c Counts) error {
		if len(c.Rows) != n {
			return fmt.Errorf("%d rows, want %d: %+v", len(c.Rows), n, c.Rows)
		}
		return nil
	}
}

func metrics(n int) check {
	return func(c Counts) error {
		if len(c.Metrics) != n {
			return fmt.Errorf("%d metrics, want %d: %+v", len(c.Metrics), n, c.Metrics)
		}
		return nil
	}
}

// ratio: a quotient that the index states, to as many digits as it states.
func ratio(a, b string, want, within float64) check {
	return func(c Counts) error {
		got := c.Find(a)[0].Value / c.Find(b)[0].Value
		if math.Abs(got-want) > within {
			return fmt.Errorf("%s/%s = %v, want %v", a, b, got, want)
		}
		return nil
	}
}

// each: all rows of the event ("" = all rows) have this property.
func each(event, what string, f func(Count) bool) check {
	return func(c Counts) error {
		n := 0
		for _, r := range c.Rows {
			if event == "" || r.Event == event {
				n++
				if !f(r) {
					return fmt.Errorf("%s: not so in %+v", what, r)
				}
			}
		}
		if n == 0 {
			return fmt.Errorf("no row for %s", event)
		}
		return nil
	}
}

func running(event string, want float64) check {
	return each(event, fmt.Sprintf("%v%% running", want), func(r Count) bool { return r.Running == want })
}

var caseChecks = map[string]check{
	"json/spr-metricgroup.json": all(rows(8), metrics(12), count("instructions", 38620409), count("cycles", 48433482),
		ratio("instructions", "cycles", 0.797391, 1e-6), func(c Counts) error {
			sum, n := 0.0, 0
			for _, m := range c.Metrics {
				if m.Group == "TopdownL1" {
					sum += m.Value
					n++
				}
			}
			if n != 4 || math.Abs(sum-100.000001) > 1e-6 {
				return fmt.Errorf("%d L1 metrics add up to %v", n, sum)
			}
			return nil
		}),
	"json/hybrid-metricgroup.json": all(rows(12),
		count("cpu_core/instructions/", 15489913), count("cpu_atom/instructions/", 38790161),
		count("cpu_core/cycles/", 18685492), count("cpu_atom/cycles/", 255620352),
		ratio("cpu_core/instructions/", "cpu_core/cycles/", 0.82898, 1e-5), ratio("cpu_atom/instructions/", "cpu_atom/cycles/", 0.15175, 1e-5),
		ratio("cpu_atom/branch-misses/", "cpu_atom/branches/", 0.14924, 1e-5),
		running("cpu_atom/cycles/", 54), running("cpu_atom/instructions/", 63), running("cpu_core/cycles/", 100),
		func(c Counts) error {
			if m := c.Metrics[0]; m.Name != "tma_backend_bound" || !math.IsNaN(m.Value) {
				return fmt.Errorf("nan became %+v", m)
			}
			return nil
		}),
	"json/interval-not-counted.json": all(rows(10), count("instructions:u", 150684), count("cycles:u", 143761), without("branch-misses:u", NotCounted),
		each("", "interval", func(r Count) bool { return r.Interval == 0.000506453 })),
	"json/per-core-aggregate.json": all(rows(4), count("instructions", 233533), running("branch-misses", 54), ratio("branch-misses", "branches", 0.030131, 1e-6),
		each("", "core S0-D0-C15 of 2 CPUs", func(r Count) bool { return r.Where == "S0-D0-C15" && r.CPUs == 2 })),
	"json/perf6.8-container.json": all(rows(4), without("cycles:u", NotCounted), count("msr/tsc/", 1810008), count("ex_ret_brn_misp:u", 73900351),
		each("ex_ret_brn_misp:u", "variance", func(r Count) bool { return r.Variance == 0.23 })),

	"csv/spr-metricgroup.csv": all(rows(8), count("cpu-clock", 225851.20), count("cycles", 52288305), count("instructions", 37977214),
		ratio("instructions", "cycles", 0.72631, 1e-5), metrics(12),
		each("", "sane", func(r Count) bool { return r.Event != "100.00" && r.Value != 225849327050 })),
	"csv/hybrid-not-counted-user.csv": all(rows(12), count("cpu_atom/cycles/u", 775564), running("cpu_atom/cycles/u", 42), count("cpu_atom/instructions/u", 508381),
		without("cpu_core/cycles/u", NotCounted), without("cpu_core/instructions/u", NotCounted), without("cpu_core/branch-misses/u", NotCounted),
		ratio("cpu_atom/instructions/u", "cpu_atom/cycles/u", 0.6555, 1e-4),
		each("task-clock:u", "run time", func(r Count) bool { return r.RunNS == 648266 && r.Unit == "msec" && r.Value == 0.65 })),
	"csv/per-socket-fixed.csv": all(rows(8), metrics(1), count("instructions", 88766), ratio("instructions", "cycles", 0.34866, 1e-5),
		each("", "socket S0", func(r Count) bool { return r.Where == "S0" && r.CPUs == 1 })),
	"csv/user-multiplexed-85.csv": all(rows(11), count("instructions:u", 319218186844), ratio("instructions:u", "cycles:u", 2.62478, 1e-5), running("instructions:u", 85),
		ratio("branch-misses:u", "branches:u", 0.030503, 1e-6), each("task-clock:u", "run time", func(r Count) bool { return r.RunNS == 28794624220 })),
	"csv/stat-csv-perf7-notes.csv": all(rows(7), count("duration_time", 1810466010), ratio("instructions:u", "cycles:u", 1.94807, 1e-5),
		each("duration_time", "unit", func(r Count) bool { return r.Unit == "ns" }),
		without("branch-misses:u", NotSupported), without("L1-dcache-load-misses:u", NotCounted)),
	"csv/metric-per-op-repeat.csv": all(rows(4), ratio("ex_ret_brn_misp:u", "ex_ret_brn:u", 0.0179345, 1e-7), running("ls_l1_d_tlb_miss.all:u", 50),
		each("ex_ret_brn_misp:u", "variance", func(r Count) bool { return r.Variance == 0.23 && r.RunNS == 1509882571 })),
	"csv/interval-report-leading-spaces.csv": all(rows(8), ratio("instructions", "cycles", 1.48341, 1e-5), count("context-switches", 11243),
		each("", "interval", func(r Count) bool { return r.Interval == 1.000838672 })),
	"csv/interval-summary-rows.csv": all(rows(1), metrics(1), count("instructions:u", 263831), each("", "summary", func(r Count) bool { return r.Summary && r.Interval == 0 })),
	"csv/virtualbox-4.4-no-unit.csv": all(rows(10), count("task-clock", 0.327422), each("task-clock", "run time", func(r Count) bool { return r.RunNS == 327422 }),
		without("cycles", NotSupported), without("instructions", NotSupported), without("branches", NotSupported), without("branch-misses", NotSupported),
		without("stalled-cycles-frontend", NotSupported), without("stalled-cycles-backend", NotSupported), count("cpu-migrations", 0)),
	"csv/french-locale-percpu-interval.csv": all(rows(8), running("OFFCORE_REQUESTS_OUTSTANDING.DEMAND_RFO", 100), func(c Counts) error {
		sum := 0.0
		for _, r := range c.Rows {
			sum += r.Value
		}
		if sum != 1237253506 || c.Rows[7].Where != "CPU7" {
			return fmt.Errorf("sum over CPUs %v, last %+v", sum, c.Rows[7])
		}
		return nil
	}),
	"csv/quote-separator-percpu.csv": all(rows(17), count("context-switches", 5, 5, 3, 3, 3, 5), each("", "interval", func(r Count) bool { return r.Interval == 0.250336972 }),
		each("cpu-clock", "CPU29", func(r Count) bool { return (r.Where == "CPU29") == (r.Value == 254.46) })),
	"csv/mesos-cgroup.csv": all(rows(5), metrics(1), count("cycles", 5812843447), count("task-clock", 60011.034108), count("instructions", 11651954), running("instructions", 10.63),
		without("stalled-cycles-backend", NotSupported), running("stalled-cycles-frontend", 14.94),
		each("cycles", "cgroup3", func(r Count) bool { return r.Cgroup == "cgroup3" }), each("instructions", "cgroup1", func(r Count) bool { return r.Cgroup == "cgroup1" })),
	"csv/mesos-cgroup-old-2.6.csv": all(rows(5), func(c Counts) error {
		got := ""
		for _, r := range c.Rows {
			got += fmt.Sprintf("%s %s %v %s %v\n", r.Cgroup, r.Event, r.Value, r.Mark, r.RunNS)
		}
		if want := "cgroup1 cycles 123 counted -1\ncgroup2 cycles 456 counted -1\ncgroup2 task-clock 0.456 counted -1\ncgroup1 task-clock 0.123 counted -1\ncgroup4 cycles 0 <not counted> -1\n"; got != want {
			return fmt.Errorf("got\n%swant\n%s", got, want)
		}
		return nil
	}),
}

// caseErrors are outputs that hold no counts: the error must say so.
var caseErrors = map[string]string{
	"csv/metric-only-header-bug.csv":   "--metric-only",
	"csv/metric-only-header-fixed.csv": "--metric-only",
}

func TestCases(t *testing.T) {
	passed, n := 0, 0
	for _, c := range casefiles.Index(t, "01-perf-stat") {
		kind, _, _ := strings.Cut(c.File, "/")
		if kind != "csv" && kind != "json" {
			continue
		}
		n++
		ok := t.Run(c.File, func(t *testing.T) {
			parse := ParseJSON
			if kind == "csv" {
				parse = parseAnyCSV
			}
			counts, warn, err := parse(strings.NewReader(c.Read(t)))
			if want := caseErrors[c.File]; want != "" {
				casefiles.Used(t, casefiles.Refused, c.Path)
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Fatalf("error %v, want one about %s", err, want)
				}
				return
			}
			if err != nil || len(warn) > 0 {
				t.Fatalf("err %v, warnings %v", err, warn)
			}
			f := caseChecks[c.File]
			if f == nil {
				t.Fatalf("no check for this case, which expects: %s", c.Expected)
			}
			casefiles.Used(t, casefiles.Compared, c.Path)
			if err := f(counts); err != nil {
				t.Errorf("%v\nthe case expects: %s", err, c.Expected)
			}
		})
		if ok {
			passed++
		}
	}
	t.Logf("%d of %d outputs in CSV and JSON are read right", passed, n)
}
