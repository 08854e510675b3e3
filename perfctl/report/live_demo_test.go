package report

import (
	"fmt"
	"time"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// liveRun is a window of 10 s and 20,000 statements of a server that is not
// ours: 12,000 point queries of 100 µs and 8,000 updates of 400 µs, so 220 µs a
// statement. Counters may be off by 1%, operations by 0.5%.
func liveRun(version string, start time.Time) result.Run {
	got := func(name string, v float64, unit string, src result.Source, scope result.Scope) result.Reading {
		r := result.Got(name, v, unit, src, scope)
		r.Uncertainty = v / 100
		return r
	}
	status := func(name string, v float64) result.Reading { return got(name, v, "count", result.SourceServer, "") }
	cpu := func(us float64) *float64 { return &us }
	w := result.Window{
		ID: "w0", Start: start, DurationNS: 10e9, State: result.OK,
		Ops: result.OpCount{Source: result.SourceServer, Per: "statement", Begin: 1_000_000, End: 1_020_000, Uncertainty: 100},
		Readings: []result.Reading{
			got("cpu_us", 3_000_000, "us", result.SourceProc, result.UserKernel),
			got("cpu_user_us", 2_400_000, "us", result.SourceProc, result.User),
			got("cpu_system_us", 600_000, "us", result.SourceProc, result.Kernel),
			got("context_switches", 50_000, "count", result.SourceProc, ""),
			got("run_queue_us", 100_000, "us", result.SourceProc, ""),
			got("server_latency_us", 4_400_000, "us", result.SourceServer, ""),
			result.Lacking("cycles", "count", result.SourcePerf, result.UserKernel, result.Unsupported,
				"this machine shows no hardware counters to its guest", "on the hypervisor, give the guest a virtual PMU"),
			status("questions", 20_000), status("com_select", 12_000), status("com_update", 7_990), status("com_stmt_execute", 20_000),
			status("com_delete", 0), status("rows_read", 40_000), status("rows_changed", 8_000),
			status("created_tmp_tables", 200), status("created_tmp_disk_tables", 0),
			status("innodb_buffer_pool_read_requests", 200_000), status("innodb_buffer_pool_reads", 20), status("innodb_data_reads", 25),
			status("innodb_log_writes", 8_000), status("innodb_data_fsyncs", 8_100),
		},
		Digests: []result.Digest{
			{Schema: "shop", Digest: "d1" + version, Text: "SELECT `c` FROM `orders` WHERE `id` = ?", Count: 12_000, LatencyUS: 1_200_000, CPUUS: cpu(600_000),
				RowsSent: 12_000, RowsExamined: 12_000, State: result.OK},
			{Schema: "shop", Digest: "d2" + version, Text: "UPDATE `orders` SET `k` = `k` + ? WHERE `id` = ?", Count: 8_000, LatencyUS: 3_200_000, CPUUS: cpu(1_200_000),
				RowsExamined: 8_000, RowsAffected: 8_000, State: result.OK},
		},
		Threads: []result.Thread{
			{TID: 101, Name: "connection", Connection: 7, User: "app", DB: "shop", Command: "Query", Statement: "UPDATE orders SET k = k + ? WHERE id = ?",
				CPUUS: 2_000_000, RunQueueUS: 80_000, Voluntary: 30_000, Involuntary: 500, State: result.OK, Reason: "no hardware counters"},
			{TID: 102, Name: "connection", Connection: 8, User: "app", DB: "shop", Command: "Sleep",
				CPUUS: 900_000, RunQueueUS: 20_000, Voluntary: 19_000, Involuntary: 400, State: result.OK, Reason: "no hardware counters"},
			{TID: 103, Name: "page_cleaner", CPUUS: 90_000, Voluntary: 90, Involuntary: 10, State: result.OK, Reason: "no hardware counters"},
			{TID: 104, Name: "connection", Own: true, Connection: 9, User: "dba", CPUUS: 10_000, State: result.OK, Reason: "no hardware counters"},
		},
	}
	return result.Run{
		Schema: 1, ID: "live", Host: "db1", Started: start, Version: version, Workload: "live", Driver: compare.Attached, Protocol: "", Transport: "socket",
		Machine: result.Machine{CPUs: 4, Kernel: "6.1"},
		Server:  result.Server{Flavor: "mariadb", Number: version, PID: 4711, Variables: map[string]string{"sync_binlog": "0"}},
		Passes:  []result.Pass{{Kind: result.PassCount, State: result.OK, Windows: []result.Window{w}}},
	}
}

// liveDemo is one such window.
func liveDemo() Live {
	run := liveRun("10.11.19", time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	return Live{Report: compare.Build([]result.Run{run}, compare.Options{}), Tables: compare.Live(run)}
}

// againstDemo is a window after an upgrade beside one before it. The mix went
// from 60:40 to 50:50, a point query from 100 to 120 µs, an update stayed at
// 400 µs: 220 µs to 260 µs a statement. By hand: mix -0.1*110 + 0.1*400 = 29,
// cost 20*0.55 = 11.
func againstDemo() Live {
	base := liveRun("10.6.18", time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC))
	now := liveRun("10.11.19", time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	now.Server.Variables["sync_binlog"] = "1"
	ds := now.Passes[0].Windows[0].Digests
	ds[0].Text, ds[0].Count, ds[0].LatencyUS = "SELECT c FROM orders WHERE id = ? ", 10_000, 1_200_000
	ds[1].Count, ds[1].LatencyUS = 10_000, 4_000_000
	r, m := compare.Against(base, now)
	return Live{Report: r, Tables: compare.Live(now), Mix: &m}
}

// hostileDemo has texts that a terminal, Markdown or a spreadsheet must not be
// led astray by, and more rows than are shown.
func hostileDemo() Live {
	run := liveRun("10.11.19", time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	w := &run.Passes[0].Windows[0]
	texts := []string{
		"\x1b[31mSELECT\x1b]0;title\x07 `c` FROM `t` | <script> \r\n\t*x* [a](b) WHERE \xff\xfe = ?",
		"SELECT `名前` , `住所` FROM `顧客` WHERE `番号` = ? AND `都道府県` = ? AND `郵便番号` = ? ORDER BY `名前` , `住所` , `顧客` , `番号`",
		"=HYPERLINK(\"x\")", "",
	}
	for i := range 30 {
		w.Digests = append(w.Digests, result.Digest{Schema: "데이터베이스", Text: fmt.Sprint(texts[i%len(texts)], i), Count: 10, LatencyUS: float64(5_000_000 - i), State: result.OK})
		w.Threads = append(w.Threads, result.Thread{TID: 200 + i, Connection: uint64(100 + i), User: "ユーザー\x1b[2J", DB: "데이터베이스", Statement: texts[i%len(texts)],
			CPUUS: 3_000_000, State: result.OK})
	}
	return Live{Report: compare.Build([]result.Run{run}, compare.Options{}), Tables: compare.Live(run)}
}
