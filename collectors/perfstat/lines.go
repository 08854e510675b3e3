package perfstat

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"opcost/perfctl/result"
)

const (
	maxLine     = 64 << 10 // perf's own lines are below 1 kB
	maxWarnings = 20       // more of the same says nothing new
)

// lines calls f with each line that holds something. It stops at the first
// error, which then names the line.
func lines(r io.Reader, f func(n int, line string) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	n := 0
	for s.Scan() {
		n++
		line := strings.TrimRight(s.Text(), "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := f(n, line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d is longer than %d bytes: this is no output of perf stat", n+1, maxLine)
	}
	return s.Err()
}

// warnings keeps the first few, and how many there were.
type warnings struct {
	list []result.Warning
	more int
}

func (w *warnings) add(code, format string, args ...any) {
	if len(w.list) >= maxWarnings {
		w.more++
		return
	}
	w.list = append(w.list, result.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}

func (w *warnings) all() []result.Warning {
	if w.more > 0 {
		return append(w.list, result.Warning{Code: "perf_output", Text: fmt.Sprintf("and %d more lines that were not understood", w.more)})
	}
	return w.list
}

// short is a line for a message.
func short(s string) string {
	if len(s) > 80 {
		s = s[:80] + "..."
	}
	return fmt.Sprintf("%q", s)
}

// errNoRows is the error of a parser that found no count at all.
func errNoRows(why string) error {
	if why == "" {
		return errors.New("no count in perf's output")
	}
	return fmt.Errorf("no count in perf's output: %s", why)
}
