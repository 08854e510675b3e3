package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"opcost/perfctl/result"
)

const voluntary = "context_switches_voluntary_per_query"

// leastSwitches more per query are worth a word.
const leastSwitches = 0.05

// contention looks at waits of threads for each other.
func contention(f *facts) (Finding, bool) {
	var found Finding
	var says []string
	locks := false
	for _, x := range []struct {
		metric, text string
		floor        float64
	}{
		{"innodb_row_lock_waits_per_query", "row-lock waits", 0.01},
		{"innodb_row_lock_time_per_query", "time in row-lock waits", 0.01},
		{"table_locks_waited_per_query", "waits for table locks", 0.01},
	} {
		if c, sure, ok := f.rose(x.metric, x.floor); ok {
			locks = true
			found.Sure = found.Sure || sure
			says = append(says, fmt.Sprintf("%s %s → %s/query", x.text, amount(c.base), amount(c.new)))
			found.Evidence = append(found.Evidence, c.evidence(x.text))
		}
	}
	kind := "voluntary context switches"
	c, sure, switches := f.rose(voluntary, leastSwitches)
	for _, metric := range []string{"context_switches_per_query", "cs/o"} { // involuntary ones are among them
		if c.name == "" {
			kind = "context switches"
			c, _, switches = f.rose(metric, leastSwitches)
		}
	}
	switches = switches && !f.alone()
	scales, with := f.scales()
	_, io := moreIO(f)
	if !locks && (!switches || io && !scales) {
		return Finding{}, false
	}
	if switches {
		found.Sure = found.Sure || sure && (scales || !io)
		says = append(says, fmt.Sprintf("%s %s → %s/query", kind, amount(c.base), amount(c.new)))
		found.Evidence = append(found.Evidence, c.evidence("threads gave up the CPU to wait"))
	}
	if scales {
		says = append(says, with)
	}
	if x, ok := f.of(cpu); ok {
		found.Evidence = append(found.Evidence, x.evidence("run time, beside the waits"))
		if f.same(cpu) {
			says = append(says, "CPU/query is the same")
		}
	}
	found.Text = strings.Join(says, "; ")
	return found, true
}

// alone tells that each side has one client. Such a connection waits for its
// client after each statement, more often on a busy machine, and for no other.
func (f *facts) alone() bool {
	one := func(runs []result.Run) bool {
		return !slices.ContainsFunc(runs, func(r result.Run) bool { return r.Clients != 1 })
	}
	return one(f.baseRuns) && one(f.newRuns)
}

// scales tells whether the change of voluntary switches grows with the clients,
// among the cells of the same workload.
func (f *facts) scales() (yes bool, text string) {
	type point struct {
		clients float64
		more    float64
	}
	var ps []point
	for _, o := range f.all {
		if o.newKey.workload != f.newKey.workload || o.newKey.host != f.newKey.host || o.newKey.driver != f.newKey.driver || o.newKey.protocol != f.newKey.protocol {
			continue
		}
		if c, ok := o.of(voluntary); ok {
			ps = append(ps, point{clientsOf(o.newKey), c.new - c.base})
		}
	}
	if len(ps) < 2 {
		return false, ""
	}
	slices.SortFunc(ps, func(a, b point) int { return cmp.Compare(a.clients, b.clients) })
	first, last := ps[0], ps[len(ps)-1]
	if last.more < first.more+leastSwitches || clientsOf(f.newKey) <= first.clients {
		return false, ""
	}
	return true, fmt.Sprintf("it grows with the clients (%+.3g switches/query at %.0f, %+.3g at %.0f)", first.more, first.clients, last.more, last.clients)
}

// flows are counts of reads, writes and syncs.
var flows = []struct {
	metric, text string
	floor        float64 // per query, in the metric's unit
}{
	{"innodb_os_log_fsyncs_per_query", "syncs of the redo log", 0.01},
	{"innodb_log_writes_per_query", "writes of the redo log", 0.01},
	{"innodb_os_log_written_per_query", "bytes to the redo log", 20},
	{"innodb_data_fsyncs_per_query", "InnoDB syncs", 0.01},
	{"binlog_bytes_written_per_query", "bytes to the binary log", 20},
	{"binlog_commits_per_query", "commits to the binary log", 0.01},
	{"binlog_cache_use_per_query", "transactions in the binary log's cache", 0.01},
	{"innodb_data_writes_per_query", "InnoDB writes", 0.01},
	{"innodb_data_reads_per_query", "InnoDB reads", 0.01},
	{"innodb_buffer_pool_reads_per_query", "pages not in the buffer pool", 0.01},
	{"write_kb_per_query", "kB to disks", 0.1},
	{"read_kb_per_query", "kB from disks", 0.1},
	{"created_tmp_disk_tables_per_query", "temporary tables on disk", 0.01},
	{"wKB/o", "kB to disks, whole host", 0.1},
	{"rKB/o", "kB from disks, whole host", 0.1},
}

// moreIO looks at reads, writes and syncs per query.
func moreIO(f *facts) (Finding, bool) {
	var found Finding
	var says []string
	for _, x := range flows {
		if began, ok := f.began(x.metric, x.floor); ok {
			began.Text = x.text + ": " + began.Text
			found.Evidence = append(found.Evidence, began)
			says = append(says, fmt.Sprintf("%s: none → %s", x.text, amount(*began.New)))
			continue
		}
		c, sure, ok := f.rose(x.metric, x.floor)
		if !ok {
			continue
		}
		found.Sure = found.Sure || sure
		found.Evidence = append(found.Evidence, c.evidence(x.text))
		says = append(says, fmt.Sprintf("%s %s → %s", x.text, amount(c.base), amount(c.new)))
	}
	if len(says) == 0 {
		return found, false
	}
	found.Text = "per query: " + strings.Join(capped(says, 4), "; ")
	return found, true
}

// began tells of a counter of the server that moved on the new side alone. The
// records keep counters that moved: what the base lacks is 0, or a counter that
// its version does not have.
func (f *facts) began(metric string, floor float64) (Evidence, bool) {
	_, has := f.baseRow.Metrics[metric]
	n := f.newRow.Metrics[metric]
	asked := f.baseRow.Metrics["questions_per_query"].Value != nil
	if has || !asked || n.Value == nil || n.Source != result.SourceServer || *n.Value < floor {
		return Evidence{}, false
	}
	return Evidence{Name: metric, New: n.Value, Unit: n.Unit, Text: f.baseName + " did not count it: none, or no such counter"}, true
}
