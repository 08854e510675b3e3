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
		return errors.Join(ctx.Err(), proc.Stop(syscall.SIGTERM, 5*time.Second))
	}
}

// runTool runs a program and gives what it printed on either stream, up to
// 1 MiB. Files take the output: a pipe could be held open by an orphan.
func runTool(ctx context.Context, argv []string, env map[string]string) (string, error) {
	f, err := os.CreateTemp("", "opcost-tool-")
	if err != nil {
		return "", err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return "", err
	}
	runErr := runChild(ctx, child.Spec{Argv: argv, Env: environ(env), Stdout: f, Stderr: f}, nil)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	out, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return "", err
	}
	if runErr != nil {
		return string(out), fmt.Errorf("%w: %s", runErr, strings.Join(lastLines(string(out), 3), "; "))
	}
	return string(out), nil
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
