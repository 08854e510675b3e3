package perfproc

import (
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"unicode"
)

// Ending is how perf ended.
type Ending struct {
	Early  bool  // before it was told to
	Hung   error // it did not end when told to, and was killed
	Code   int   // exit status, -1 for a signal
	Err    error
	Stderr string
}

// The exit statuses of perf, as seen with 6.1; stderr tells the rest.
const (
	ExitUsage   = 129 // an event or option that it does not know
	ExitInt     = 130 // ended by SIGINT: what it wrote is valid
	ExitNoPID   = 244 // perf record: no such process
	ExitRefused = 255 // an event could not be opened
)

// Clean: perf did what it was told, and wrote what it had. perf ends itself by
// the signal that it was sent.
func (e Ending) Clean() bool {
	if e.Hung != nil {
		return false
	}
	return e.Code == 0 || e.Code == ExitInt || e.Signal() == syscall.SIGINT
}

// Signal is what ended perf, 0 for none.
func (e Ending) Signal() syscall.Signal {
	var exit *exec.ExitError
	if errors.As(e.Err, &exit) {
		if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() {
			return s.Signal()
		}
	}
	return 0
}

// Said tells whether perf's stderr has one of these in it.
func (e Ending) Said(words ...string) bool {
	for _, w := range words {
		if strings.Contains(e.Stderr, w) {
			return true
		}
	}
	return false
}

// FirstLine is the first line of perf's stderr that says something, fit to be
// printed.
func (e Ending) FirstLine() string {
	for line := range strings.Lines(e.Stderr) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "Error:"))
		if line == "" || strings.HasPrefix(line, "Events ") || strings.HasPrefix(line, "[ perf record:") {
			continue // perf's notes on its control commands and its work
		}
		line = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return '?'
			}
			return r
		}, strings.ToValidUTF8(line, "?"))
		if r := []rune(line); len(r) > 160 {
			line = string(r[:160]) + "..."
		}
		return line
	}
	return "it said nothing"
}
