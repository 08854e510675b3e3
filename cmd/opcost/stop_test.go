package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"opcost/perfctl/result"
)

// TestInterrupted: the first Ctrl-C ends the window and keeps it, and the same
// command measures it again.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	lacking(t, "mariadbd")
	dir := testDir(t, oneVersion+"duration: 4s\nrepeats: 1\ncounters: none\n")
	c := start(t, dir, "run", "plan.yaml", "--out", "out")
	c.until("window 1 of")
	time.Sleep(500 * time.Millisecond) // a part of the window
	c.signal(syscall.SIGINT)
	o := c.wait()
	for _, want := range []string{"stopping; press Ctrl-C again to end at once", "stopped: interrupt", "the same command goes on with what is missing"} {
		if !strings.Contains(o.stderr, want) {
			t.Errorf("stderr lacks %q:\n%s", want, o.stderr)
		}
	}
	if o.code != exitIncomplete || !strings.Contains(o.stdout, "qps") {
		t.Errorf("exit %d, and printed:\n%s", o.code, o.stdout)
	}
	nothingAlive(t, dir)
	nothingLeft(t, dir, "out")
	partial := kept(t, dir, "out")
	if len(partial) != 1 {
		t.Fatalf("%d runs were kept", len(partial))
	}
	for id, text := range partial {
		if complete(t, text) || !strings.Contains(text, `"state":"partial"`) {
			t.Errorf("%s counts as complete: %s", id, text)
		}
	}

	if o := start(t, dir, "run", "plan.yaml", "--out", "out").wait(); o.code != exitDone {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	for id, text := range kept(t, dir, "out") {
		if !complete(t, text) || text == partial[id] {
			t.Errorf("%s was not measured again", id)
		}
	}
	wantTable(t, dir, "out", 1, 1, "qps", "cpu_us_per_query")
	before := kept(t, dir, "out")
	if o := start(t, dir, "run", "plan.yaml", "--out", "out").wait(); o.code != exitDone || strings.Contains(o.stderr, "[1/") {
		t.Errorf("a run that is whole: exit %d, %s", o.code, o.stderr)
	}
	for id, text := range kept(t, dir, "out") {
		if before[id] != text {
			t.Errorf("%s was made again", id)
		}
	}
}

// TestTerminated stops it before there is anything to keep.
func TestTerminated(t *testing.T) {
	t.Parallel()
	lacking(t, "mariadbd")
	dir := testDir(t, twoVersions+"duration: 1s\nrepeats: 1\ncounters: none\n")
	c := start(t, dir, "run", "plan.yaml", "--out", "out")
	c.until("a: initialise and load")
	c.signal(syscall.SIGTERM)
	o := c.wait()
	if o.code != exitIncomplete || !strings.Contains(o.stderr, "stopped: terminated") || !strings.Contains(o.stderr, "no run has been measured yet") {
		t.Errorf("exit %d: %s", o.code, o.stderr)
	}
	nothingAlive(t, dir)
	nothingLeft(t, dir, "out")
}

// TestInterruptedTwice has a server that does not answer, so that the first
// Ctrl-C cannot come to its end.
func TestInterruptedTwice(t *testing.T) {
	t.Parallel()
	lacking(t, "mariadbd")
	dir := testDir(t, oneVersion+"duration: 60s\nrepeats: 1\ncounters: none\n")
	c := start(t, dir, "run", "plan.yaml", "--out", "out")
	c.until("window 1 of")
	servers := named(alive(t, dir), "mariadbd")
	if len(servers) != 1 {
		t.Fatalf("servers: %+v", servers)
	}
	if err := syscall.Kill(servers[0].pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	c.signal(syscall.SIGINT)
	c.until("stopping; press Ctrl-C again to end at once")
	select {
	case <-c.ended:
		t.Fatal("it ended by the first signal, so the test tests nothing")
	case <-time.After(500 * time.Millisecond):
	}
	c.signal(syscall.SIGINT)
	if o := c.wait(); o.code != exitIncomplete {
		t.Errorf("exit %d: %s", o.code, o.stderr)
	}
	nothingAlive(t, dir)
	nothingLeft(t, dir, "out")
}

// TestReaderGone: whoever read the progress has gone; the measurement goes on.
func TestReaderGone(t *testing.T) {
	t.Parallel()
	lacking(t, "mariadbd")
	dir := testDir(t, oneVersion+"duration: 100ms\nrepeats: 1\ncounters: none\n")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	c := startTo(t, dir, write, "run", "plan.yaml", "--out", "out")
	if err := write.Close(); err != nil {
		t.Fatal(err)
	}
	if o := c.wait(); o.code != exitDone || !strings.Contains(o.stdout, "qps") {
		t.Errorf("exit %d: %s", o.code, o.stdout)
	}
	nothingAlive(t, dir)
	nothingLeft(t, dir, "out")
}

// TestBeside: a changed plan is refused, and measured apart when that is asked.
func TestBeside(t *testing.T) {
	t.Parallel()
	lacking(t, "mariadbd")
	const rest = "duration: 100ms\nrepeats: 1\ncounters: none\n"
	dir := testDir(t, oneVersion+rest)
	if o := start(t, dir, "run", "plan.yaml", "--out", "out").wait(); o.code != exitDone {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	first := kept(t, dir, "out")
	writePlan(t, dir, oneVersion+"operations: 200\nrepeats: 1\ncounters: none\n")
	if o := start(t, dir, "run", "plan.yaml", "--out", "out").wait(); o.code != exitUsage || !strings.Contains(o.stderr, "runs of another plan") || !strings.Contains(o.stderr, "--beside") {
		t.Errorf("a changed plan: exit %d, %s", o.code, o.stderr)
	}
	for range 2 { // the second time there is nothing to do
		if o := start(t, dir, "run", "plan.yaml", "--out", "out", "--beside").wait(); o.code != exitDone {
			t.Fatalf("exit %d: %s", o.code, o.stderr)
		}
	}
	beside, err := filepath.Glob(filepath.Join(dir, "out", "beside-*"))
	if err != nil || len(beside) != 1 {
		t.Fatalf("%q, %v", beside, err)
	}
	out := filepath.Join("out", filepath.Base(beside[0]))
	for id, text := range kept(t, dir, out) {
		var r result.Run
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		if n := r.Passes[0].Windows[0].Ops.N(); n != 200 || text == first[id] {
			t.Errorf("%s has %d operations: it is not the changed plan's", id, n)
		}
	}
	for id, text := range kept(t, dir, "out") {
		if text != first[id] {
			t.Errorf("%s of the first plan was changed", id)
		}
	}
	wantTable(t, dir, out, 1, 1, "qps")
	wantTable(t, dir, "out", 1, 1, "qps")
	nothingLeft(t, dir, out)
	// The first plan goes on where it was, asked for or not.
	writePlan(t, dir, oneVersion+rest)
	if o := start(t, dir, "run", "plan.yaml", "--out", "out", "--beside").wait(); o.code != exitDone || strings.Contains(o.stderr, "[1/") {
		t.Errorf("the first plan again: exit %d, %s", o.code, o.stderr)
	}
}
