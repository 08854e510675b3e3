package result

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// aRun is a run of a usual size: n windows with 60 readings.
func aRun(id string, n int) Run {
	rng := rand.New(rand.NewPCG(1, uint64(len(id))))
	begin := time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)
	run := Run{
		Schema: Schema, ID: id, Host: "h", Started: begin, PlanHash: "0123456789abcdef", Seed: 1<<64 - 1, Repeat: 3, Start: "s1",
		Version: "nobl", Base: "nobl", Workload: "random-points_range=1000", Group: "point", Clients: 4, Driver: "builtin", Protocol: "prepared",
		Transport: "socket", Charset: "latin1", Tables: 1, Rows: 100000,
		Machine: Machine{Kernel: "6.1", CPUModel: "a CPU <x> & y", CPUs: 2, MemoryKB: 1 << 24, PMU: "counts", Load1: 0.12},
		Server: Server{Binary: "/usr/sbin/mariadbd", VersionText: "Ver 10.11 \u2028 \"q\"", Flavor: "mariadb", Number: "10.11.19",
			Argv: []string{"mariadbd", "--checksum=\"checksum\":\"\"}"}, Variables: map[string]string{"checksum": ""}},
		Warnings: []Warning{{"ops_differ", "a text"}},
	}
	for i := range 40 {
		run.Server.Variables[fmt.Sprintf("innodb_variable_%d", i)] = fmt.Sprint(i * 1000)
	}
	pass := Pass{Kind: PassCount, State: OK}
	for i := range n {
		w := Window{ID: fmt.Sprint("w", i), Start: begin, DurationNS: 10e9, Gated: true, State: OK, EdgeNS: [2]int64{100, 200},
			Ops:      OpCount{Source: SourceClient, Per: "statement", Begin: 5, End: 123456},
			OtherOps: []OpCount{{Source: SourceServer, Per: "statement", Begin: 5, End: 123456}},
			Latency:  &Latency{Count: 123451, MeanUS: 81.2, P50US: 80, P95US: 99, P99US: 140, MaxUS: 9000},
			Quality:  []Quality{{Name: "steal", Value: 0.01, Limit: 1, OK: true}},
			Evidence: []string{"w0-perf.json"},
		}
		for j := range 55 {
			w.Readings = append(w.Readings, Got(fmt.Sprintf("handler_number_%d", j), rng.Float64()*1e9, "count", SourceServer, UserKernel))
		}
		for j := range 5 {
			w.Readings = append(w.Readings, Lacking(fmt.Sprintf("cache_misses_%d", j), "count", SourcePerf, User, Unsupported,
				"this machine has no PMU", "measure on a machine that has one"))
		}
		pass.Windows = append(pass.Windows, w)
	}
	run.Passes = []Pass{pass}
	return run
}

// written makes a results folder that holds the runs.
func written(t testing.TB, runs ...Run) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "results")
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if _, err := f.Begin(r.ID); err != nil {
			t.Fatal(err)
		}
		if err := f.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func mustRead(t testing.TB, dirs ...string) ([]Run, []Warning) {
	t.Helper()
	runs, warnings, err := Read(dirs...)
	if err != nil {
		t.Fatal(err)
	}
	return runs, warnings
}

func write(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
