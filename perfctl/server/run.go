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
		err := errors.Join(context.Cause(ctx), proc.Stop(syscall.SIGTERM, 5*time.Second))
		_ = syscall.Kill(-proc.PID(), syscall.SIGKILL) // what it had started; mostly there is nothing
		return err
	}
}

// toolTimeout is how long a program may take that only prints and ends.
const toolTimeout = 30 * time.Second

// toolOutput bounds what such a program prints; one is a page.
const toolOutput = 1 << 20

// orphanGrace is for reading what lies in the pipe when a program has ended and
// something that it had started holds the other end.
const orphanGrace = time.Second

// runTool runs a program that prints and ends, and gives what it printed on
// either stream. Whoever prints more than the bound is told by the pipe, which is
// closed then; a bounded file could not be opened again as /dev/stderr.
func runTool(ctx context.Context, argv []string, env map[string]string) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	printed := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(io.LimitReader(r, toolOutput+1)) // an error is the deadline's
		_ = r.Close()
		printed <- b
	}()
	ctx, cancel := context.WithTimeoutCause(ctx, toolTimeout, fmt.Errorf("it gave no answer within %v", toolTimeout))
	defer cancel()
	runErr := runChild(ctx, child.Spec{Argv: argv, Env: environ(env), Stdout: w, Stderr: w}, nil)
	_ = w.Close()
	_ = r.SetReadDeadline(time.Now().Add(orphanGrace)) // an error means that all is read
	out := <-printed
	if len(out) > toolOutput {
		out = out[:toolOutput]
		runErr = errors.Join(fmt.Errorf("it printed more than %d kB, which is more than such a program has to say", toolOutput>>10), runErr)
	}
	text := string(out)
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
