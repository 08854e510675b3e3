package report

import (
	"slices"
	"strings"

	"opcost/perfctl/compare"
)

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

// liveLines are further rows of a block that shows windows of a live server.
// Versions have not all of these counters: MariaDB 10.8 and later have no
// innodb_os_log_fsyncs, and count those of the log among innodb_data_fsyncs as
// all servers do. A row whose counter did not move may be left out.
var liveLines = []line{
	{"created_tmp_tables_per_query", "temporary tables/{query}", ""},
	{"created_tmp_disk_tables_per_query", "on disk", "created_tmp_tables_per_query"},
	{"innodb_buffer_pool_read_requests_per_query", "buffer pool requests/{query}", ""},
	{"innodb_buffer_pool_reads_per_query", "not in the pool", "innodb_buffer_pool_read_requests_per_query"},
	{"innodb_data_reads_per_query", "InnoDB file reads/{query}", ""},
	{"innodb_data_writes_per_query", "InnoDB file writes/{query}", ""},
	{"innodb_log_write_requests_per_query", "redo log requests/{query}", ""},
	{"innodb_log_writes_per_query", "redo log writes/{query}", ""},
	{"innodb_os_log_fsyncs_per_query", "redo log fsyncs/{query}", ""},
	{"innodb_data_fsyncs_per_query", "InnoDB fsyncs/{query}", ""},
}

// TableMetrics are the metrics that tables and Markdown show.
func TableMetrics() (names []string) {
	for _, l := range linesFor(compare.Attached) {
		names = append(names, l.metric)
	}
	return names
}

// linesFor are the rows of a block of one driver.
func linesFor(driver string) []line {
	if driver == compare.Attached {
		return slices.Concat(lines, liveLines)
	}
	return lines
}

// text is the label for costs per statement, transaction, row and so on.
func (l line) text(per string) string {
	what := per
	switch per {
	case "", "statement":
		what = "query"
	case "transaction":
		what = "trx"
	case "second":
		what = "s"
	}
	if l.metric == "server_latency_us" && what != "query" {
		return "server latency/" + plain(what) + ", µs" // no mean of one statement then
	}
	return strings.ReplaceAll(l.label, "{query}", plain(what))
}

// labelOf names a metric in a sentence.
func labelOf(metric string) string { return labelPer(metric, "") }

// labelPer is labelOf for costs per transaction, second and so on.
func labelPer(metric, per string) string {
	for _, l := range linesFor(compare.Attached) {
		if l.metric == metric && l.part == "" {
			label, _, _ := strings.Cut(l.text(per), ",") // without the unit
			return label
		}
	}
	return metric
}
