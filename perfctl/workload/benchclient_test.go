package workload

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"opcost/collectors/child"
	"opcost/perfctl/window"
	"opcost/perfctl/workload/internal/testserver"
	"opcost/testbed/figures"
)

// benchLimit is what the built-in client's CPU per point query may be, as a
// multiple of sysbench's.
const benchLimit = 1.25

// TestBenchClientCPU compares the CPU (user and system, of the whole process)
// that a point query costs the built-in client and sysbench: prepared, one
// client, the same table of the same server, by turns. It takes a minute or
// two, so it runs by `make bench` (OPCOST_BENCH=1) only; OPCOST_BENCH_PAIRS
// and OPCOST_BENCH_QUERIES change how much. The figures show with -v.
func TestBenchClientCPU(t *testing.T) {
	if os.Getenv("OPCOST_BENCH") != "1" {
		t.Skip("a benchmark: set OPCOST_BENCH=1, or run make bench")
	}
	testserver.Missing(t, "sysbench")
	pairs, queries := number("OPCOST_BENCH_PAIRS", 21), number("OPCOST_BENCH_QUERIES", 20000)
	d := Data{Tables: 1, Rows: 10000, Seed: 1}
	a := load(t, d)
	b := startLoad(t, BuiltinConfig{Access: a, Test: test(t, "point-query"), Data: d, Clients: 1, Seed: 1})
	if err := Warm(context.Background(), a, d, nil); err != nil {
		t.Fatal(err)
	}
	builtin := func(queries int) time.Duration {
		begin := used(t, syscall.RUSAGE_SELF)
		<-b.Release(window.Phase{Name: "bench", Operations: int64(queries)})
		cpu := used(t, syscall.RUSAGE_SELF) - begin
		quiesce(t, b)
		return cpu
	}
	sysbench := func(queries int) time.Duration {
		begin := used(t, syscall.RUSAGE_CHILDREN)
		out, stderr, err := child.Output(context.Background(), "sysbench", "oltp_point_select",
			"--mysql-socket="+a.Addr, "--mysql-user="+a.User, "--mysql-db="+a.Database,
			"--tables=1", "--table-size="+strconv.FormatInt(d.Rows, 10), "--rand-type=uniform", "--db-ps-mode=auto",
			"--threads=1", "--time=0", "--events="+strconv.Itoa(queries), "run")
		if err != nil {
			t.Fatalf("sysbench: %v\n%s%s", err, out, stderr)
		}
		return used(t, syscall.RUSAGE_CHILDREN) - begin
	}
	// sysbench's start is not part of a query.
	start := min(sysbench(1), sysbench(1), sysbench(1))
	builtin(queries)
	var ratios, ours, theirs []float64
	for i := range pairs {
		o := builtin(queries).Seconds() * 1e6 / float64(queries)
		s := (sysbench(queries) - start).Seconds() * 1e6 / float64(queries)
		ratios, ours, theirs = append(ratios, o/s), append(ours, o), append(theirs, s)
		t.Logf("pair %d: built-in %.2f us, sysbench %.2f us, ratio %.3f", i+1, o, s, o/s)
	}
	fmt.Printf("client CPU per point query, us (min/median/max of %d pairs of %d queries):\n", pairs, queries)
	fmt.Printf("  built-in %s\n  sysbench %s\n  ratio    %s (limit %.2f)\n", spread(ours), spread(theirs), spread(ratios), benchLimit)
	figures.Say(t, figures.Figure{Name: "client: CPU per point query, built-in over sysbench", Limit: fmt.Sprint(benchLimit),
		Seen: fmt.Sprintf("%.2f (median of %d pairs; %s)", median(ratios), pairs, spread(ratios)), Met: median(ratios) <= benchLimit})
	if m := median(ratios); m > benchLimit {
		t.Errorf("the built-in client takes %.2f times sysbench's CPU per point query, the limit is %.2f", m, benchLimit)
	}
}

func number(env string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(env)); err == nil && n > 0 {
		return n
	}
	return otherwise
}

// used is the CPU time of this process or of the children it has waited for.
func used(t *testing.T, who int) time.Duration {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(who, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

func spread(v []float64) string {
	return fmt.Sprintf("%.2f / %.2f / %.2f", slices.Min(v), median(v), slices.Max(v))
}
