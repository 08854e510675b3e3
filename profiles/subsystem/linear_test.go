package subsystem

import (
	"strings"
	"testing"

	"opcost/testbed/linear"
)

// A text four times as long takes four times the work, whatever is in it.
func TestLongRules(t *testing.T) {
	for name, c := range map[string]struct {
		head, part string // part again and again
		read       func(string)
	}{
		"rules":  {"[a]\n", "user foo%d_* *bar\n", func(s string) { _, _ = Load(strings.NewReader(s), nil) }},
		"places": {"", "[a%d]\nuser f%d\n", func(s string) { _, _ = Load(strings.NewReader(s), nil) }},
		"a line": {"[a]\nuser", " f%d*", func(s string) { _, _ = Load(strings.NewReader(s), nil) }},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.part, bytes) }, c.read)
		})
	}
}
