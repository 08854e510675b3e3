package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// begun starts an attach as a user of its own, and waits until its window has
// been under way for a while.
func begun(t *testing.T, s *attachServer, length string, after time.Duration) *command {
	t.Helper()
	for _, q := range []string{"CREATE OR REPLACE USER watcher@localhost", "GRANT PROCESS, SELECT ON *.* TO watcher@localhost"} {
		if _, err := s.Control().Query(context.Background(), q); err != nil {
			t.Fatal(err)
		}
	}
	c := start(t, t.TempDir(), "attach", "--pid", fmt.Sprint(s.PID()), "--user", "watcher", "--duration", length)
	c.until("measuring")
	time.Sleep(after)
	return c
}

var partialCPU = regexp.MustCompile(`(?m)^CPU/query, µs +~[0-9]`)

// keptPart: what was measured until then is printed, marked, and the exit is 1.
func keptPart(t *testing.T, o outcome, why string) {
	t.Helper()
	if o.code != exitIncomplete {
		t.Errorf("exit %d: %s", o.code, o.stderr)
	}
	if !partialCPU.MatchString(o.stdout) || !strings.Contains(o.stdout, "By kind of statement") {
		t.Errorf("no table, or not marked as partial:\n%s", o.stdout)
	}
	for _, want := range []string{"opcost: the window is partial: ", why, "the values are of its first"} {
		if !strings.Contains(o.stderr, want) {
			t.Errorf("%q is not in %s", want, o.stderr)
		}
	}
}

// lostConnection: an administrator kills our connection.
func lostConnection(t *testing.T, s *attachServer) {
	s.load(t, 1, 60*time.Second)
	kill := func() {
		t.Helper()
		rows, err := s.Control().Query(context.Background(), "SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'watcher'")
		if err != nil || len(rows) != 1 {
			t.Fatalf("%d connections of the watcher's, %v", len(rows), err)
		}
		if _, err := s.Control().Query(context.Background(), "KILL "+rows[0][0]); err != nil {
			t.Fatal(err)
		}
	}
	// After 1 s the window has been read up to then; arming takes another.
	c := begun(t, s, "12s", 3500*time.Millisecond)
	kill()
	keptPart(t, c.wait(), "connection")

	c = begun(t, s, "900ms", 0) // ends before anything can be kept
	kill()
	if o := c.wait(); o.code == exitDone || o.stdout != "" || strings.Count(o.stderr, "opcost: ") != 1 {
		t.Errorf("exit %d: %s%s", o.code, o.stdout, o.stderr)
	}
}

// stopped: the server is shut down in the window and comes back as another
// process.
func stopped(t *testing.T, s *attachServer) {
	s.load(t, 1, 60*time.Second)
	c := begun(t, s, "20s", 3500*time.Millisecond)
	pid := s.PID()
	began := time.Now()
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-s.Exited()
	_ = s.Stop(context.Background()) // gives its folder free
	s.start(t)
	if s.PID() == pid {
		t.Fatalf("the new server has the old one's pid %d", pid)
	}
	keptPart(t, c.wait(), "the server has ended")
	t.Logf("it was there %v after the server was told to stop", time.Since(began))
	oneLine(t, opcost(t, "attach", "--pid", fmt.Sprint(pid)), exitUsage, fmt.Sprintf("--pid %d: there is no such process", pid), fmt.Sprintf("--pid %d", s.PID()))

	// Killed, with nobody to tell: and by --interval.
	s.load(t, 1, 60*time.Second)
	w := start(t, t.TempDir(), s.attach("--interval", "3s")...)
	time.Sleep(2 * time.Second)
	if err := syscall.Kill(s.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if o := w.wait(); o.code != exitIncomplete || !strings.Contains(o.stderr, "has ended") {
		t.Errorf("exit %d: %s", o.code, o.stderr)
	}
}
