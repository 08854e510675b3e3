package workload

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"opcost/perfctl/window"
)

// commanded is a load by a shell's command, which reaches no server.
func commanded(t *testing.T, text string) *External {
	t.Helper()
	return external(t, Driver{Name: DriverCommand, Command: text}, test(t, "point-query"),
		Access{Network: "unix", Charset: "latin1", Protocol: Text}, Data{Tables: 1, Rows: 1}, 1)
}

// running are the processes whose pids a command has written into a file.
func running(t *testing.T, file string) (live []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		p, err := procfs.NewProc(pid)
		if err != nil {
			continue
		}
		if st, err := p.Stat(); err == nil && st.State != "Z" && st.Comm == "sleep" {
			live = append(live, f)
		}
	}
	return live
}

// A program that ends before what it has started would have that go on into
// the next window: it is ended, wherever it went, and said.
func TestWhatACommandLeavesIsEnded(t *testing.T) {
	for name, text := range map[string]string{
		"in the background":       `sleep 1000 & echo $! >>FILE`,
		"in a session of its own": `setsid sh -c 'echo $$ >>FILE; exec sleep 1000' & sleep 0.3`,
		"deaf to SIGTERM":         `(trap "" TERM HUP; exec sleep 1000) & echo $! >>FILE; sleep 0.2`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pids")
			e := commanded(t, strings.ReplaceAll(text, "FILE", file))
			if err := e.Run("x", time.Second); err != nil {
				t.Fatal(err)
			}
			<-e.Ended()
			if err := e.Finish(0); err == nil || !strings.Contains(err.Error(), "ended before what it had started, which was ended: sleep (pid ") {
				t.Errorf("error %v", err)
			}
			if live := running(t, file); len(live) > 0 {
				t.Errorf("still alive: %v", live)
			}
		})
	}
}

// A pipeline's last processes may outlive the shell for a moment.
func TestWhatEndsByItselfIsNoFailure(t *testing.T) {
	t.Parallel()
	e := commanded(t, "sleep 0.3 & exit 0")
	if err := e.Run("x", time.Second); err != nil {
		t.Fatal(err)
	}
	<-e.Ended()
	if err := e.Finish(0); err != nil {
		t.Error(err)
	}
}

// Stop ends all that a command has started, and is no failure of it.
func TestStopEndsWhatTheCommandStarted(t *testing.T) {
	for name, text := range map[string]string{
		"a shell's children": `sleep 1000 & echo $! >>FILE; sleep 1000 & echo $! >>FILE; wait`,
		"a session":          `setsid sh -c 'echo $$ >>FILE; exec sleep 1000'; true`,
		"deaf children":      `for i in 1 2; do (trap "" TERM; exec sleep 1000) & echo $! >>FILE; done; wait`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pids")
			e := commanded(t, strings.ReplaceAll(text, "FILE", file))
			if err := e.Run("x", time.Second); err != nil {
				t.Fatal(err)
			}
			for until := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
				if text, err := os.ReadFile(file); err == nil && len(text) > 0 && len(running(t, file)) > 0 {
					break
				} else if time.Now().After(until) {
					t.Fatal("the command did not start its children")
				}
			}
			if err := e.Stop(); err != nil {
				t.Error(err)
			}
			if live := running(t, file); len(live) > 0 {
				t.Errorf("still alive: %v", live)
			}
			if err := e.Err(); err != nil {
				t.Errorf("stopping it is no failure of it: %v", err)
			}
			if err := e.Run("y", time.Second); err == nil || !strings.Contains(err.Error(), "was stopped") {
				t.Errorf("started again after it was stopped: %v", err)
			}
		})
	}
}

func TestProgramThatPrintsEndlessly(t *testing.T) {
	t.Parallel()
	e := commanded(t, "echo first words; yes garbage")
	e.bounds.output = 1 << 20
	if err := e.Run("x", time.Hour); err != nil {
		t.Fatal(err)
	}
	<-e.Ended()
	if err := e.Finish(0); err == nil || !strings.Contains(err.Error(), "printed more than 1 MB and was stopped") || strings.Contains(err.Error(), "garbage") {
		t.Errorf("error %v", err)
	}
	text, err := os.ReadFile(e.Output("x"))
	if err != nil || len(text) != 1<<20 || !strings.Contains(string(text[:200]), "\nfirst words\n") {
		t.Errorf("%d bytes are kept, %v", len(text), err)
	}
}

// A program that is to do operations has no time after which it must have
// ended. One that works on is left alone, one that hangs is not.
func TestProgramThatHangs(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"hangs", "true {operations}; sleep 1000", "did nothing for 2s, though its operations were not done"},
		{"works", "true {operations}; end=$(($(date +%s)+4)); while [ $(date +%s) -lt $end ]; do :; done", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := commanded(t, c.text)
			e.bounds.stuck = 2 * time.Second
			<-e.Release(window.Phase{Name: "x", Operations: 10})
			err := e.Quiesce(context.Background())
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestEnding(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int64]string{100: "one\ntwo\nthree\n", 14: "one\ntwo\nthree\n", 12: "two\nthree\n", 3: ""} {
		if got, err := ending(path, most); got != want || err != nil {
			t.Errorf("the last %d bytes: %q, %v; want %q", most, got, err, want)
		}
	}
}
