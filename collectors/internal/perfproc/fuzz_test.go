package perfproc

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"opcost/testbed/linear"
)

// Whatever perf says: a line of it that can be printed.
func FuzzFirstLine(f *testing.F) {
	for _, s := range []string{"Error:\nNo permission to enable cycles event.\n", "Events enabled\n[ perf record: Woken up 1 times ]\n", "\x1b[31m\xff\n", "", "Error: Error: x", "\u0085\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, stderr string) {
		line := Ending{Stderr: stderr}.FirstLine()
		if line == "" || !utf8.ValidString(line) || strings.ContainsFunc(line, unicode.IsControl) || utf8.RuneCountInString(line) > 163 {
			t.Errorf("%q", line)
		}
	})
}

func TestLongStderr(t *testing.T) {
	linear.Check(t, func(bytes int) string { return linear.Repeat("Events enabled %d\n", bytes) }, func(s string) { Ending{Stderr: s}.FirstLine() })
}
