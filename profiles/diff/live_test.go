package diff

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"opcost/profiles/callgrind"
	"opcost/profiles/internal/live"
	"opcost/profiles/perfdata"
)

// program spends 60, 30 and 10% in three functions; with TIMES 2 the second costs
// twice as much.
const program = `
#include <stdio.h>
static volatile unsigned sink;
__attribute__((noinline)) static void work(unsigned n) { for (unsigned i = 0; i < n; i++) sink += i; }
#define FN(name) __attribute__((noinline)) void name(unsigned n) { for (unsigned i = 0; i < n; i++) sink += i; }
FN(row_search_mvcc)
FN(MYSQLparse)
FN(trx_commit_low)
int main(void) {
	for (int i = 0; i < QUERIES; i++) { row_search_mvcc(600); MYSQLparse(300 * TIMES); trx_commit_low(100); }
	work(1);
	printf("%u\n", sink);
	return 0;
}
`

func run(t *testing.T, dir string, argv ...string) {
	t.Helper()
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir, c.Env = dir, append(os.Environ(), "LC_ALL=C")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", argv, err, out)
	}
}

// compile makes the programs "1" and "2", the second with the costlier function.
// They are different builds: the second is compiled with other options too.
func compile(t *testing.T, dir, queries string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "p.c"), []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, times := range []string{"1", "2"} {
		run(t, dir, "gcc", "-g", "-O1", "-fno-omit-frame-pointer", "-DTIMES="+times, "-DQUERIES="+queries, "-o", times, "p.c")
	}
}

// TestDoubledCounted: under callgrind, a function made twice as costly is the first
// row, with at least 95% of the change, and its subsystem the first.
func TestDoubledCounted(t *testing.T) {
	live.Needs(t, "gcc", "valgrind")
	dir := t.TempDir()
	compile(t, dir, "1000")
	side := func(times string) []Side {
		run(t, dir, "valgrind", "--tool=callgrind", "--callgrind-out-file=out."+times, "./"+times)
		set, err := callgrind.ReadFiles(filepath.Join(dir, "out."+times))
		if err != nil {
			t.Fatal(err)
		}
		return []Side{{Profile: set.Profiles[0], Operations: 1000}}
	}
	table := build(t, side("1"), side("2"), Options{})
	first := table.Rows[0]
	t.Logf("%s: %.1f to %.1f instructions, %.2f%% of the change", first.Function, first.Base, first.New, 100**first.Share)
	if first.Function != "MYSQLparse" || *first.Share < 0.95 || first.State != Both || first.Subsystem != "parser" {
		t.Errorf("the first row is %+v", first)
	}
	if ratio := first.New / first.Base; ratio < 1.95 || ratio > 2.05 {
		t.Errorf("it costs %.3f times as much, want 2", ratio)
	}
	if got := table.Subsystems[0]; got.Subsystem != "parser" || *got.Share < 0.95 {
		t.Errorf("the first subsystem is %+v", got)
	}
}

// TestDoubledSampled: the same by perf, twice each. Programs that share the
// machine's CPUs make all code slower, so the function is measured by another one
// of the same runs, and what moved more must have done so within noise.
func TestDoubledSampled(t *testing.T) {
	live.Needs(t, "gcc", "perf")
	dir := t.TempDir()
	const queries = 1_600_000
	compile(t, dir, strconv.Itoa(queries))
	// They alternate, so that a machine that gets slower meanwhile does so for both.
	sides := map[string][]Side{}
	for _, times := range []string{"1", "2", "2", "1"} {
		run(t, dir, "perf", "record", "-q", "-e", "cpu-clock", "-F", "1999", "-g", "-o", "perf.data", "./"+times)
		set, err := perfdata.Read(context.Background(), filepath.Join(dir, "perf.data"), perfdata.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sides[times] = append(sides[times], Side{Profile: set.Profiles[0], Operations: queries})
	}
	table := build(t, sides["1"], sides["2"], Options{KeepNoise: true})
	for _, r := range table.Rows[:min(4, len(table.Rows))] {
		t.Logf("%-20s %.4f to %.4f us, %+.0f%% of the change, ±%.4f", r.Function, r.Base, r.New, 100**r.Share, *r.Uncertainty)
	}
	rows := map[string]Row{}
	for _, r := range table.Rows {
		rows[r.Function] = r
	}
	parse, search := rows["MYSQLparse"], rows["row_search_mvcc"]
	if ratio := parse.New / search.New / (parse.Base / search.Base); ratio < 1.5 || ratio > 2.6 {
		t.Errorf("it costs %.2f times as much against row_search_mvcc, want 2: %+v, %+v", ratio, parse, search)
	}
	for _, r := range table.Rows {
		if r.Function == "MYSQLparse" {
			break
		}
		if math.Abs(r.Delta) > *r.Uncertainty {
			t.Errorf("%+v is before it", r)
		}
	}
}
