package probe

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"opcost/collectors/internal/perfcontrol"
)

// oldestPerf is the first with `stat --control fd:`.
const oldestPerf = "perf 5.10"

var (
	perfVersion     = regexp.MustCompile(`^perf version ((\d+)\.(\d+)\S*)`)
	valgrindVersion = regexp.MustCompile(`^valgrind-(\d+\.\S+)`)
)

// perf finds a perf that runs: the one on PATH first, then those that Ubuntu
// keeps beside each kernel (its perf on PATH is a script that refuses to work
// when the running kernel's own is not installed).
func (a asker) perf(ctx context.Context) (t Tool, major, minor int) {
	remedy := a.install("linux-perf", "linux-tools-generic linux-tools-"+a.word("proc/sys/kernel/osrelease"), "perf")
	var reasons []string
	for _, path := range a.perfs() {
		out, err := a.version(ctx, path)
		m := perfVersion.FindStringSubmatch(out)
		switch {
		case err != nil:
			reasons = append(reasons, fmt.Sprintf("%s does not run: %v", path, err))
			remedy = patiently(err, remedy)
		case m == nil:
			reasons = append(reasons, fmt.Sprintf("%s --version says %s, which is no version of perf", path, firstLine(out)))
		default:
			major, _ = strconv.Atoi(m[2]) // digits, as matched
			minor, _ = strconv.Atoi(m[3])
			return Tool{Ability: yes(), Path: path, Version: m[1]}, major, minor
		}
	}
	if len(reasons) == 0 {
		reasons = []string{"perf is not installed"}
	}
	return Tool{Ability: no(strings.Join(reasons, "; "), remedy)}, 0, 0
}

// perfs are the places where a perf can be, best first.
func (a asker) perfs() []string {
	var paths []string
	if p, err := a.look("perf"); err == nil {
		paths = append(paths, p)
	}
	for _, pattern := range []string{"usr/lib/linux-tools/*/perf", "usr/lib/linux-tools-*/perf", "usr/bin/perf_[0-9]*"} {
		found, _ := filepath.Glob(filepath.Join(a.root, pattern))
		paths = append(paths, found...)
	}
	return paths
}

func (a asker) valgrind(ctx context.Context) Tool {
	remedy := a.install("valgrind", "valgrind", "valgrind")
	path, err := a.look("valgrind")
	if err != nil {
		return Tool{Ability: no("valgrind is not installed", remedy)}
	}
	out, err := a.version(ctx, path)
	if err != nil {
		return Tool{Path: path, Ability: no(fmt.Sprintf("%s does not run: %v", path, err), patiently(err, remedy))}
	}
	m := valgrindVersion.FindStringSubmatch(out)
	if m == nil {
		return Tool{Path: path, Ability: no(fmt.Sprintf("%s --version says %s, which is no version of valgrind", path, firstLine(out)), remedy)}
	}
	return Tool{Ability: yes(), Path: path, Version: m[1]}
}

func (a asker) version(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, oneAnswer)
	defer cancel()
	out, errText, err := a.run(ctx, path, "--version")
	return strings.TrimSpace(out), why(ctx, errText, err)
}

var errLate = errors.New("it did not answer in time")

// patiently is the remedy for what may have been too slow only because the
// machine was busy.
func patiently(err error, remedy string) string {
	if errors.Is(err, errLate) || errors.Is(err, perfcontrol.ErrLate) {
		return "the same again when the machine is less busy; if that does not help, " + remedy
	}
	return remedy
}

// why makes one sentence of how a program ended badly.
func why(ctx context.Context, stderr string, err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return errLate
	case errors.As(err, &exit) && strings.TrimSpace(stderr) != "":
		return fmt.Errorf("exit status %d: %s", exit.ExitCode(), firstLine(stderr))
	}
	return err
}

// firstLine is the first line that says something, shortened for a message.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if line == "" || line == "Error:" {
			continue
		}
		return clean(line)
	}
	return "nothing"
}

// clean makes any bytes fit to be printed in a message.
func clean(line string) string {
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\uFFFD' {
			return '?'
		}
		return r
	}, line)
	if r := []rune(line); len(r) > 120 {
		line = string(r[:120]) + "..."
	}
	return line
}
