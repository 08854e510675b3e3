package callgrind

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"opcost/collectors/child"
)

// replyWithin is how long valgrind may take to answer. It answers within
// 0.2 s when vgdb may stop the process to make it listen, and within some 5 s
// otherwise (seen, idle server): then it listens when a thread of its own
// accord has executed some thousand blocks.
const replyWithin = 30 * time.Second

// control speaks with the gdbserver inside one valgrind process.
type control struct {
	vgdb    string // the program
	prefix  string // of the pipes
	pid     int
	timeout time.Duration
}

// send gives valgrind the commands, in order, and returns its replies' text.
// vgdb's exit status is 0 for a command that valgrind did not understand, and
// "instrumentation" and "zero" answer nothing at all; so the caller ends with a
// command whose answer shows the state, and reads that.
func (c control) send(ctx context.Context, commands ...string) (string, error) {
	argv := []string{
		c.vgdb, "--vgdb-prefix=" + c.prefix, "--pid=" + strconv.Itoa(c.pid),
		// Wait 1 ms, not 100, before a process that sits in a system call is
		// stopped (ptrace) to make it listen. 0 would mean: never do that.
		"--max-invoke-ms=1",
	}
	for _, cmd := range commands {
		argv = append(argv, "-c", cmd)
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	stdout, stderr, err := child.Output(ctx, argv...)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("valgrind (pid %d) did not answer %q within %v%s", c.pid, commands, c.timeout, ptraceHint(stderr))
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", fmt.Errorf("vgdb %q to pid %d: %w: %s", commands, c.pid, err, lastLine(stderr))
	case strings.Contains(stdout, "not recognised"):
		return "", fmt.Errorf("valgrind (pid %d) does not know one of %q: %s", c.pid, commands, strings.TrimSpace(stdout))
	}
	return stdout, nil
}

// ptraceHint says when silence comes from vgdb not being allowed to stop the
// process: its attempts fail, and an idle server never listens by itself.
func ptraceHint(stderr string) string {
	if !strings.Contains(stderr, "PTRACE_ATTACH") {
		return ""
	}
	return "; vgdb may not ptrace it: run as root, set kernel.yama.ptrace_scope to 0 or 1, or start the container with --cap-add=SYS_PTRACE"
}

// instrumented reads the last answer to "instrumentation".
func instrumented(reply string) (on bool, err error) {
	lines := strings.Split(strings.TrimSpace(reply), "\n")
	switch last := strings.TrimSpace(lines[len(lines)-1]); last {
	case "instrumentation: on":
		return true, nil
	case "instrumentation: off":
		return false, nil
	default:
		return false, fmt.Errorf("valgrind answered %q where the state of its instrumentation was asked: is its tool callgrind?", last)
	}
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
