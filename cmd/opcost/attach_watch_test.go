package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// screens: on a terminal the page is redrawn in place and takes keys; tmux is
// the terminal.
func screens(t *testing.T, s *attachServer) {
	lacking(t, "tmux")
	s.load(t, 1, 60*time.Second)
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("opcost-test-%d", os.Getpid())
	tmux := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("tmux", append([]string{"-L", name, "-f", "/dev/null"}, args...)...)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TERM=xterm-256color")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	line := fmt.Sprintf("%s attach --pid %d --user root --interval 500ms; echo ended with $?; stty -a; sleep 60", path, s.PID())
	tmux("new-session", "-d", "-x", "80", "-y", "40", line)
	t.Cleanup(func() { tmux("kill-server") })
	shown := func() string { return tmux("capture-pane", "-p") }
	clock := func(page string) string { return strings.SplitN(page, " ", 2)[0] }

	eventually(t, "it asks for the password", func() bool { return strings.Contains(shown(), "assword") })
	tmux("send-keys", "Enter") // there is none
	eventually(t, "a page", func() bool { return strings.Contains(shown(), "CPU/query") })
	first := shown()
	for _, want := range []string{"window of 500ms", "q quit  p pause  s sort (by latency)", "more lines: a higher window shows them"} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not on the screen:\n%s", want, first)
		}
	}
	eventually(t, "the page is drawn again", func() bool { p := shown(); return strings.Contains(p, "window of") && clock(p) != clock(first) })
	if n := strings.TrimSpace(tmux("display-message", "-p", "#{history_size}")); n != "0" {
		t.Errorf("%s lines have scrolled away: it was not drawn in place", n)
	}
	tmux("send-keys", "s")
	eventually(t, "sorted by CPU", func() bool { return strings.Contains(shown(), "s sort (by cpu)") })
	tmux("send-keys", "p")
	eventually(t, "paused", func() bool { return strings.Contains(shown(), "p go on (paused)") })
	still := shown()
	time.Sleep(1500 * time.Millisecond) // two windows and more
	if now := shown(); now != still {
		t.Errorf("the page changed while it was paused:\n%s\nthen\n%s", still, now)
	}
	tmux("send-keys", "p")
	eventually(t, "it goes on", func() bool { p := shown(); return strings.Contains(p, "p pause") && clock(p) != clock(still) })
	tmux("send-keys", "q")
	eventually(t, "it ended", func() bool { return strings.Contains(shown(), "ended with") })
	eventually(t, "stty speaks", func() bool { return strings.Contains(shown(), "echoke") })
	page := shown()
	if !strings.Contains(page, "ended with 0") {
		t.Errorf("q did not end it well:\n%s", page)
	}
	for _, lost := range []string{" -echo ", " -icanon", " -isig", " -opost"} {
		if strings.Contains(page, lost) {
			t.Errorf("the terminal was left with%s:\n%s", lost, page)
		}
	}
}

// appended: elsewhere page follows page, until it is told to stop.
func appended(t *testing.T, s *attachServer) {
	s.load(t, 1, 30*time.Second)
	for _, c := range []struct {
		format string
		pages  string // is in each
	}{{"table", "window of 300ms"}, {"json", `"schema": 1`}} {
		dir := t.TempDir()
		out, err := os.CreateTemp(dir, "out")
		if err != nil {
			t.Fatal(err)
		}
		path, err := built()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(tmp(dir), 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(path, s.attach("--interval", "300ms", "--format", c.format)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+tmp(dir))
		var stderr watched
		cmd.Stdout, cmd.Stderr = out, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		text := func() string {
			b, err := os.ReadFile(out.Name())
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		eventually(t, "three pages", func() bool { return strings.Count(text(), c.pages) >= 3 })
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v: %s", c.format, err, stderr.text())
		}
		if strings.Contains(text(), "\x1b") {
			t.Errorf("%s: a file has a terminal's commands in it", c.format)
		}
		nothingAlive(t, dir)
		if left, _ := os.ReadDir(tmp(dir)); len(left) > 0 {
			t.Errorf("%s was left", left[0].Name())
		}
	}
}
