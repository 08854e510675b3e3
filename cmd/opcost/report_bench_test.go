package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"opcost/perfctl/result"
	"opcost/testbed/figures"
)

// thousands makes a results folder of n runs: 5 versions, 25 workloads, 4 starts
// a cell, as many numbers of clients as it takes. A run has one window of so
// many readings.
func thousands(t testing.TB, n, readings int) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "results")
	folder, err := result.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.Close(); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		version, start, workload, clients := i%5, i/5%4, i/20%25, i/500+1
		cost := 1 + 0.05*float64(version) + 0.003*rng.NormFloat64()
		run := nightRun(fmt.Sprintf("r%05d", i), readings, cost)
		run.Version, run.Place = fmt.Sprintf("8.0.%d", 28+version), version
		run.Repeat, run.Start = start, fmt.Sprintf("s%d-%d", version, start)
		run.Workload, run.Clients = fmt.Sprintf("random-points_range=%d", workload+1), clients
		run.Started = run.Started.Add(time.Duration(i) * time.Minute)
		place := filepath.Join(dir, "runs", run.ID)
		if err := os.Mkdir(place, 0o700); err != nil {
			t.Fatal(err)
		}
		// As the store writes it, but for making each outlast a crash.
		text, err := json.Marshal(run)
		if err != nil {
			t.Fatal(err)
		}
		text = fmt.Appendf(nil, "%s%x\"}\n", strings.TrimSuffix(string(text), `"}`), sha256.Sum256(text))
		if err := os.WriteFile(filepath.Join(place, "run.json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func nightRun(id string, readings int, cost float64) result.Run {
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	run := result.Run{
		Schema: result.Schema, ID: id, Host: "h", Started: begin, PlanHash: "0123456789abcdef", Seed: 1, Base: "8.0.28",
		Group: "point", Driver: "builtin", Protocol: "prepared", Transport: "socket", Charset: "latin1", Tables: 1, Rows: 100000,
		Machine: result.Machine{Kernel: "6.1", CPUModel: "a CPU", CPUs: 2, MemoryKB: 1 << 24, PMU: "counts"},
		Server:  result.Server{Binary: "/usr/sbin/mysqld", Flavor: "mysql", Number: "8.0.28", Argv: []string{"mysqld", "--no-defaults"}, Variables: map[string]string{}},
	}
	for i := range 40 {
		run.Server.Variables[fmt.Sprintf("innodb_variable_%d", i)] = fmt.Sprint(i * 1000)
	}
	w := result.Window{ID: "w0", Start: begin, DurationNS: 10e9, Gated: true, State: result.OK,
		Ops:     result.OpCount{Source: result.SourceClient, Per: "statement", Begin: 0, End: 100_000},
		Latency: &result.Latency{Count: 100_000, MeanUS: 81, P50US: 80, P95US: 99, P99US: 140, MaxUS: 9000},
		Quality: []result.Quality{{Name: "steal", Limit: 1, OK: true}, {Name: result.CheckOthers, Limit: 5, OK: true}}}
	add := func(name string, v float64, unit string, src result.Source) {
		w.Readings = append(w.Readings, result.Got(name, v, unit, src, result.UserKernel))
	}
	add("instructions_user", 4e9*cost, "count", result.SourcePerf)
	add("instructions_kernel", 1e9*cost, "count", result.SourcePerf)
	add("cycles_user", 3e9*cost, "count", result.SourcePerf)
	add("cycles_kernel", 1e9*cost, "count", result.SourcePerf)
	add("cpu_us", 8e6*cost, "us", result.SourceProc)
	add("cpu_user_us", 6e6*cost, "us", result.SourceProc)
	add("cpu_system_us", 2e6*cost, "us", result.SourceProc)
	add("context_switches", 200_000, "count", result.SourceProc)
	add("context_switches_voluntary", 199_000, "count", result.SourceProc)
	add("context_switches_involuntary", 1000, "count", result.SourceProc)
	for i := len(w.Readings); i < readings; i++ {
		add(fmt.Sprintf("handler_number_%d", i), 1000*float64(i)*cost, "count", result.SourceServer)
	}
	w.Readings[0].Scope, w.Readings[2].Scope = result.User, result.User
	w.Readings[1].Scope, w.Readings[3].Scope = result.Kernel, result.Kernel
	run.Passes = []result.Pass{{Kind: result.PassCount, State: result.OK, Windows: []result.Window{w}}}
	return run
}

// TestReportBench20000 measures reports of 20,000 stored runs of 60 readings, by
// the program itself: time and the most memory that it had resident. The first
// report reads every run.json and makes the index; the others take the runs from
// that.
func TestReportBench20000(t *testing.T) {
	if os.Getenv("OPCOST_BENCH") != "1" {
		t.Skip("a benchmark: runs with OPCOST_BENCH=1")
	}
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	dir := thousands(t, 20_000, 60)
	time.Sleep(3 * time.Second) // a run.json written just now is not taken into an index
	const mostTime, mostMB = 2 * time.Second, 300
	for i, view := range [][]string{{}, {}, {"--relative"}, {"--sweep"}, {"--series"}, {"--format", "markdown"},
		{"--format", "csv"}, {"--format", "tsv"}, {"--format", "json"}, {"--format", "benchfmt"}} {
		args := append([]string{"report", dir, "--noise", "none"}, view...)
		cmd := exec.Command(path, args...)
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdout, cmd.Stderr = out, os.Stderr
		began := time.Now()
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		took := time.Since(began)
		usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		st, err := out.Stat()
		if err != nil || st.Size() < 10_000 {
			t.Errorf("%v printed %v bytes: %v", view, st.Size(), err)
		}
		name := "report of 20,000 runs"
		if i == 0 {
			name = "first " + name + ", which makes their index"
		}
		mb := usage.Maxrss >> 10
		figures.Say(t, figures.Figure{Name: strings.TrimSpace(name + " " + strings.Join(view, " ")), Limit: "2 s, 300 MB", Met: took <= mostTime && mb <= mostMB,
			Seen: fmt.Sprintf("%.2f s (CPU %.2f s), %d MB, %.1f MB printed", took.Seconds(),
				(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), mb, float64(st.Size())/1e6)})
		if mb > mostMB { // the time says little where others use the machine
			t.Errorf("%v took %d MB, over %d", view, mb, mostMB)
		}
	}
}
