package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"opcost/perfctl/explain"
	"opcost/perfctl/result"
)

// Known answers: servers are made to differ in one thing, and the comparison has
// to name that thing, by the right evidence. What is judged does not depend on
// how busy the machine is: instructions, switches, rows, syncs, not QPS.

// codePlan is judged by instructions/query, so it is counted by callgrind. TLS
// needs a TCP connection.
const codePlan = `
versions:
  - {name: base, mysqld: installed}
  - {name: pfs, mysqld: installed, options: [performance-schema=ON]}
  - {name: utf8, mysqld: installed, session: {charset: utf8mb4}}
  - {name: tls, mysqld: installed, session: {tls: true}}
  - {name: text, mysqld: installed, session: {protocol: text}}
  - {name: same, mysqld: installed}
workloads: [point-query, read-only_range=100]
rows: 5000
transport: tcp
warmup: 100ms
operations: 320
repeats: 2
counters: callgrind
`

// workPlan has no index on k in one version: an init-file takes it away when the
// server starts. One with its name stays, as the warm-up reads it.
const workPlan = `
versions:
  - {name: base, mysqld: installed}
  - {name: binlog, mysqld: installed, options: [log-bin, sync-binlog=1]}
  - {name: no-index, mysqld: installed, options: ["init-file=INIT"]}
workloads: [range-covered-si, update-index]
rows: 5000
warmup: 100ms
operations: 400
repeats: 2
counters: none
`

const initFile = `ALTER TABLE IF EXISTS sbtest.sbtest1 DROP INDEX IF EXISTS k_1;
ALTER TABLE IF EXISTS sbtest.sbtest1 ADD INDEX k_1 (id);
`

const rowPlan = `
versions: [{name: base, mysqld: installed}]
workloads: [update-one]
rows: 5000
clients: [1, 8]
warmup: 100ms
operations: 3200
repeats: 2
counters: none
`

// poolPlan: 60,000 rows of 190 bytes and more are over 11 MB.
const poolPlan = `
versions:
  - {name: big, mysqld: installed, options: [innodb-buffer-pool-size=64M]}
  - {name: small, mysqld: installed, options: [innodb-buffer-pool-size=6M]}
workloads: [point-query]
tables: 3
rows: 20000
warmup: 100ms
operations: 3000
repeats: 2
counters: none
`

const machinePlan = `
versions: [{name: base, mysqld: installed}]
workloads: [point-query]
rows: 5000
warmup: 100ms
duration: 1s
repeats: 2
counters: none
`

// measured runs a plan, and gives the folder of its results.
func measured(t *testing.T, name, plan string) string {
	t.Helper()
	began := time.Now()
	dir := t.TempDir()
	file := filepath.Join(dir, name+".yaml")
	if err := os.WriteFile(file, []byte(plan), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "results")
	c := start(t, dir, "run", file, "--out", out)
	select {
	case <-c.ended:
	case <-time.After(10 * time.Minute): // a busy machine's; it takes one or two
		t.Fatalf("%s does not end:\n%s", name, c.stderr.text())
	}
	if code := c.cmd.ProcessState.ExitCode(); code != exitDone {
		t.Fatalf("%s: exit status %d\n%s", name, code, c.stderr.text())
	}
	t.Logf("plan %s: %v", name, time.Since(began).Round(time.Second))
	return out
}

func TestKnownAnswersOfCode(t *testing.T) {
	long(t)
	lacking(t, "mariadbd", "valgrind", "perf")
	out := measured(t, "code", codePlan)
	at := func(version, workload string) string { return out + ":" + version + ",workload=" + workload }
	const point, ranges = "point-query", "read-only_range=100"
	const instructions = "instructions_per_query"

	t.Run("performance_schema", func(t *testing.T) {
		a := compared(t, at("base", point), at("pfs", point))
		a.verdict("slower")
		a.is(explain.MoreCode, instructions)
		a.differs("performance_schema", "options", "performance-schema")
		a.isNot(explain.AnotherPlan, explain.Contention, explain.SlowerMemory, explain.NothingChanged)
		a.like(explain.Session, explain.Plan)
	})
	t.Run("charset", func(t *testing.T) {
		a := compared(t, at("base", ranges), at("utf8", ranges))
		a.verdict("slower")
		a.is(explain.MoreCode, instructions)
		a.differs("charset", "session", "charset")
		a.isNot(explain.AnotherPlan, explain.Contention, explain.NothingChanged)
		a.like(explain.Plan, explain.Build)
	})
	t.Run("TLS", func(t *testing.T) {
		a := compared(t, at("base", point), at("tls", point))
		a.verdict("slower")
		a.is(explain.MoreCode, instructions)
		a.differs("TLS", "session", "tls")
		a.isNot(explain.AnotherPlan, explain.Contention, explain.NothingChanged)
		a.like(explain.Plan, explain.Build)
	})
	t.Run("text against prepared", func(t *testing.T) {
		a := compared(t, at("base", point), at("text", point))
		a.verdict("slower")
		a.is(explain.MoreCode, instructions)
		a.differs("protocol", "session", "protocol")
		a.isNot(explain.AnotherPlan, explain.Contention, explain.NothingChanged)
		a.like(explain.Plan, explain.Build, explain.Setting)
	})
	t.Run("the same twice", func(t *testing.T) {
		a := compared(t, at("base", point), at("same", point))
		a.verdict("same")
		a.is(explain.NothingChanged, instructions)
		a.isNot(explain.MoreCode, explain.LessCode, explain.AnotherPlan, explain.MoreIO)
		a.like(explain.Session, explain.Setting, explain.Plan, explain.Machine, explain.Build)
	})
}

func TestKnownAnswersOfWork(t *testing.T) {
	long(t)
	lacking(t, "mariadbd", "perf")
	file := filepath.Join(t.TempDir(), "init.sql")
	if err := os.WriteFile(file, []byte(initFile), 0o600); err != nil {
		t.Fatal(err)
	}
	out := measured(t, "work", strings.Replace(workPlan, "INIT", file, 1))
	base, binlog := out+":base,workload=update-index", out+":binlog,workload=update-index"

	t.Run("binary log with sync", func(t *testing.T) {
		a := compared(t, base, binlog)
		a.is(explain.MoreIO, "binlog_bytes_written_per_query", "binlog_commits_per_query", "innodb_data_fsyncs_per_query", "innodb_os_log_fsyncs_per_query", "write_kb_per_query")
		a.differs("log_bin", "options", "log-bin")
		a.differs("sync_binlog", "options", "sync-binlog")
		a.isNot(explain.AnotherPlan, explain.NothingChanged)
		a.like(explain.Session, explain.Plan)
		if i := slices.IndexFunc(a.Differences, func(d explain.Difference) bool { return d.Class == explain.Setting }); a.Differences[i].Name != "log_bin" {
			t.Errorf("the first setting told is %s, want log_bin", a.Differences[i].Name)
		}
	})
	t.Run("an index dropped", func(t *testing.T) {
		a := compared(t, out+":base,workload=range-covered-si", out+":no-index,workload=range-covered-si")
		a.is(explain.AnotherPlan, "rows_read_per_query")
		a.differs("plan of SELECT k FROM sbtest1 WHERE k BETWEEN ? AND ?", "", "")
		a.isNot(explain.Contention, explain.NothingChanged)
		a.like(explain.Session)
		// Other programs write to the same disks, which shows in the whole host's
		// kB, but is not the server's.
		if f, ok := a.kind(explain.MoreIO); ok && f.Sure {
			t.Errorf("surely more I/O:\n%s", a)
		}
	})
	t.Run("handed on", func(t *testing.T) { handedOn(t, base, binlog) })
}

// handedOn: each plan that isolates a difference is one that run accepts, and
// the bundle has what a reader needs and not our host's name.
func handedOn(t *testing.T, base, new string) {
	dir := t.TempDir()
	plans, file := filepath.Join(dir, "plans"), filepath.Join(dir, "slower.tar.gz")
	args := []string{"compare", "--base", base, "--new", new, "--isolate", plans, "--bundle", file}
	if o := opcost(t, args...); o.code != exitDone {
		t.Fatalf("exit status %d\n%s", o.code, o.stderr)
	}
	written, err := os.ReadDir(plans)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range written {
		names = append(names, p.Name())
		if o := opcost(t, "run", filepath.Join(plans, p.Name()), "--estimate"); o.code != exitDone {
			t.Errorf("%s is refused: %s", p.Name(), o.stderr)
		}
	}
	if all := strings.Join(names, " "); !strings.Contains(all, "log-bin.yaml") || !strings.Contains(all, "sync-binlog.yaml") {
		t.Errorf("plans: %s", all)
	}
	if o := opcost(t, args...); o.code != exitUsage || !strings.Contains(o.stderr, "nothing is overwritten") {
		t.Errorf("a second time: exit status %d\n%s", o.code, o.stderr)
	}
	tool, err := exec.LookPath("tar")
	if err != nil {
		t.Skip("tar is not installed")
	}
	if text, err := exec.Command(tool, "-xzf", file, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("tar: %v\n%s", err, text)
	}
	page, err := os.ReadFile(filepath.Join(dir, "slower", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| log_bin | OFF | ON |", "opcost run plan-base.yaml", "sbtest1 range PRIMARY(4)", "more I/O or log writes"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(filepath.Join(dir, "slower"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "run.json") {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), `"`+host+`"`) {
			t.Errorf("%s has this host's name", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestKnownAnswerContendedRow(t *testing.T) {
	long(t)
	lacking(t, "mariadbd", "perf")
	out := measured(t, "row", rowPlan)
	a := compared(t, out+":base,clients=1", out+":base,clients=8")
	a.is(explain.Contention, "innodb_row_lock_waits_per_query", "context_switches_voluntary_per_query")
	a.differs("clients", "", "")
	a.isNot(explain.AnotherPlan, explain.NothingChanged)
	a.like(explain.Session, explain.Setting, explain.Plan, explain.Build)
}

func TestKnownAnswerSmallPool(t *testing.T) {
	long(t)
	lacking(t, "mariadbd", "perf")
	out := measured(t, "pool", poolPlan)
	a := compared(t, out+":big", out+":small")
	a.is(explain.MoreIO, "innodb_buffer_pool_reads_per_query", "innodb_data_reads_per_query")
	a.differs("innodb_buffer_pool_size", "options", "innodb-buffer-pool-size")
	a.isNot(explain.AnotherPlan, explain.NothingChanged)
	a.like(explain.Session, explain.Plan)
}

// Programs that use all CPUs beside one of two equal servers do not make it a
// slower server.
func TestKnownAnswerBusyMachine(t *testing.T) {
	long(t)
	lacking(t, "mariadbd", "perf")
	quiet := measured(t, "quiet", machinePlan)
	for range 2 * runtime.NumCPU() {
		burner := exec.Command("sh", "-c", "while :; do :; done")
		if err := burner.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = burner.Process.Kill(); _ = burner.Wait() }()
	}
	busy := measured(t, "busy", machinePlan)
	a := compared(t, quiet+":base", busy+":base")
	a.is(explain.NoisyMachine)
	a.verdict("unsure", "same", "")
	a.isNot(explain.MoreCode, explain.AnotherPlan, explain.Contention)
	a.like(explain.Session, explain.Setting, explain.Plan, explain.Build)
	if runs, _, err := result.Read(busy); err != nil || !slices.ContainsFunc(runs[0].Passes[0].Windows[0].Quality, func(q result.Quality) bool {
		return q.Name == result.CheckOthers && !q.OK
	}) {
		t.Errorf("the records of the busy machine do not say that others used its CPUs (%v)", err)
	}
}
