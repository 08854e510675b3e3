// Package lines reads others' text outputs line by line, within bounds that no
// real output comes near. It knows no format.
package lines

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"opcost/perfctl/result"
)

// MaxLine is the longest line that is read, in bytes.
const MaxLine = 64 << 10

// Each calls f with every line, without its line end. It stops at the first
// error, which then names the line. A byte 0 is in no text.
func Each(r io.Reader, f func(n int, line string) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(nil, MaxLine)
	n := 0
	for s.Scan() {
		n++
		line := strings.TrimRight(s.Text(), "\r")
		if strings.IndexByte(line, 0) >= 0 {
			return fmt.Errorf("line %d holds a byte 0: this is no text", n)
		}
		if err := f(n, line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d is longer than %d bytes, as in no output of a tool that is read here", n+1, MaxLine)
	}
	return s.Err()
}

// Number reads a decimal number with a point. It takes none of "nan", "inf",
// hexadecimal and underscores, which the tools never print.
func Number(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789.+-eE") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// Numbers reads all fields, or none.
func Numbers(fields []string) ([]float64, bool) {
	vs := make([]float64, len(fields))
	for i, f := range fields {
		v, ok := Number(f)
		if !ok {
			return nil, false
		}
		vs[i] = v
	}
	return vs, true
}

// Short is a line for a message.
func Short(s string) string {
	if len(s) > 80 {
		s = s[:80] + "..."
	}
	return fmt.Sprintf("%q", s)
}

const maxWarnings = 20 // more of the same says nothing new

// Warnings keeps the first few, and how many more there were.
type Warnings struct {
	list []result.Warning
	more int
}

// Add adds one.
func (w *Warnings) Add(code, format string, args ...any) {
	if len(w.list) >= maxWarnings {
		w.more++
		return
	}
	w.list = append(w.list, result.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}

// All are those kept, and a last one for the rest.
func (w *Warnings) All() []result.Warning {
	if w.more == 0 {
		return w.list
	}
	return append(w.list[:len(w.list):len(w.list)], result.Warning{Code: "import", Text: fmt.Sprintf("and %d more like these", w.more)})
}
