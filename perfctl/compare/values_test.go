package compare

import (
	"strings"
	"testing"

	"opcost/perfctl/result"
)

// oneRun gives the metrics of a single run.
func oneRun(t *testing.T, r result.Run) map[string]M {
	t.Helper()
	return rowOf(t, Build([]result.Run{r}, Options{}), r.Version).Metrics
}

func TestEachReadingByTheOperationsOfItsWindow(t *testing.T) {
	r := run("v", 0)
	// 30 and 50 us/query over 1,000 and 3,000 queries: (30,000+150,000)/4,000 = 45.
	// Instructions were counted in the first window alone: 7,000,000/1,000.
	r.Passes[0].Windows = []result.Window{
		window(1000, 2, cpu(30_000), perf("instructions", 7_000_000, result.UserKernel)),
		window(3000, 3, cpu(150_000)),
	}
	m := oneRun(t, r)
	near(t, "cpu", m["cpu_us_per_query"].Value, 45, 1e-12)
	near(t, "instructions", m["instructions_per_query"].Value, 7000, 1e-12)
	near(t, "qps", m["qps"].Value, 800, 1e-12)               // 4,000 in 5 s
	near(t, "cpus used", m["cpus_used"].Value, 0.036, 1e-12) // 180,000 us in 5 s
	if got := m["cpu_us_per_query"]; got.Unit != "us" || got.Per != "statement" || got.Source != result.SourceProc || got.Scope != result.UserKernel || got.State != result.OK || got.N != 1 {
		t.Errorf("cpu_us_per_query = %+v", got)
	}
}

func TestPerfCounts(t *testing.T) {
	user, kernel := perf("instructions_user", 6_000_000, result.User), perf("instructions_kernel", 2_000_000, result.Kernel)
	cyclesUser, cyclesKernel := perf("cycles_user", 3_000_000, result.User), perf("cycles_kernel", 2_000_000, result.Kernel)
	noKernel := result.Lacking("instructions_kernel", "count", result.SourcePerf, result.Kernel, result.Unsupported, "perf_event_paranoid is 2", "sysctl kernel.perf_event_paranoid=1")

	t.Run("user and kernel are added", func(t *testing.T) {
		m := oneRun(t, run("v", 0, user, kernel, cyclesUser, cyclesKernel, cpu(2000)))
		near(t, "instructions", m["instructions_per_query"].Value, 8000, 1e-12)
		near(t, "user", m["instructions_user_per_query"].Value, 6000, 1e-12)
		near(t, "kernel", m["instructions_kernel_per_query"].Value, 2000, 1e-12)
		near(t, "ipc", m["ipc"].Value, 1.6, 1e-12)
		near(t, "ghz", m["ghz"].Value, 2.5, 1e-12) // 5,000,000 cycles in 2,000 us
		if s := m["instructions_per_query"].Scope; s != result.UserKernel {
			t.Errorf("scope %q", s)
		}
	})
	t.Run("user alone says so", func(t *testing.T) {
		m := oneRun(t, run("v", 0, user, noKernel, cyclesUser, cpu(2000)))
		got := m["instructions_per_query"]
		near(t, "instructions", got.Value, 6000, 1e-12)
		near(t, "ipc", m["ipc"].Value, 2, 1e-12)
		if got.Scope != result.User || !strings.Contains(got.Reason, "perf_event_paranoid is 2") || got.Remedy == "" {
			t.Errorf("instructions_per_query = %+v", got)
		}
		if _, ok := m["ghz"]; ok {
			t.Error("a frequency from user cycles over all CPU time")
		}
	})
	t.Run("no ipc across scopes or windows", func(t *testing.T) {
		m := oneRun(t, run("v", 0, user, kernel, cyclesUser))
		if m["ipc"].Value != nil {
			t.Error("ipc of all instructions over user cycles")
		}
		r := run("v", 0)
		r.Passes[0].Windows = []result.Window{window(1000, 1, user), window(1000, 1, cyclesUser)}
		if m := oneRun(t, r); m["ipc"].Value != nil || m["ipc"].Reason == "" {
			t.Errorf("ipc of two windows: %+v", m["ipc"])
		}
	})
	t.Run("scaled", func(t *testing.T) {
		scaled := user
		scaled.State, scaled.RunningFraction, scaled.Reason = result.Scaled, 0.85, "multiplexed"
		m := oneRun(t, run("v", 0, scaled, kernel, cyclesUser, cyclesKernel))
		got := m["instructions_per_query"]
		if got.State != result.Scaled || got.RunningFraction == nil || *got.RunningFraction != 0.85 || m["ipc"].State != result.Scaled {
			t.Errorf("instructions_per_query = %+v, ipc = %+v", got, m["ipc"])
		}
	})
}

func TestCallgrindGivesInstructionsOnly(t *testing.T) {
	count := run("v", 0, cpu(40_000))
	valgrind := underCallgrind(run("v", 0), 500,
		callgrind("instructions_user", 22_000_000), callgrind("instructions_connection_user", 21_000_000), callgrind("instructions_background_user", 1_000_000),
		cpu(9_000_000), result.Got("rows_read", 1, "count", result.SourceServer, ""))
	r := Build([]result.Run{count, valgrind}, Options{})
	if len(r.Rows) != 1 {
		t.Fatalf("%d rows, want the passes merged into 1", len(r.Rows))
	}
	row := r.Rows[0]
	m := row.Metrics
	near(t, "instructions", m["instructions_per_query"].Value, 44_000, 1e-12)
	near(t, "connection", m["instructions_connection_per_query"].Value, 42_000, 1e-12)
	near(t, "background", m["instructions_background_per_query"].Value, 2_000, 1e-12)
	near(t, "cpu", m["cpu_us_per_query"].Value, 40, 1e-12)
	near(t, "qps", m["qps"].Value, 1000, 1e-12)
	if _, ok := m["rows_read_per_query"]; ok || row.Runs != 1 || m["instructions_per_query"].Source != result.SourceCallgrind {
		t.Errorf("rows_read from valgrind: %v, runs %d, source %s", ok, row.Runs, m["instructions_per_query"].Source)
	}
}

func TestTracedWindowGivesSyscallsOnly(t *testing.T) {
	r := run("v", 0, cpu(40_000))
	r.Passes[0].Windows = append(r.Passes[0].Windows, window(500, 1, cpu(30_000), perf("syscalls", 1500, "")))
	m := oneRun(t, r)
	near(t, "syscalls", m["syscalls_per_query"].Value, 3, 1e-12)
	near(t, "cpu", m["cpu_us_per_query"].Value, 40, 1e-12)
	near(t, "qps", m["qps"].Value, 1000, 1e-12)
}

// The units of Small Datum: 2 CPUs for 10 s; 4 s user, 0.8 s system and 0.2 s
// interrupts of 20 s is 25%; at 5,000 queries a second that is 0.005 percent per
// query/s.
func TestHostMetrics(t *testing.T) {
	host := func(name string, v float64) result.Reading {
		return result.Got(name, v, "us", result.SourceHost, "")
	}
	r := run("v", 0)
	r.Passes[0].Windows = []result.Window{window(50_000, 10,
		host("host_cpu_user_us", 4e6), host("host_cpu_system_us", 0.8e6), host("host_cpu_idle_us", 13e6), host("host_cpu_iowait_us", 1.5e6), host("host_cpu_steal_us", 0.5e6), host("host_cpu_irq_us", 0.2e6),
		host("host_context_switches", 200_000), host("host_reads", 0), host("host_read_kb", 25_000), host("host_write_kb", 100_000))}
	m := oneRun(t, r)
	for name, want := range map[string]float64{"cpu/o": 0.005, "cs/o": 4, "r/o": 0, "rKB/o": 0.5, "wKB/o": 2, "o/s": 5000} {
		near(t, name, m[name].Value, want, 1e-12)
	}
	if _, ok := m["host_reads_per_query"]; ok {
		t.Error("a host reading became a metric of the server")
	}
	r.Passes[0].Windows[0].Readings[2].State, r.Passes[0].Windows[0].Readings[2].Reason = result.Partial, "idle went backwards"
	if m := oneRun(t, r); m["cpu/o"].State != result.Partial || m["cpu/o"].Reason != "idle went backwards" {
		t.Errorf("cpu/o = %+v", m["cpu/o"])
	}
}

func TestLatencyAndTransactions(t *testing.T) {
	r := run("v", 0)
	a, b := window(1000, 1), window(3000, 1)
	a.Latency = &result.Latency{Count: 1000, MeanUS: 100, P50US: 90, P95US: 200, P99US: 300, MaxUS: 400}
	b.Latency = &result.Latency{Count: 3000, MeanUS: 200, P50US: 90, P95US: 200, P99US: 300, MaxUS: 800}
	a.Ops.Transactions, b.Ops.Transactions = 100, 300
	r.Passes[0].Windows = []result.Window{a, b}
	m := oneRun(t, r)
	near(t, "response", m["response_us"].Value, 175, 1e-12)
	near(t, "p99", m["response_us_p99"].Value, 300, 1e-12)
	near(t, "tps", m["tps"].Value, 200, 1e-12)

	trx := window(100, 1)
	trx.Ops.Per = "transaction"
	trx.OtherOps = []result.OpCount{{Source: result.SourceServer, Per: "statement", End: 1800}}
	r.Passes[0].Windows = []result.Window{trx}
	m = oneRun(t, r)
	near(t, "tps", m["tps"].Value, 100, 1e-12)
	near(t, "qps", m["qps"].Value, 1800, 1e-12)

	scan := window(1_000_000, 2)
	scan.Ops.Per = "row"
	r.Passes[0].Windows = []result.Window{scan}
	if m = oneRun(t, r); m["qps"].Unit != "row" || *m["qps"].Value != 500_000 {
		t.Errorf("qps of a scan = %+v", m["qps"])
	}
}

func TestLackingValuesSayWhy(t *testing.T) {
	cycles := result.Lacking("cycles", "count", result.SourcePerf, result.UserKernel, result.Unsupported, "no PMU", "another machine")
	t.Run("a reading's own reason", func(t *testing.T) {
		m := oneRun(t, run("v", 0, cycles))
		if c := m["cycles_per_query"]; c.Value != nil || c.State != result.Unsupported || c.Reason != "no PMU" || c.Remedy != "another machine" {
			t.Errorf("cycles_per_query = %+v", c)
		}
		if c := m["ipc"]; c.Value != nil || !strings.Contains(c.Reason, "no PMU") || c.Remedy != "another machine" {
			t.Errorf("ipc = %+v", c)
		}
	})
	t.Run("a failed collector", func(t *testing.T) {
		m := oneRun(t, run("v", 0, result.Lacking("collector_perfstat", "", result.SourcePerf, "", result.Failed, "perf was killed", "")))
		if c := m["instructions_per_query"]; c.State != result.Failed || c.Reason != "perf was killed" {
			t.Errorf("instructions_per_query = %+v", c)
		}
		for name := range m {
			if strings.HasPrefix(name, "collector_") {
				t.Errorf("%s became a metric", name)
			}
		}
		lost := result.Lacking("collector_perfstat", "", result.SourcePerf, "", result.Failed, "perf was killed", "")
		whole, cut, unsupported := run("v", 0, lost), run("v", 0, lost), run("v", 0, lost)
		cut.Passes[0].Windows[0].State = result.Partial
		unsupported.Passes[0].Windows[0].Readings[0].State = result.Unsupported
		for _, c := range []struct {
			run  result.Run
			want bool
		}{{whole, true}, {cut, false}, {unsupported, false}} {
			rep := Build([]result.Run{c.run}, Options{Consume: true})
			if got := hasWarning(rep, "collector", "a window lacks what perfstat counts: perf was killed (v, point-query, 1 client)"); got != c.want {
				t.Errorf("warned of a failed collector: %v, want %v: %+v", got, c.want, rep.Warnings)
			}
		}
	})
	t.Run("a failed pass", func(t *testing.T) {
		r := run("v", 0, cpu(1))
		r.Passes = append(r.Passes, result.Pass{Kind: result.PassCallgrind, State: result.Failed, Reason: "valgrind is missing"})
		rep := Build([]result.Run{r}, Options{})
		if c := rep.Rows[0].Metrics["instructions_per_query"]; c.Value != nil || c.Reason != "valgrind is missing" {
			t.Errorf("instructions_per_query = %+v", c)
		}
		if !hasWarning(rep, "pass", "") {
			t.Error("no warning of the failed pass")
		}
	})
	t.Run("no operations", func(t *testing.T) {
		r := run("v", 0)
		r.Passes[0].Windows = []result.Window{window(0, 1, cpu(100))}
		if c := oneRun(t, r)["cpu_us_per_query"]; c.Value != nil || c.State != result.Failed || c.Reason == "" {
			t.Errorf("cpu_us_per_query = %+v", c)
		}
	})
	t.Run("a failed window is not used", func(t *testing.T) {
		r := run("v", 0, cpu(100), result.Got("server_latency_us", 70, "us", result.SourceServer, ""))
		r.Passes[0].Windows[0].State, r.Passes[0].Windows[0].Reason = result.Failed, "the server died"
		for _, name := range []string{"cpu_us_per_query", "server_latency_us"} { // under the name of a window that did not fail
			if c := oneRun(t, r)[name]; c.Value != nil || !strings.Contains(c.Reason, "the server died") {
				t.Errorf("%s = %+v", name, c)
			}
		}
	})
	t.Run("some starts lack it", func(t *testing.T) {
		lost := result.Lacking("cpu_us", "us", result.SourceProc, result.UserKernel, result.Failed, "gone", "")
		c := rowOf(t, Build([]result.Run{run("v", 0, cpu(30_000)), run("v", 1, lost), run("v", 2, cpu(50_000))}, Options{}), "v").Metrics["cpu_us_per_query"]
		if c.N != 2 || c.State != result.OK || *c.Value != 40 {
			t.Errorf("cpu_us_per_query = %+v", c)
		}
	})
	t.Run("partial in one start", func(t *testing.T) {
		p := cpu(50_000)
		p.State, p.Reason = result.Partial, "a thread ended"
		c := rowOf(t, Build([]result.Run{run("v", 0, cpu(30_000)), run("v", 1, p)}, Options{}), "v").Metrics["cpu_us_per_query"]
		if c.N != 2 || c.State != result.Partial || c.Reason != "a thread ended" {
			t.Errorf("cpu_us_per_query = %+v", c)
		}
	})
}

func TestRunsOfOneStartAreOneValue(t *testing.T) {
	a, b := run("v", 0, cpu(30_000)), run("v", 0, cpu(50_000))
	b.ID = "again"
	row := rowOf(t, Build([]result.Run{a, b}, Options{}), "v")
	if m := row.Metrics["cpu_us_per_query"]; row.Runs != 1 || m.N != 1 || *m.Value != 40 {
		t.Errorf("runs %d, cpu %+v", row.Runs, m)
	}
	b.Server.PID = 99 // another process under the same name, from another folder
	if row := rowOf(t, Build([]result.Run{a, b}, Options{}), "v"); row.Runs != 2 {
		t.Errorf("runs %d, want 2", row.Runs)
	}
}
