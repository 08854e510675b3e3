package perfctl

import (
	"context"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"opcost/perfctl/plan"
	"opcost/perfctl/result"
)

func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			lacks(t, "%s is not installed", p)
		}
	}
}

func windowOf(t *testing.T, runs []result.Run, k result.PassKind) (result.Run, result.Window) {
	t.Helper()
	for _, r := range runs {
		if len(r.Passes) == 1 && r.Passes[0].Kind == k && len(r.Passes[0].Windows) == 1 {
			return r, r.Passes[0].Windows[0]
		}
	}
	t.Fatalf("no run of one window of pass %s", k)
	return result.Run{}, result.Window{}
}

// TestSysbenchDrivesLive: a window while sysbench runs, and one of a whole run
// of it under callgrind.
func TestSysbenchDrivesLive(t *testing.T) {
	t.Parallel()
	needs(t, "sysbench", "valgrind")
	runs := measure(t, `
versions: [{name: a, mysqld: installed}]
workloads: [point-query]
driver: sysbench
rows: 5000
clients: [2]
warmup: 500ms
duration: 2s
repeats: 1
counters: callgrind
`)
	if len(runs) != 2 {
		t.Fatalf("%d runs, want the counting and the one under callgrind", len(runs))
	}
	r, w := windowOf(t, runs, result.PassCount)
	if r.Driver != "sysbench" || r.Protocol != "prepared" || w.Gated || w.Ops.Source != result.SourceServer || w.Ops.N() < 100 || w.Ops.Uncertainty <= 0 {
		t.Errorf("%s %s: gated %v, operations %+v", r.Driver, r.Protocol, w.Gated, w.Ops)
	}
	if rows, _ := value(w, "handler_read_key"); math.Abs(rows-float64(w.Ops.N())) > w.Ops.Uncertainty+10 {
		t.Errorf("%v rows read in %d point queries +- %.1f", rows, w.Ops.N(), w.Ops.Uncertainty)
	}
	client, ok := value(w, "client_cpu_us")
	server, ok2 := value(w, "cpu_us")
	if !ok || !ok2 || client <= 0 || client > 2*server {
		t.Errorf("CPU: sysbench %v us, server %v us", client, server)
	}
	if v, ok := value(w, "cpu_connection_us"); !ok || v < server/2 {
		t.Errorf("the connections' threads used %v us of %v", v, server)
	}
	if !slices.ContainsFunc(w.Evidence, func(f string) bool { return strings.HasPrefix(f, "driver-load") }) {
		t.Errorf("sysbench's report is not among the evidence: %v", w.Evidence)
	}
	_, w = windowOf(t, runs, result.PassCallgrind)
	ir, ok := value(w, "instructions_user")
	// 2,000 operations and some for connecting and preparing, twice that at most.
	if n := w.Ops.N(); !w.Gated || !ok || n < 2000 || n > 2010 || ir/float64(n) < 5000 {
		t.Errorf("under callgrind: gated %v, %d operations, %v instructions", w.Gated, n, ir)
	}
	for _, r := range runs {
		for _, warning := range r.Warnings {
			if warning.Code == "ops_differ" || strings.HasPrefix(warning.Code, "driver") {
				t.Errorf("%s: %s", r.ID, warning.Text)
			}
		}
	}
}

const slapPlan = `
versions: [{name: a, mysqld: installed}]
workloads: [update-one-index]
driver: mysqlslap
rows: 500
clients: [4]
warmup: 300ms
repeats: 1
counters: none
`

// TestMysqlslapDrivesLive: the update of 2014, by number.
func TestMysqlslapDrivesLive(t *testing.T) {
	t.Parallel()
	needs(t, "mariadb-slap")
	_, w := windowOf(t, measure(t, slapPlan+"operations: 400\n"), result.PassCount)
	changed, _ := value(w, "handler_update")
	if n := w.Ops.N(); n < 400 || n > 440 || changed != 400 {
		t.Errorf("400 updates: %d statements, %v rows changed", n, changed)
	}
}

// TestMysqlslapForATimeLong: and by time.
func TestMysqlslapForATimeLong(t *testing.T) {
	long(t)
	needs(t, "mariadb-slap")
	r, w := windowOf(t, measure(t, slapPlan+"duration: 1s\n"), result.PassCount)
	changed, _ := value(w, "handler_update")
	connections, _ := value(w, "cpu_connection_us")
	if cpu, _ := value(w, "cpu_us"); connections < cpu/2 {
		t.Errorf("the clients' threads used %v us of %v", connections, cpu)
	}
	if n := float64(w.Ops.N()); r.Protocol != "text" || n < 50 || math.Abs(changed-n) > w.Ops.Uncertainty+10 {
		t.Errorf("%s: %v statements +- %.1f, %v rows changed", r.Protocol, n, w.Ops.Uncertainty, changed)
	}
}

// runOne measures a plan that may fail, and gives its runs and the error.
func runOne(t *testing.T, text string) ([]result.Run, error) {
	t.Helper()
	needs(t, "mariadbd")
	dir := t.TempDir()
	p, err := plan.Parse(filepath.Join(dir, "plan.yaml"), []byte(text), workloads{})
	if err != nil {
		return nil, err
	}
	folder, err := result.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	began := time.Now()
	failed := Run(context.Background(), p, RunOptions{Folder: folder, Work: dir, Caps: machine()})
	t.Logf("%v: %v", time.Since(began).Round(time.Second), failed)
	runs, _, err := result.Read(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	return runs, failed
}

const commandPlan = `
versions: [{name: a, mysqld: installed}]
workloads: [point-query]
rows: 100
warmup: 300ms
duration: 1s
repeats: 1
counters: none
`

const client = `mariadb --no-defaults -S {socket} -u {user} {database}`

// TestCommandDrivesLive: any program; what is wrong with a plan's is said before
// anything is started.
func TestCommandDrivesLive(t *testing.T) {
	t.Parallel()
	needs(t, "mariadb")
	runs, err := runOne(t, commandPlan+`driver: {command: "end=$(($(date +%s)+{seconds})); while [ $(date +%s) -lt $end ]; do echo 'SELECT 1;'; done | `+client+` >/dev/null"}`)
	if err != nil {
		t.Fatal(err)
	}
	r, w := windowOf(t, runs, result.PassCount)
	selects, _ := value(w, "com_select")
	if n := float64(w.Ops.N()); r.Driver != "command" || n < 10 || math.Abs(selects-n) > w.Ops.Uncertainty+10 {
		t.Errorf("%v statements +- %.1f, %v SELECTs", n, w.Ops.Uncertainty, selects)
	}
	if v, ok := value(w, "cpu_connection_us"); !ok || v <= 0 {
		t.Errorf("the connection's thread used %v us", v)
	}
	if _, err = runOne(t, commandPlan+"driver: {command: 'x {sockets} {seconds}'}"); err == nil || !strings.Contains(err.Error(), "unknown placeholder {sockets}") {
		t.Errorf("an unknown placeholder: %v", err)
	}
	if _, err = runOne(t, strings.Replace(commandPlan, "point-query", "scan", 1)+"driver: sysbench"); err == nil || !strings.Contains(err.Error(), ":3:12: driver sysbench: its own scripts cannot do workload scan") {
		t.Errorf("what sysbench cannot do: %v", err)
	}
}

// TestCommandGoesWrongLong: what goes wrong with a command is said.
func TestCommandGoesWrongLong(t *testing.T) {
	long(t)
	needs(t, "mariadb")
	runs, err := runOne(t, commandPlan+`driver: {command: "echo out of luck {seconds} >&2; exit 3"}`)
	if err == nil || !strings.Contains(err.Error(), "exit status 3: out of luck") || len(runs) != 0 {
		t.Errorf("a command that fails: %v, %d runs", err, len(runs))
	}
	runs, err = runOne(t, commandPlan+`driver: {command: "true {seconds}; echo 'SELECT SLEEP(0.9)' | `+client+`"}`)
	if err == nil || !strings.Contains(err.Error(), "the driver ended before the window did") || len(runs) != 1 || runs[0].Complete() || runs[0].Passes[0].Windows[0].State != result.Partial {
		t.Errorf("a command that ends early: %v, %+v", err, runs)
	}
	// A connection for each statement, beside one that stays.
	runs, err = runOne(t, commandPlan+`driver: {command: "echo 'SELECT SLEEP({seconds})' | `+client+` & end=$(($(date +%s)+{seconds})); while [ $(date +%s) -lt $end ]; do echo 'SELECT 1' | `+client+`; done >/dev/null; wait"}`)
	if err != nil {
		t.Fatal(err)
	}
	_, w := windowOf(t, runs, result.PassCount)
	for _, g := range w.Readings {
		if g.Name == "cpu_connection_us" && (g.State != result.NotCounted || g.Value != nil || !strings.Contains(g.Reason, "new connections inside the window")) {
			t.Errorf("of threads that are not known: %+v", g)
		}
	}
	if _, ok := value(w, "cpu_us"); !ok {
		t.Error("the server's CPU is known all the same")
	}
}
