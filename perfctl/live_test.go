package perfctl

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"opcost/collectors/probe"
	"opcost/perfctl/plan"
	"opcost/perfctl/result"
	"opcost/perfctl/workload"
)

// lacks skips a live test on a machine without what it needs. Where the set-up
// has installed everything (`make test`), that is a failure.
func lacks(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("OPCOST_TEST_ALL") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// long skips what takes more than a quarter of a minute, but for `make test-long`.
// Such a test's name ends in Long, by which that finds it.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("OPCOST_TEST_LONG") != "1" {
		t.Skip("it is long: `make test-long` (OPCOST_TEST_LONG=1) runs it")
	}
}

// machine is what this machine can do, asked once. Tests that count statements,
// rows and instructions run beside each other (t.Parallel); those that measure
// time do not.
var machine = sync.OnceValue(func() probe.Caps { return probe.Ask(context.Background()) })

type workloads struct{}

func (workloads) Charsets() []string { return workload.Charsets() }

func (workloads) Workloads(names []string) ([]string, error) {
	tests, err := workload.Resolve(names)
	var ids []string
	for _, t := range tests {
		ids = append(ids, t.ID)
	}
	return ids, err
}

func (workloads) Drives(d plan.Driver, id string) error { return CanDrive(d, id) }

func (workloads) Writes(id string) bool { return Writes(id) }

// measure runs a plan for real and gives its runs.
func measure(t *testing.T, text string) []result.Run {
	t.Helper()
	for _, need := range []string{"mariadbd", "perf", "valgrind"} {
		if _, err := exec.LookPath(need); err != nil {
			if _, err := os.Stat("/usr/sbin/" + need); err != nil {
				lacks(t, "%s is not installed", need)
			}
		}
	}
	dir := t.TempDir()
	p, err := plan.Parse(filepath.Join(dir, "plan.yaml"), []byte(text), workloads{})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	folder, err := result.Create(out)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	err = Run(context.Background(), p, RunOptions{Folder: folder, Work: dir, Caps: machine(), Notify: func(g Progress) {
		t.Logf("[%d/%d] %s%s", g.Done, g.Total, g.Doing, g.Warning)
	}})
	if err != nil {
		t.Fatal(err)
	}
	runs, warnings, err := result.Read(out)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "opcost-data-*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	return runs
}

func value(w result.Window, name string) (float64, bool) {
	for _, r := range w.Readings {
		if r.Name == name && r.Value != nil {
			return *r.Value, true
		}
	}
	return 0, false
}

// TestLiveRun measures point-query, counted and under callgrind, and checks what
// a number must keep to be believed.
func TestLiveRun(t *testing.T) {
	liveRun(t, `versions: [{name: "on", mysqld: installed, options: [performance-schema=ON]}]`, 1, 1)
}

// TestLiveRunLong: performance_schema off and on, over three server starts.
func TestLiveRunLong(t *testing.T) {
	long(t)
	perQuery := liveRun(t, `versions:
  - {name: "off", mysqld: installed, options: [performance-schema=OFF]}
  - {name: "on", mysqld: installed, options: [performance-schema=ON]}`, 2, 3)
	for version, v := range perQuery {
		low, high := math.Inf(1), 0.0
		for _, x := range v {
			low, high = min(low, x), max(high, x)
		}
		t.Logf("instructions/query with performance_schema %s: %.0f (spread %.3f%%)", version, v, 100*(high/low-1))
		if high/low-1 >= 0.01 {
			t.Errorf("performance_schema %s: instructions/query over three starts spread by %.2f%%, 1%% or more", version, 100*(high/low-1))
		}
	}
	for i := range perQuery["on"] {
		if perQuery["on"][i] <= perQuery["off"][i] {
			t.Errorf("repeat %d: %.0f instructions/query with performance_schema, %.0f without", i, perQuery["on"][i], perQuery["off"][i])
		}
	}
}

// liveRun gives the instructions/query by version, repeat by repeat.
func liveRun(t *testing.T, versions string, number, repeats int) map[string][]float64 {
	t.Helper()
	runs := measure(t, versions+fmt.Sprintf(`
workloads: [point-query]
rows: 5000
warmup: 500ms
duration: 1s
repeats: %d
counters: callgrind
`, repeats))
	if len(runs) != number*2*repeats {
		t.Fatalf("%d runs of %d versions, two passes, %d starts", len(runs), number, repeats)
	}
	perQuery := map[string][]float64{}
	for _, r := range runs {
		if !r.Complete() || len(r.Passes[0].Windows) == 0 {
			t.Fatalf("%s is not complete: %+v", r.ID, r.Passes)
		}
		for _, w := range r.Passes[0].Windows {
			t.Run(r.ID+"/"+w.ID, func(t *testing.T) { soundWindow(t, r, w) })
			if r.Passes[0].Kind == result.PassCallgrind {
				ir, ok := value(w, "instructions_user")
				if !ok {
					t.Fatalf("%s: no instructions", r.ID)
				}
				perQuery[r.Version] = append(perQuery[r.Version], ir/float64(w.Ops.N()))
			}
		}
	}
	return perQuery
}

// soundWindow checks a gated window of a counting or callgrind pass.
func soundWindow(t *testing.T, r result.Run, w result.Window) {
	if !w.Gated || w.State != result.OK || w.Ops.N() <= 0 || len(w.Evidence) == 0 {
		t.Errorf("window: gated %v, state %s, %d operations, evidence %v", w.Gated, w.State, w.Ops.N(), w.Evidence)
	}
	if len(w.OtherOps) != 1 || w.OtherOps[0].N() != w.Ops.N() {
		t.Errorf("the client counted %d statements, the server %+v", w.Ops.N(), w.OtherOps)
	}
	for _, g := range w.Readings {
		if g.State == result.Failed || strings.HasPrefix(g.Name, "collector_") {
			t.Errorf("%s: %s: %s", g.Name, g.State, g.Reason)
		}
	}
	if r.Passes[0].Kind != result.PassCount {
		return
	}
	cpu, ok := value(w, "cpu_us")
	sum, ok2 := value(w, "schedstat_cpu_us")
	ended, _ := value(w, "threads_ended")
	if !ok || !ok2 || (ended == 0 && math.Abs(sum/cpu-1) > 0.005) {
		t.Errorf("process clock %.0f us, schedstat %.0f us, %v threads ended: want them within 0.5%%", cpu, sum, ended)
	}
	clock, ok := value(w, "task_clock_us")
	if !ok {
		t.Error("no task-clock")
	}
	steal := 0.0
	warned := false
	for _, q := range w.Quality {
		if q.Name == "steal" {
			steal = q.Value
		}
		warned = warned || q.Name == "task_clock_differs" && !q.OK
	}
	if far := math.Abs(clock/cpu-1) > 0.015+steal; far != warned {
		t.Errorf("task-clock %.0f us, process clock %.0f us, steal %.1f%%: warned %v", clock, cpu, 100*steal, warned)
	}
	rows, ok := value(w, "rows_read")
	if !ok || rows != float64(w.Ops.N()) {
		t.Errorf("%d point queries read %v rows", w.Ops.N(), rows)
	}
	switches, ok := value(w, "context_switches")
	perfs, ok2 := value(w, "perf_context_switches")
	if !ok || (ok2 && math.Abs(switches/perfs-1) > 0.02) {
		t.Errorf("%v context switches by /proc, %v by perf", switches, perfs)
	}
}

// TestLiveWriteTest: data are restored before each write test, and operations: N
// are exactly N.
func TestLiveWriteTest(t *testing.T) {
	t.Parallel()
	liveWriteTest(t, "delete")
}

// TestLiveWriteTestLong: by every kind of statement.
func TestLiveWriteTestLong(t *testing.T) {
	long(t)
	liveWriteTest(t, "update-index", "delete", "read-write_range=10")
}

// liveWriteTest goes over TCP with TLS too.
func liveWriteTest(t *testing.T, tests ...string) {
	t.Helper()
	runs := measure(t, fmt.Sprintf(`
versions: [{name: a, mysqld: installed, session: {charset: utf8mb4, protocol: text, tls: true}}]
workloads: [%s]
transport: tcp
rows: 1000
warmup: 0s
operations: 600
clients: [2]
repeats: 2
counters: none
`, strings.Join(tests, ", ")))
	if len(runs) != 2*len(tests) {
		t.Fatalf("%d runs, want %d", len(runs), 2*len(tests))
	}
	misses := map[string]float64{}
	for _, r := range runs {
		w := r.Passes[0].Windows[0]
		n := float64(w.Ops.N())
		if n < 600 || (n > 600 && r.Workload != "read-write_range=10") || n > 640 {
			t.Errorf("%s: %v statements, want 600 (whole transactions: a few more)", r.ID, n)
		}
		if !r.TLS || r.Charset != "utf8mb4" || r.Protocol != "text" || r.Transport != "tcp" {
			t.Errorf("%s: session %+v", r.ID, r)
		}
		for _, g := range w.Readings {
			if g.Name == "rows_changed" && g.Value != nil {
				misses[fmt.Sprintf("%s %d", r.Workload, r.Repeat)] = n - *g.Value
			}
		}
	}
	// 600 random deletes of 1,000 rows leave e^-0.6 of them (549 +- 15 or so): if
	// the second start had not got its rows back it would miss far more.
	for i := range 2 {
		deleted := 600 - misses[fmt.Sprintf("delete %d", i)]
		if deleted < 390 || deleted > 510 {
			t.Errorf("repeat %d: 600 deletes of random ids of 1,000 deleted %v rows, want about 451", i, deleted)
		}
	}
}
