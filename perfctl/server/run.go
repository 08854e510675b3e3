package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"opcost/collectors/child"
)

// environ is an environment as NAME=value, in a fixed order.
func environ(env map[string]string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// runChild runs a program to its end, or stops it with the context. A started
// that is not nil is told of it.
func runChild(ctx context.Context, spec child.Spec, started func(pid int) error) error {
	proc, err := child.Start(spec)
	if err != nil {
		return err
	}
	if started != nil {
		if err := started(proc.PID()); err != nil {
			return errors.Join(err, proc.Stop(syscall.SIGKILL, 5*time.Second))
		}
	}
	select {
	case <-proc.Done():
		return proc.Err()
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), proc.Stop(syscall.SIGTERM, 5*time.Second))
	}
}

// toolTimeout is how long a program may take that only prints and ends.
const toolTimeout = 30 * time.Second

// toolOutput bounds what such a program prints; one is a page.
const toolOutput = 1 << 20

// runTool runs a program that prints and ends, and gives what it printed on
// either stream. A file in memory takes the output, as a pipe could be held
// open by an orphan; the program may write no larger file, so that one that
// prints without end stops by itself.
func runTool(ctx context.Context, argv []string, env map[string]string) (string, error) {
	fd, err := unix.MemfdCreate("opcost-tool", unix.MFD_CLOEXEC)
	if err != nil {
		return "", fmt.Errorf("a file in memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), "opcost-tool")
	defer f.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, toolTimeout, fmt.Errorf("it gave no answer within %v", toolTimeout))
	defer cancel()
	bound := func(pid int) error {
		// An error means that it has ended, or that a lower limit holds.
		_ = unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: toolOutput, Max: toolOutput}, nil)
		return nil
	}
	runErr := runChild(ctx, child.Spec{Argv: argv, Env: environ(env), Stdout: f, Stderr: f}, bound)
	out := make([]byte, toolOutput)
	n, err := f.ReadAt(out, 0)
	if err != nil && err != io.EOF {
		return "", err
	}
	text := string(out[:n])
	if runErr == nil && n == toolOutput {
		runErr = fmt.Errorf("it printed more than %d kB", toolOutput>>10)
	}
	if errors.Is(runErr, syscall.ENOEXEC) {
		runErr = fmt.Errorf("%w (it is no program of this kind of machine, or a script without #! in its first line)", runErr)
	}
	if last := lastLines(text, 3); runErr != nil && len(last) > 0 {
		runErr = fmt.Errorf("%w: %s", runErr, strings.Join(last, "; "))
	}
	return text, runErr
}

// lastLines are the last n lines that are not blank.
func lastLines(text string, n int) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-n):]
}
