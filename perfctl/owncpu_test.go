package perfctl

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"opcost/collectors"
	"opcost/collectors/child"
	"opcost/collectors/probe"
	"opcost/perfctl/plan"
	"opcost/perfctl/result"
	"opcost/perfctl/server"
	"opcost/perfctl/window"
	"opcost/perfctl/workload"
)

// questions is the server's own count of statements.
type questions struct{ sql collectors.Querier }

func (q questions) Read(ctx context.Context) (result.OpCount, error) {
	rows, err := q.sql.Query(ctx, "SHOW GLOBAL STATUS LIKE 'Questions'")
	if err != nil {
		return result.OpCount{}, err
	}
	n, err := strconv.ParseInt(rows[0][1], 10, 64)
	return result.OpCount{Source: result.SourceServer, Per: "statement", End: n}, err
}

// TestLiveOwnCPU: while another program drives the load, opcost uses under 2%
// of one CPU in a window, edges and all.
func TestLiveOwnCPU(t *testing.T) {
	for _, need := range []string{"sysbench", "perf"} {
		if _, err := exec.LookPath(need); err != nil {
			lacks(t, "%s is not installed", need)
		}
	}
	ctx := context.Background()
	p, err := plan.Parse("plan.yaml", []byte("versions: [{name: a, mysqld: installed}]\nworkloads: [point-query]\n"), workloads{})
	if err != nil {
		lacks(t, "%v", err)
	}
	site, err := server.Open(ctx, server.Spec{Name: "a", Mysqld: p.Versions[0].Mysqld}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := site.Initialise(ctx); err != nil {
		t.Fatal(err)
	}
	inst, err := site.Start(ctx, server.StartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = inst.Stop(ctx) }()
	access := workload.Access{Network: "unix", Addr: inst.Socket(), User: inst.User(), Database: "sbtest", Charset: "latin1", Protocol: workload.Prepared}
	if err := workload.Load(ctx, access, workload.Data{Tables: 1, Rows: 1000, Seed: 1}, nil); err != nil {
		t.Fatal(err)
	}
	output, err := os.Create(filepath.Join(t.TempDir(), "sysbench"))
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	load, err := child.Start(child.Spec{Stdout: output, Stderr: output, Argv: strings.Fields("sysbench oltp_point_select --tables=1 --table-size=1000 --rand-type=uniform --threads=1 --time=120 " +
		"--mysql-user=root --mysql-db=sbtest --mysql-socket=" + inst.Socket() + " run")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = load.Stop(syscall.SIGKILL, time.Second) }()
	awaitLoad(t, inst, load, output.Name())

	caps := probe.Ask(ctx)
	ws, err := choose(plan.CountersAuto, caps)
	if err != nil {
		t.Fatal(err)
	}
	p.Duration = 4 * time.Second
	pass := ws.of(result.PassCount).passes(p, workload.Test{}, caps, (&live{}).wrap)[0]
	target := collectors.Target{PID: inst.PID(), StartTicks: inst.StartTicks(), PIDFD: -1, SQL: inst.Control(), Evidence: t.TempDir(), Tag: "w0"}
	target.ConnTIDsReason = "not asked"

	var before, after syscall.Rusage
	pass.Collectors = append([]collectors.Collector{usage{&before, &after}}, pass.Collectors...)
	w, err := Measure(ctx, target, pass, questions{inst.Control()}, window.Gate(nil))
	if err != nil {
		t.Fatal(err)
	}
	if w.Ops.N() < 1000 {
		t.Fatalf("sysbench did %d statements in %v: no load", w.Ops.N(), p.Duration)
	}
	used := cpu(after) - cpu(before)
	share := used.Seconds() / (time.Duration(w.DurationNS)).Seconds()
	t.Logf("opcost used %v of CPU, %.2f%% of one, in a window of %v with %d statements; edges %v and %v",
		used, 100*share, time.Duration(w.DurationNS), w.Ops.N(), time.Duration(w.EdgeNS[0]), time.Duration(w.EdgeNS[1]))
	if share >= 0.02 {
		t.Errorf("opcost used %.1f%% of a CPU, 2%% or more", 100*share)
	}
}

// awaitLoad waits until the load runs: on a busy machine that takes sysbench
// longer than any pause one would write here.
func awaitLoad(t *testing.T, inst *server.Instance, load *child.Proc, output string) {
	t.Helper()
	for range 600 {
		c, err := questions{inst.Control()}.Read(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-load.Done():
			text, _ := os.ReadFile(output)
			t.Fatalf("sysbench ended: %v\n%s", load.Err(), text)
		default:
		}
		if c.End > 5000 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("sysbench did nothing for a minute")
}

func cpu(r syscall.Rusage) time.Duration {
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// usage is an outermost collector that reads our own CPU time.
type usage struct{ before, after *syscall.Rusage }

func (usage) Name() string { return "own" }
func (u usage) Arm(context.Context, collectors.Target, probe.Caps) (collectors.Armed, error) {
	return u, nil
}
func (u usage) Begin(context.Context) error {
	return syscall.Getrusage(syscall.RUSAGE_SELF, u.before)
}
func (u usage) End(context.Context) error        { return syscall.Getrusage(syscall.RUSAGE_SELF, u.after) }
func (u usage) Close() ([]result.Reading, error) { return nil, nil }
