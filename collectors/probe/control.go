package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"opcost/collectors/child"
	"opcost/collectors/internal/perfcontrol"
)

// json asks whether perf prints JSON.
func (q question) json() Ability {
	if _, _, err := q.count("task-clock"); err != nil {
		return no(fmt.Sprintf("perf stat -j: %v", err), "perf 6.0 or newer prints JSON; opcost reads CSV from this one")
	}
	return yes()
}

// control tries the control descriptors on ourselves.
func (q question) control(major, minor int) Ability {
	remedy := fmt.Sprintf("a newer perf: %s or newer has stat --control", oldestPerf)
	ctx, cancel := context.WithTimeout(q.ctx, oneAnswer)
	defer cancel()
	stderr, err := q.tryControl(ctx)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return yes()
	case isPermission(stderr):
		return no("perf may not attach: "+firstLine(stderr), q.permission())
	case strings.Contains(stderr, "unknown option"):
		return no(fmt.Sprintf("perf %d.%d has no stat --control", major, minor), remedy)
	case errors.As(err, &exit):
		return no(fmt.Sprintf("perf stat --control ended with exit status %d: %s", exit.ExitCode(), firstLine(stderr)), remedy)
	}
	return no(fmt.Sprintf("perf stat --control: %v", err), patiently(err, remedy))
}

const ackWait = 2 * time.Second

// commands are what must be acknowledged.
var commands = []string{perfcontrol.Disable, perfcontrol.Enable, perfcontrol.Disable}

// tryControl attaches perf to ourselves for a moment, and gives what perf
// printed.
func (q question) tryControl(ctx context.Context) (stderr string, err error) {
	control, theirs, err := perfcontrol.Open()
	if err != nil {
		return "", err
	}
	defer control.Close()
	text, err := os.CreateTemp("", "opcost-probe-")
	if err != nil {
		return "", err
	}
	defer text.Close()
	if err := os.Remove(text.Name()); err != nil {
		return "", err
	}
	p, err := child.Start(child.Spec{
		Argv: []string{q.perf, "stat", "-D", "-1", "--control", perfcontrol.Argument,
			"-e", "task-clock", "-p", strconv.Itoa(os.Getpid())},
		Stderr:     text,
		ExtraFiles: theirs,
	})
	for _, f := range theirs {
		_ = f.Close()
	}
	if err != nil {
		return "", err
	}
	for _, c := range commands {
		if err = control.Send(ctx, c, ackWait); err != nil {
			break
		}
	}
	stopErr := p.Stop(syscall.SIGINT, ackWait)
	printed := make([]byte, 64<<10)
	n, readErr := text.ReadAt(printed, 0)
	if readErr != nil && readErr != io.EOF {
		return "", readErr
	}
	switch {
	case err != nil && p.Err() != nil && p.ExitCode() > 0:
		return string(printed[:n]), p.Err()
	case err != nil:
		return string(printed[:n]), err
	case stopErr != nil:
		return string(printed[:n]), fmt.Errorf("it works but cannot be ended: %w", stopErr)
	}
	return string(printed[:n]), nil
}
