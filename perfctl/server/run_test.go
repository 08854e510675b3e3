package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestRunTool: programs that should print and end, and do something else.
func TestRunTool(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"prints without end": {"exec cat /dev/zero\n", "more than 1024 kB"},
		"its child does":     {"while :; do cat /dev/zero || exit 5; done 2>/dev/null\n", "exit status 5"},
		"in small pieces":    {"exec yes\n", "more than 1024 kB"},
		"says nothing":       {"exit 3\n", "exit status 3"},
		"dies":               {"echo last words; kill -SEGV $$\n", "last words"},
		"prints much":        {"exec head -c 2000000 /dev/zero\n", "more than 1024 kB"},
	} {
		out, err := runTool(testContext(t), []string{script(t, c.script)}, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.HasSuffix(err.Error(), ": ") || len(out) > toolOutput {
			t.Errorf("%s: %d bytes, %v", name, len(out), err)
		}
	}

	out, err := runTool(testContext(t), []string{script(t, "echo $MARK; echo err >&2; (sleep 5) &\n")}, map[string]string{"MARK": "mark"})
	if out != "mark\nerr\n" || err != nil {
		t.Errorf("an orphan that holds the output: %q, %v", out, err)
	}

	// Scripts open their streams again, and cut them as they do.
	out, err = runTool(testContext(t), []string{script(t, "set -e; echo first; echo warning > /dev/stderr; echo last\n")}, nil)
	if out != "first\nwarning\nlast\n" || err != nil {
		t.Errorf("a script that opens /dev/stderr: %q, %v", out, err)
	}

	// One that hangs ends with the context, and its cause is told.
	slow := errors.New("no answer in time")
	ctx, cancel := context.WithTimeoutCause(context.Background(), 100*time.Millisecond, slow)
	defer cancel()
	began := time.Now()
	if _, err := runTool(ctx, []string{script(t, "exec sleep 60\n")}, nil); !errors.Is(err, slow) || time.Since(began) > 30*time.Second {
		t.Errorf("a program that hangs: %v after %v", err, time.Since(began))
	}

	// What it had started ends with it.
	ctx, cancel = context.WithTimeoutCause(context.Background(), 2*time.Second, slow)
	defer cancel()
	out, err = runTool(ctx, []string{script(t, "sleep 61 & echo $!; wait\n")}, nil)
	if pid, convErr := strconv.Atoi(strings.TrimSpace(out)); convErr != nil || !errors.Is(err, slow) {
		t.Errorf("a program that waits for its child: %q, %v", out, err)
	} else {
		for began := time.Now(); ; time.Sleep(10 * time.Millisecond) { // a killed process takes a moment to end
			state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			if err != nil || strings.Contains(string(state), ") Z ") {
				break
			}
			if time.Since(began) > 30*time.Second {
				t.Fatalf("the child goes on: %s", state)
			}
		}
	}

	bare := filepath.Join(t.TempDir(), "bare")
	if err := os.WriteFile(bare, []byte("echo no first line\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := runTool(testContext(t), []string{bare}, nil); err == nil || !strings.Contains(err.Error(), "without #!") {
		t.Errorf("a script without #!: %v", err)
	}
}
