package server

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"opcost/collectors/child"
)

// TestWatched tells a process that is stopped from one that works, one that has
// ended, and one that nobody waits for any more.
func TestWatched(t *testing.T) {
	begin := func(argv ...string) *exec.Cmd {
		t.Helper()
		cmd := exec.Command(argv[0], argv[1:]...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
		return cmd
	}
	const look = 20 * time.Millisecond
	stopped := begin("sleep", "600")
	if err := stopped.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	sleeping := begin("sleep", "600")
	zombie := begin("true")
	busy := begin("sh", "-c", "while :; do :; done")
	for name, c := range map[string]struct {
		pid   int
		state string // "": no hang
	}{
		"stopped": {stopped.Process.Pid, "T"}, "sleeping": {sleeping.Process.Pid, "S"},
		"busy": {busy.Process.Pid, ""}, "a zombie": {zombie.Process.Pid, ""}, "nobody": {1 << 22, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			looks, wait := 5, 20*look
			switch {
			case c.state != "":
				wait = time.Minute
			case name == "busy": // a full machine may let it wait for some looks
				looks, wait = 50, 75*look
			}
			ctx, cancel := watched(context.Background(), c.pid, look, looks)
			defer cancel()
			select {
			case <-ctx.Done():
			case <-time.After(wait):
			}
			var h *Hang
			if is := errors.As(context.Cause(ctx), &h); is != (c.state != "") || is && (h.State != c.state || h.PID != c.pid || h.For != look*time.Duration(looks)) {
				t.Errorf("%v, want state %q", context.Cause(ctx), c.state)
			}
		})
	}
}

func TestWatchedEndsWithItsContext(t *testing.T) {
	outer, stop := context.WithCancelCause(context.Background())
	ctx, cancel := watched(outer, os.Getpid(), time.Millisecond, 1<<30)
	defer cancel()
	why := errors.New("interrupted")
	stop(why)
	if <-ctx.Done(); context.Cause(ctx) != why {
		t.Errorf("%v", context.Cause(ctx))
	}
	ctx, cancel = watched(context.Background(), os.Getpid(), time.Millisecond, 1<<30)
	if cancel(); context.Cause(ctx) != context.Canceled {
		t.Errorf("%v", context.Cause(ctx))
	}
}

func TestHangSaysWhatToDo(t *testing.T) {
	for state, want := range map[string]string{"T": "kill -CONT 7 ", "t": "debugger", "D": "--work", "S": "error log", "": "error log"} {
		if got := (&Hang{7, state, 30 * time.Second}).Error(); !strings.HasPrefix(got, "the server (pid 7) hangs: it has used no CPU at all for 30s; ") || !strings.Contains(got, want) {
			t.Errorf("%s: %s", state, got)
		}
	}
}

// TestLiveIdleServerIsNoHangLong: what the watch rests on.
func TestLiveIdleServerIsNoHangLong(t *testing.T) {
	if os.Getenv("OPCOST_TEST_LONG") != "1" {
		t.Skip("it waits for 20 s: `make test-long` (OPCOST_TEST_LONG=1) runs it")
	}
	s := liveSite(t, liveSpec(t))
	i := started(t, s, StartOptions{})
	defer stop(t, i)
	var last time.Duration
	var longest time.Duration
	moved := time.Now()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		now, err := child.CPUTime(i.PID())
		if err != nil {
			t.Fatal(err)
		}
		if now != last {
			last, moved = now, time.Now()
		}
		longest = max(longest, time.Since(moved))
	}
	t.Logf("an idle server was without CPU for %v at most", longest)
	if longest > hangLook*hangLooks/3 {
		t.Errorf("an idle server was without CPU for %v; it counts as hanging after %v", longest, hangLook*hangLooks)
	}
}
