package compare

import "strings"

// Sense says what more of a metric means.
type Sense int

const (
	Neither Sense = iota // neither better nor worse: no verdict
	Cost                 // more is slower
	Gain                 // more is faster
)

// Metric is what is known of a metric beforehand.
type Metric struct {
	Name  string
	Sense Sense
	// Threshold is the share of change that matters. For the metrics that carry
	// verdicts it follows from the noise between server starts; see
	// TestSimulation, which shows what each gives.
	Threshold float64
	// Main metrics are never silently absent: a row that lacks one says why.
	Main bool
}

// instructionsThreshold is the largest round number at which a true change of
// +2% is found in 95% of cases with 4 starts a side and 0.5% noise between
// starts: a 95% interval is then ±0.7%, and its middle scatters by 0.35%. At it,
// A/A pairs with the noise of instruction counts (0.05 to 0.3%) are called the
// same in more than 80% of cases; with 0.5% they are mostly unsure, which 4
// starts cannot mend: finding +2% and settling 0% both takes 7 or more. See
// TestSimulation.
const instructionsThreshold = 0.006

// Metrics are the metrics with a meaning of their own. Others (a reading x is
// the metric x_per_query) are given with their ratios and without a verdict.
var Metrics = []Metric{
	{"qps", Gain, 0.02, true},
	{"tps", Gain, 0.02, false},
	{"response_us", Cost, 0.02, false},
	{"response_us_p50", Cost, 0.05, false},
	{"response_us_p95", Cost, 0.05, false},
	{"response_us_p99", Cost, 0.05, false},
	{"response_us_max", Neither, 0.05, false}, // one statement makes it
	{"server_latency_us", Cost, 0.02, false},
	{"instructions_per_query", Cost, instructionsThreshold, true},
	{"instructions_user_per_query", Cost, instructionsThreshold, false},
	{"instructions_kernel_per_query", Cost, 0.02, false},
	{"instructions_connection_per_query", Cost, instructionsThreshold, false},
	{"instructions_background_per_query", Cost, 0.05, false},
	{"cycles_per_query", Cost, 0.02, true},
	{"branches_per_query", Cost, instructionsThreshold, false},
	{"branch_misses_per_query", Cost, 0.05, false},
	{"ipc", Neither, 0.02, true},
	{"ghz", Neither, 0.02, false},
	{"cpu_us_per_query", Cost, 0.02, true},
	{"cpu_user_us_per_query", Cost, 0.02, false},
	{"cpu_system_us_per_query", Cost, 0.02, false},
	{"cpu_connection_us_per_query", Cost, 0.02, false},
	{"cpu_background_us_per_query", Cost, 0.05, false},
	{"cpus_used", Neither, 0.02, false},
	{"context_switches_per_query", Cost, 0.05, true},
	{"context_switches_voluntary_per_query", Cost, 0.05, false},
	{"context_switches_involuntary_per_query", Cost, 0.05, false},
	{"run_queue_us_per_query", Cost, 0.05, false},
	{"syscalls_per_query", Cost, 0.02, false},
	{"page_faults_per_query", Cost, 0.05, false},
	{"read_kb_per_query", Cost, 0.05, false},
	{"write_kb_per_query", Cost, 0.05, false},
	{"rows_read_per_query", Cost, 0.02, false},
	{"rows_changed_per_query", Neither, 0.02, false},
	{"client_cpu_us_per_query", Neither, 0.05, false}, // not the server's cost
	{"cpu/o", Cost, 0.05, false},
	{"cs/o", Cost, 0.05, false},
	{"r/o", Cost, 0.05, false},
	{"rKB/o", Cost, 0.05, false},
	{"wKB/o", Cost, 0.05, false},
	{"o/s", Gain, 0.02, false},
	{"qps_relative", Gain, 0.02, false}, // imported: ratios that were published without what they are of
}

// metricTable finds metrics by name.
type metricTable map[string]Metric

func newMetricTable() metricTable {
	t := make(metricTable, len(Metrics))
	for _, m := range Metrics {
		t[m.Name] = m
	}
	return t
}

func (t metricTable) of(name string) Metric {
	if m, ok := t[name]; ok {
		return m
	}
	return Metric{Name: name, Sense: Neither, Threshold: 0.05}
}

// readingOf gives the reading behind a metric's name, for reasons.
func readingOf(metric string) string { return strings.TrimSuffix(metric, "_per_query") }
