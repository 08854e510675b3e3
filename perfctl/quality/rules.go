package quality

import (
	"math"

	"opcost/perfctl/result"
)

// Rule is one check.
type Rule struct {
	Name    string
	Limit   float64 // the value may be as large
	Meaning string  // what the value is, for the documentation
	// Text tells the user what it means that the limit was passed, and what to
	// do. It is a format for one value: Shown.
	Text string
	// Times: the check is about times, which mean nothing under valgrind.
	Times bool
	value func(facts) (v float64, known bool)
	// percent: the value is a share and is shown as percent.
	percent bool
}

// Rules are all checks, in the order in which they are stored.
var Rules = []Rule{
	{Name: "errors", Limit: 0, value: failed,
		Meaning: "statements that failed and were tried again",
		Text:    "%.0f statements failed and were tried again: what they cost is in the server's counters, but they are not among the operations"},
	{Name: "misses", Limit: 0.01, value: missed, percent: true,
		Meaning: "writes that found no row to change, as a share of all operations",
		Text:    "%.0f%% of the operations were writes that found no row: they cost less, and the faster a version the more of them it does; give more rows, or a shorter window"},
	{Name: "ops_differ", Limit: 0, value: opsDiffer,
		Meaning: "difference between the client's and the server's count of statements, beyond the window's uncertainty",
		Text:    "the client's and the server's counts of statements differ by %.0f: something else used the server, or one of them lost count"},
	{Name: "pool_reads_per_1000_queries", Limit: 1, value: perThousand("innodb_buffer_pool_reads"),
		Meaning: "pages read from disk into the buffer pool, in 1,000 operations",
		Text:    "%.1f buffer-pool reads from disk in 1,000 queries: this is not in memory; give innodb-buffer-pool-size more than the data, or a longer warmup"},
	{Name: "unsteady", Limit: 0.15, value: unsteady, percent: true, Times: true,
		Meaning: "largest difference of a third of the window from the mean of the three, in operations",
		Text:    "throughput in the thirds of the window differed by %.0f%% from their mean: a longer warmup, or a quieter machine"},
	{Name: "history_growth", Limit: 0.1, value: growthPerQuery("innodb_history_list_length"),
		Meaning: "growth of the InnoDB history list, per operation",
		Text:    "%.2f transactions a query were left to purge: part of the work is deferred, and later queries pay for it"},
	{Name: "dirty_growth", Limit: 0.05, value: dirtyGrowth, percent: true,
		Meaning: "growth of dirty pages, as a share of the buffer pool",
		Text:    "dirty pages grew by %.1f%% of the buffer pool: writing them is deferred, and later queries pay for it"},
	{Name: "checkpoint_age_growth", Limit: 0.1, value: ageGrowth, percent: true,
		Meaning: "growth of the InnoDB checkpoint age, as a share of its maximum",
		Text:    "the checkpoint age grew by %.0f%% of its maximum: flushing is deferred, and later queries pay for it"},
	{Name: "stalled", Limit: 0.2, value: stalled, percent: true, Times: true,
		Meaning: "the longest response time as a share of the window, where it has 300 statements and more",
		Text:    "one statement took %.0f%% of the window: the server, the client or the machine stood still; QPS and response times say so"},
	{Name: "stopped", Limit: 0.01, value: stopped, percent: true, Times: true,
		Meaning: "time for which opcost stood still, as a share of the window",
		Text:    "opcost stood still for %.0f%% of the window (stopped by a signal, or its machine was): QPS may be low by as much, costs per query are whole"},
	{Name: "steal", Limit: 0.02, value: steal, percent: true, Times: true,
		Meaning: "CPU time that the hypervisor gave to others, as a share of all",
		Text:    "%.1f%% of the machine's CPU time was taken by its hypervisor: times and QPS are off by about as much"},
	{Name: result.CheckOthers, Limit: 0.1, value: others, percent: true, Times: true,
		Meaning: "CPU time that neither the server nor the client used, as a share of all",
		Text:    "other programs used %.0f%% of the machine's CPU time, and cache with it: QPS, response times and CPU/query are not the version's alone; end them (top -b -n 1 | head -20)"},
	{Name: "run_queue", Limit: 0.10, value: ratio("run_queue_us", "cpu_us"), percent: true, Times: true,
		Meaning: "time the server's threads waited for a CPU, as a share of the time they ran",
		Text:    "the server's threads waited for a CPU for %.0f%% of the time they ran: the machine was busy, and response times say so"},
	{Name: "throttled", Limit: 0.01, value: throttled, percent: true, Times: true,
		Meaning: "time the server's control group was throttled, as a share of the window",
		Text:    "the server's control group was throttled for %.1f%% of the window: raise its CPU quota (cpu.max)"},
	{Name: "frequency_change", Limit: 0.10, value: frequency, percent: true, Times: true,
		Meaning: "difference of the CPUs' mean clock rate between the window's edges",
		Text:    "the CPUs' clock rate changed by %.0f%% in the window: times are not comparable; fix the governor (cpupower frequency-set -g performance) and turn boost off"},
	{Name: "threads_ended", Limit: 0, value: reading("threads_ended"), Times: true,
		Meaning: "threads of the server that ended in the window",
		Text:    "%.0f of the server's threads ended in the window and took their context switches and waits along; CPU time is complete"},
	{Name: "multiplexed", Limit: 0.01, value: multiplexed, percent: true,
		Meaning: "largest share of the window in which a hardware event was not on the PMU",
		Text:    "a hardware event was not counted for %.0f%% of the window and is scaled up: the event set does not fit the PMU"},
	{Name: "task_clock_differs", Limit: 0.015, value: taskClock, percent: true, Times: true,
		Meaning: "difference of perf's task-clock from the process clock, beyond steal",
		Text:    "perf's task-clock differs from the process clock by %.1f%% beyond steal (it leaves out part of each context switch); CPU/query is the process clock's"},
	{Name: "schedstat_differs", Limit: 0.005, value: schedstat, percent: true, Times: true,
		Meaning: "difference of the threads' summed CPU time from the process clock, while no thread ends",
		Text:    "the threads' CPU times add up to %.2f%% off the process clock"},
	{Name: "client_bound", Limit: 0.95, value: clientBusy, percent: true, Times: true,
		Meaning: "CPU that a client thread used, as a share of one CPU",
		Text:    "each client used %.0f%% of a CPU: the client, not the server, may set the pace"},
	{Name: "client_idle", Limit: 0.2, value: clientIdle, percent: true, Times: true,
		Meaning: "time in which a client had no statement under way, as a share of the window",
		Text:    "a client had no statement under way for %.0f%% of the window: QPS is as much below what the response time allows, mostly because the client waited for a CPU"},
}

func reading(name string) func(facts) (float64, bool) {
	return func(f facts) (float64, bool) { v, ok := f.value[name]; return v, ok }
}

func ratio(a, b string) func(facts) (float64, bool) {
	return func(f facts) (float64, bool) { return f.ratio(a, b) }
}

func perThousand(name string) func(facts) (float64, bool) {
	return func(f facts) (float64, bool) {
		v, ok := f.value[name]
		n := f.window.Ops.N()
		return v / float64(n) * 1000, ok && n > 0
	}
}

func growthPerQuery(name string) func(facts) (float64, bool) {
	return func(f facts) (float64, bool) {
		g, ok := f.growth(name)
		n := f.window.Ops.N()
		return g / float64(n), ok && n > 0
	}
}

func failed(f facts) (float64, bool) { return float64(f.window.Ops.Errors), true }

func missed(f facts) (float64, bool) {
	n := f.window.Ops.N()
	return float64(f.window.Ops.Misses) / float64(n), n > 0
}

func opsDiffer(f facts) (float64, bool) {
	own := f.window.Ops
	for _, other := range f.window.OtherOps {
		if other.Per == own.Per {
			// A failed statement reached the server and is not an operation.
			d := math.Abs(float64(own.N() + own.Errors - other.N()))
			return max(0, d-own.Uncertainty-other.Uncertainty), true
		}
	}
	return 0, false
}

func unsteady(f facts) (float64, bool) {
	t := f.window.Thirds
	if len(t) != 3 || t[0]+t[1]+t[2] < 300 { // fewer tell of chance, not of the server
		return 0, false
	}
	mean := float64(t[0]+t[1]+t[2]) / 3
	worst := 0.0
	for _, n := range t {
		worst = max(worst, math.Abs(float64(n)/mean-1))
	}
	return worst, true
}

func stalled(f facts) (float64, bool) {
	l := f.window.Latency
	if l == nil || l.Count < 300 || f.window.DurationNS <= 0 {
		return 0, false
	}
	return l.MaxUS * 1000 / float64(f.window.DurationNS), true
}

func stopped(f facts) (float64, bool) {
	us, ok := f.value["client_stopped_us"]
	return us * 1000 / float64(f.window.DurationNS), ok && f.window.DurationNS > 0
}

func dirtyGrowth(f facts) (float64, bool) {
	g, ok := f.growth("innodb_buffer_pool_pages_dirty")
	pool, ok2 := f.value["innodb_buffer_pool_pages_total_end"]
	return g / pool, ok && ok2 && pool > 0
}

func ageGrowth(f facts) (float64, bool) {
	g, ok := f.growth("innodb_checkpoint_age")
	most, ok2 := f.value["innodb_checkpoint_max_age_end"]
	return g / most, ok && ok2 && most > 0
}

// hostCPU is the machine's CPU time, used or not.
func hostCPU(f facts) (us float64) {
	for _, part := range []string{"user", "system", "irq", "steal", "idle", "iowait"} {
		us += f.value["host_cpu_"+part+"_us"]
	}
	return us
}

func steal(f facts) (float64, bool) {
	all := hostCPU(f)
	s, ok := f.value["host_cpu_steal_us"]
	return s / all, ok && all > 0
}

// others is what the server and the client leave of the CPU time used. The
// machine counts it in hundredths of a second for each CPU, so a short window
// says nothing.
func others(f facts) (float64, bool) {
	if f.window.DurationNS < 1e9 {
		return 0, false
	}
	all := hostCPU(f)
	used := all - f.value["host_cpu_steal_us"] - f.value["host_cpu_idle_us"] - f.value["host_cpu_iowait_us"]
	server, ok := f.value["cpu_us"]
	client, ok2 := f.value["client_cpu_us"]
	return max(0, used-server-client) / all, ok && ok2 && all > 0
}

func throttled(f facts) (float64, bool) {
	v, ok := f.value["cgroup_throttled_us"]
	return v * 1000 / float64(f.window.DurationNS), ok && f.window.DurationNS > 0
}

func frequency(f facts) (float64, bool) {
	a, ok := f.value["host_cpu_mhz_begin"]
	b, ok2 := f.value["host_cpu_mhz_end"]
	return math.Abs(b/a - 1), ok && ok2 && a > 0
}

func multiplexed(f facts) (float64, bool) {
	least, seen := 1.0, false
	for _, r := range f.window.Readings {
		if r.Source == result.SourcePerf && r.RunningFraction > 0 {
			least, seen = min(least, r.RunningFraction), true
		}
	}
	return 1 - least, seen
}

func taskClock(f facts) (float64, bool) {
	r, ok := f.ratio("task_clock_us", "cpu_us")
	s, known := steal(f)
	if !known {
		s = 0
	}
	return max(0, math.Abs(r-1)-s), ok
}

func schedstat(f facts) (float64, bool) {
	r, ok := f.ratio("schedstat_cpu_us", "cpu_us")
	return math.Abs(r - 1), ok && f.value["threads_ended"] == 0
}

func clientBusy(f facts) (float64, bool) {
	us, ok := f.value["client_cpu_us"]
	return us * 1000 / float64(f.window.DurationNS) / float64(f.clients), ok && f.window.DurationNS > 0 && f.clients > 0
}

// clientIdle is what the responses leave of a window in which each client sends
// its next statement as soon as it has the answer to the last.
func clientIdle(f facts) (float64, bool) {
	w := f.window
	if w.Latency == nil || !w.Gated || w.DurationNS <= 0 || f.clients <= 0 {
		return 0, false
	}
	busy := w.Latency.MeanUS * float64(w.Latency.Count) * 1000
	return max(0, 1-busy/float64(w.DurationNS)/float64(f.clients)), true
}
