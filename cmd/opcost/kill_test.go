package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// killed is a plan whose run is killed with -9 at random moments and begun again
// each time, until it may end.
type killed struct {
	plan     string
	versions int
	starts   int // repeats of each version
	passes   int
	metrics  []string // that the table must have in the end
}

// steps is how many lines of progress a start has, at least.
const steps = 4

// killing kills a run so many times. The moments are random among the steps of
// what is left to do, and random within a step. A run that was quicker than its
// kill is checked, and another begun in a new folder.
func killing(t *testing.T, kills int, k killed) {
	dir := testDir(t, k.plan)
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	folder, ended := 1, map[string]string{}
	var before []found
	for n := 0; n < kills; {
		out := fmt.Sprintf("out%d", folder)
		c := start(t, dir, "run", "plan.yaml", "--out", out)
		step := random.IntN(1 + k.versions + steps*(k.versions*k.starts*k.passes-len(ended)))
		if c.progressed(1) { // the first line comes after the clearing
			for _, p := range alive(t, dir) {
				if slices.ContainsFunc(before, func(b found) bool { return b.pid == p.pid && b.ticks == p.ticks }) {
					t.Errorf("kill %d: it lives on beside the next run: %v", n, p)
				}
			}
			before = nil
		}
		c.progressed(step)
		time.Sleep(time.Duration(random.Int64N(int64(700 * time.Millisecond))))
		before = append(before, alive(t, dir)...)
		c.signal(syscall.SIGKILL)
		if o := c.wait(); o.code >= 0 {
			k.whole(t, dir, out, o)
			folder, ended = folder+1, map[string]string{}
			continue
		}
		n++
		ended = keeps(t, dir, out, ended)
		t.Logf("kill %d after step %d: %d runs have ended", n, step, len(ended))
	}
	out := fmt.Sprintf("out%d", folder)
	o := start(t, dir, "run", "plan.yaml", "--out", out).wait()
	k.whole(t, dir, out, o)
	keeps(t, dir, out, ended)
	nothingAlive(t, dir)
}

// keeps checks that the runs that had ended are there, unchanged, and gives what
// is there now.
func keeps(t *testing.T, dir, out string, ended map[string]string) map[string]string {
	t.Helper()
	now := kept(t, dir, out)
	for id, text := range ended {
		if now[id] != text {
			t.Errorf("the run %s had ended, and was lost or made again", id)
		}
	}
	return now
}

// whole checks a run that came to its end.
func (k killed) whole(t *testing.T, dir, out string, o outcome) {
	t.Helper()
	if o.code != exitDone {
		t.Fatalf("exit %d\n%s", o.code, o.stderr)
	}
	if n := len(kept(t, dir, out)); n != k.versions*k.starts*k.passes {
		t.Errorf("%d runs on disk, want %d", n, k.versions*k.starts*k.passes)
	}
	nothingLeft(t, dir, out)
	wantTable(t, dir, out, k.versions, k.starts, k.metrics...)
}

// progressed waits for so many lines of progress; false: it ended before.
func (c *command) progressed(lines int) bool {
	for strings.Count(c.stderr.text(), "\n[") < lines {
		select {
		case <-c.ended:
			return false
		case <-time.After(5 * time.Millisecond):
		}
	}
	return true
}

const (
	twoVersions = "versions: [{name: a, mysqld: installed}, {name: b, mysqld: installed, options: [performance-schema=ON]}]\n"
	oneVersion  = "versions: [{name: a, mysqld: installed}]\n"
)

// The two kinds of server that a run has: plain, and under valgrind.
var (
	counted = killed{
		twoVersions + "duration: 100ms\nrepeats: 2\ncounters: none\n", 2, 2, 1, []string{"qps", "cpu_us_per_query"},
	}
	underValgrind = killed{
		oneVersion + "duration: 100ms\nrepeats: 1\ncounters: callgrind\n", 1, 1, 2, []string{"qps", "instructions_per_query"},
	}
)

func TestKilled(t *testing.T) {
	lacking(t, "mariadbd", "perf", "valgrind")
	t.Run("counted", func(t *testing.T) { t.Parallel(); killing(t, 5, counted) })
	t.Run("under valgrind", func(t *testing.T) { t.Parallel(); killing(t, 3, underValgrind) })
}

// TestBenchKilled is the figure of the docs: 20 kills of each.
func TestBenchKilled(t *testing.T) {
	if os.Getenv("OPCOST_BENCH") != "1" {
		t.Skip("OPCOST_BENCH is not 1: TestKilled does it with fewer kills")
	}
	lacking(t, "mariadbd", "perf", "valgrind")
	t.Run("counted", func(t *testing.T) { killing(t, 20, counted) })
	t.Run("under valgrind", func(t *testing.T) { killing(t, 20, underValgrind) })
}

// TestKilledWithPerf kills opcost while perf counts, and a server under
// valgrind waits for its turn: neither outlives it, without a next start.
func TestKilledWithPerf(t *testing.T) {
	t.Parallel()
	lacking(t, "mariadbd", "perf")
	dir := testDir(t, oneVersion+"duration: 60s\nrepeats: 1\ncounters: auto\n")
	c := start(t, dir, "run", "plan.yaml", "--out", "out")
	eventually(t, "perf is attached", func() bool {
		select {
		case <-c.ended:
			t.Fatalf("it ended: %s", c.stderr.text())
		default:
		}
		return strings.Contains(c.stderr.text(), "window 1 of") && len(named(alive(t, dir), "perf")) > 0
	})
	c.signal(syscall.SIGKILL)
	c.wait()
	nothingAlive(t, dir)
}

// TestSurvivor has a server outlive a kill of opcost: behind a launcher that
// stays in front of it, with the guard killed first. The next run finds and ends
// it, though it has another results folder.
func TestSurvivor(t *testing.T) {
	t.Parallel()
	lacking(t, "mariadbd")
	dir := testDir(t, "")
	launcher := filepath.Join(dir, "launcher")
	if err := os.WriteFile(launcher, []byte("#!/bin/sh\n\"$@\"\nexit $?\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	writePlan(t, dir, "versions: [{name: a, mysqld: installed, launcher: ["+launcher+"]}]\nduration: 60s\nrepeats: 1\ncounters: none\n")
	c := start(t, dir, "run", "plan.yaml", "--out", "first")
	c.until("window 1 of")
	for _, p := range alive(t, dir) {
		if strings.Contains(p.line, "kill -KILL") {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
	}
	c.signal(syscall.SIGKILL)
	c.wait()
	var server []found
	if !inTime(10*time.Second, func() bool { server = alive(t, dir); return len(server) == 1 }) || !strings.HasPrefix(server[0].line, "mariadbd") {
		t.Fatalf("not the server alone lives, so the test tests nothing: %+v", server)
	}

	writePlan(t, dir, oneVersion+"duration: 100ms\nrepeats: 1\ncounters: none\n")
	o := start(t, dir, "run", "plan.yaml", "--out", "second").wait()
	if want := fmt.Sprintf("mariadbd (pid %d) ended", server[0].pid); o.code != exitDone || !strings.Contains(o.stderr, want) {
		t.Errorf("exit %d, want %q:\n%s", o.code, want, o.stderr)
	}
	nothingAlive(t, dir)
	nothingLeft(t, dir, "first")
	nothingLeft(t, dir, "second")
}
