package callgrind

import (
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"opcost/collectors"
	"opcost/collectors/probe"
	format "opcost/profiles/callgrind"
)

func TestMariaDB(t *testing.T) {
	live(t, "mariadbd", "valgrind", "vgdb")
	data := newData(t)
	t.Run("point queries", func(t *testing.T) { pointQueries(t, data) })
	t.Run("threads apart", func(t *testing.T) { threadsApart(t, data) })
}

// pointQueries is what this room is for: the instructions of a point query are
// the same over three server starts, for both protocols, and the performance
// schema adds to them.
func pointQueries(t *testing.T, data string) {
	const warmup, n = 500, 500
	perQuery := map[string][]float64{}
	for _, schema := range []string{"OFF", "ON"} {
		starts := 3
		if schema == "ON" {
			starts = 1
		}
		for range starts {
			began := time.Now()
			s := startServer(t, data, true, "--performance-schema="+schema)
			t.Logf("performance_schema=%s: started in %v", schema, time.Since(began).Round(time.Millisecond))
			for _, protocol := range []string{"prepared", "text"} {
				c := s.client(protocol == "prepared")
				c.run(warmup) // without instrumentation
				began := time.Now()
				r := s.window(c, n, "w", "")
				ir := *r[connection].Value / n
				t.Logf("%s: %.1f instructions/query, background %.1f, window of %v", protocol, ir, *r[background].Value/n, time.Since(began).Round(time.Millisecond))
				if *r[total].Value != *r[connection].Value+*r[background].Value {
					t.Errorf("parts do not add up: %v", r)
				}
				perQuery[protocol+schema] = append(perQuery[protocol+schema], ir)
				if err := c.conn.Close(); err != nil {
					t.Error(err)
				}
			}
			s.stop()
		}
	}
	for _, protocol := range []string{"prepared", "text"} {
		off, on := perQuery[protocol+"OFF"], perQuery[protocol+"ON"]
		if spread := slices.Max(off)/slices.Min(off) - 1; spread > 0.01 {
			t.Errorf("%s: spread %.2f%% over three starts: %v", protocol, 100*spread, off)
		}
		if on[0] <= slices.Max(off) {
			t.Errorf("%s: performance_schema on %v, off %v", protocol, on, off)
		}
	}
	if p, x := perQuery["preparedOFF"][0], perQuery["textOFF"][0]; p >= x {
		t.Errorf("prepared %v, text %v: text must also be parsed", p, x)
	}
}

// threadsApart checks the division by means that are not ours: a window
// without a query has nothing on the connection's thread, twice the queries
// have twice the instructions, and what another connection does is background.
func threadsApart(t *testing.T, data string) {
	s := startServer(t, data, true, "--performance-schema=OFF")
	c, other := s.client(true), s.client(false)
	c.run(500)

	// What an abandoned window counted must not reach the next one.
	abandoned, err := New(s.wrapper).Arm(t.Context(), collectors.Target{PID: s.proc.PID(), PIDFD: -1}, probe.Caps{})
	if err != nil {
		t.Fatal(err)
	}
	if err := abandoned.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.run(100)
	if _, err := abandoned.Close(); err != nil {
		t.Fatal(err)
	}

	if idle := *s.window(c, 0, "idle", "")[connection].Value; idle != 0 {
		t.Errorf("%v instructions on the connection's thread without a query", idle)
	}
	one := *s.window(c, 250, "one", "")[connection].Value
	two := *s.window(c, 500, "two", "")[connection].Value
	if ratio := two / one; math.Abs(ratio-2) > 0.02 {
		t.Errorf("500 queries cost %.3f times 250", ratio)
	}
	counted := c.tid
	c.tid = other.tid
	r := s.window(c, 250, "other", "")
	c.tid = counted
	if *r[connection].Value != 0 || math.Abs(*r[background].Value/one-1) > 0.02 {
		t.Errorf("queries of another connection: connection %v, background %v, want 0 and about %v", *r[connection].Value, *r[background].Value, one)
	}

	evidence := t.TempDir()
	r = s.window(c, 250, "win-1", evidence)
	checkEvidence(t, evidence, *r[total].Value)

	dir := s.wrapper.Dir
	s.stop()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name(), "vgdb") {
			t.Errorf("a pipe is left after the server's end: %s", f.Name())
		}
	}
}

// checkEvidence reads the kept dumps again: the instructions are those of the
// readings, and the sum of the functions.
func checkEvidence(t *testing.T, dir string, want float64) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "win-1-callgrind-thread-*.out.gz"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("evidence: %v, %v", paths, err)
	}
	var sum uint64
	for _, path := range paths {
		plain := filepath.Join(t.TempDir(), "dump")
		gunzip(t, path, plain)
		p, err := format.ParseFile(plain)
		if err != nil {
			t.Fatal(err)
		}
		part := p.Parts[0]
		if diff := cmp.Diff(part.Totals, part.Self()); diff != "" {
			t.Errorf("%s: -totals +own costs\n%s", path, diff)
		}
		sum += part.Totals[0]
	}
	if float64(sum) != want {
		t.Errorf("evidence holds %d instructions, the reading %v", sum, want)
	}
	// The same dumps are a profile, a thread each, that adds up to the reading.
	set, err := format.ReadFiles(paths...)
	if err != nil {
		t.Fatal(err)
	}
	weight, _ := set.Profiles[0].Total()
	threads := map[string]bool{}
	for _, s := range set.Profiles[0].Stacks {
		threads[s.Thread] = true
	}
	if float64(weight) != want || len(threads) != len(paths) || set.Warnings != nil {
		t.Errorf("as a profile: %d instructions of %d threads in %d files, the reading %v; %q", weight, len(threads), len(paths), want, set.Warnings)
	}
}

func gunzip(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := out.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
}
