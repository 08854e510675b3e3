package report

import "strings"

// line is a metric's place in the tables, in their order.
type line struct {
	metric string
	label  string // {query} becomes what the cost is per
	part   string // the metric it is a part of: shown indented below it
}

// lines are the rows of a block. Other metrics are in csv, tsv and json.
var lines = []line{
	{"qps", "qps", ""},
	{"tps", "tps", ""},
	{"response_us", "response time, µs", ""},
	{"response_us_p95", "p95", "response_us"},
	{"response_us_p99", "p99", "response_us"},
	{"server_latency_us", "server latency, µs", ""},
	{"cpu_us_per_query", "CPU/{query}, µs", ""},
	{"cpu_user_us_per_query", "user", "cpu_us_per_query"},
	{"cpu_system_us_per_query", "system", "cpu_us_per_query"},
	{"cpu_connection_us_per_query", "connection", "cpu_us_per_query"},
	{"cpu_background_us_per_query", "background", "cpu_us_per_query"},
	{"instructions_per_query", "instructions/{query}", ""},
	{"instructions_user_per_query", "user", "instructions_per_query"},
	{"instructions_kernel_per_query", "kernel", "instructions_per_query"},
	{"instructions_connection_per_query", "connection", "instructions_per_query"},
	{"instructions_background_per_query", "background", "instructions_per_query"},
	{"cycles_per_query", "cycles/{query}", ""},
	{"ipc", "IPC", ""},
	{"ghz", "GHz", ""},
	{"context_switches_per_query", "context switches/{query}", ""},
	{"context_switches_voluntary_per_query", "voluntary", "context_switches_per_query"},
	{"context_switches_involuntary_per_query", "involuntary", "context_switches_per_query"},
	{"run_queue_us_per_query", "run queue/{query}, µs", ""},
	{"syscalls_per_query", "syscalls/{query}", ""},
	{"page_faults_per_query", "page faults/{query}", ""},
	{"read_kb_per_query", "read/{query}, kB", ""},
	{"write_kb_per_query", "written/{query}, kB", ""},
	{"rows_read_per_query", "rows read/{query}", ""},
	{"rows_changed_per_query", "rows changed/{query}", ""},
	{"client_cpu_us_per_query", "client CPU/{query}, µs", ""},
}

// text is the label for costs per statement, transaction or row.
func (l line) text(per string) string {
	what := "query"
	switch per {
	case "row":
		what = "row"
	case "transaction":
		what = "trx"
	}
	return strings.ReplaceAll(l.label, "{query}", what)
}

// labelOf names a metric in a sentence.
func labelOf(metric string) string {
	for _, l := range lines {
		if l.metric == metric && l.part == "" {
			label, _, _ := strings.Cut(l.text(""), ",") // without the unit
			return label
		}
	}
	return metric
}
