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

// killing makes a run of a plan that is killed with -9 at random moments, and
// begun again each time, until it may end. moments is how late a kill may come.
func killing(t *testing.T, kills int, moments time.Duration, text string, versions, starts int, metrics ...string) {
	dir := testDir(t, text)
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 1))
	ended := map[string]string{}
	var before []found
	check := func(when string) {
		now := kept(t, dir, "out")
		for id, text := range ended {
			if now[id] != text {
				t.Errorf("%s: the run %s had ended, and was lost or made again", when, id)
			}
		}
		ended = now
	}
	for k := range kills {
		c := start(t, dir, "run", "plan.yaml", "--out", "out")
		moment := time.Duration(random.Int64N(int64(moments)))
		deadline := time.After(moment)
		if len(before) > 0 {
			// The first thing that the next run says comes after the clearing.
			select {
			case <-deadline:
			case <-waiting(c, "[1/"):
				for _, b := range before {
					if slices.ContainsFunc(alive(t, dir), func(f found) bool { return f.pid == b.pid && f.ticks == b.ticks }) {
						t.Errorf("it lives on beside the next run: %v", b)
					}
				}
				before = nil
				<-deadline
			case <-c.ended:
			}
		} else {
			<-deadline
		}
		before = append(before, alive(t, dir)...)
		c.signal(syscall.SIGKILL)
		o := c.wait()
		if o.code >= 0 {
			t.Logf("kill %d came too late: the run had ended with status %d", k+1, o.code)
			before = nil
		}
		check(fmt.Sprintf("after kill %d at %v (seed %d)", k+1, moment, seed))
		t.Logf("kill %d at %v: %d runs have ended", k+1, moment.Round(time.Millisecond), len(ended))
	}
	o := start(t, dir, "run", "plan.yaml", "--out", "out").wait()
	if o.code != exitDone {
		t.Fatalf("the last run: exit %d (seed %d)\n%s", o.code, seed, o.stderr)
	}
	check("at the end")
	if passes := len(ended) / (versions * starts); len(ended)%(versions*starts) != 0 || passes == 0 {
		t.Errorf("%d runs on disk (seed %d)", len(ended), seed)
	}
	nothingAlive(t, dir)
	nothingLeft(t, dir, "out")
	wantTable(t, dir, "out", versions, starts, metrics...)
}

// waiting is closed when stderr has the text.
func waiting(c *command, text string) <-chan struct{} {
	seen := make(chan struct{})
	go func() {
		for !strings.Contains(c.stderr.text(), text) {
			select {
			case <-c.ended:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
		close(seen)
	}()
	return seen
}

const (
	twoVersions = "versions: [{name: a, mysqld: installed}, {name: b, mysqld: installed, options: [performance-schema=ON]}]\n"
	oneVersion  = "versions: [{name: a, mysqld: installed}]\n"
)

func TestKilled(t *testing.T) {
	lacking(t, "mariadbd", "perf", "valgrind")
	t.Run("counting", func(t *testing.T) {
		t.Parallel()
		killing(t, 5, 7*time.Second, twoVersions+"duration: 100ms\nrepeats: 2\ncounters: none\n", 2, 2, "qps", "cpu_us_per_query")
	})
	t.Run("callgrind", func(t *testing.T) {
		t.Parallel()
		killing(t, 3, 15*time.Second, oneVersion+"duration: 100ms\nrepeats: 1\ncounters: callgrind\n", 1, 1, "qps", "instructions_per_query")
	})
}

// TestBenchKilled is the figure of the docs: 20 moments of each kind of run.
func TestBenchKilled(t *testing.T) {
	if os.Getenv("OPCOST_BENCH") != "1" {
		t.Skip("OPCOST_BENCH is not 1: TestKilled does it with fewer kills")
	}
	lacking(t, "mariadbd", "perf", "valgrind")
	killing(t, 20, 12*time.Second, twoVersions+"duration: 100ms\nrepeats: 2\ncounters: none\n", 2, 2, "qps", "cpu_us_per_query")
	killing(t, 20, 25*time.Second, oneVersion+"duration: 100ms\nrepeats: 2\ncounters: callgrind\n", 1, 2, "qps", "instructions_per_query")
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
