package folded

import (
	"strings"
	"testing"

	"opcost/testbed/linear"
)

// A text four times as long takes four times the work, whatever is in it.
func TestLongTexts(t *testing.T) {
	for name, c := range map[string]struct {
		head, part string // part again and again
		read       func(string)
	}{
		"stacks":       {"", "main;a%d;b%d 12\n", reads},
		"a deep stack": {"main", ";f%d", func(s string) { reads(s + " 3\n") }},
		"fractions":    {"", "main;a%d 0.5\n", reads},
		"bad lines":    {"main 3\n", "no stack %d x\n", reads},
		"one stack":    {"", "main;a;b 1\n", reads},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.part, bytes) }, c.read)
		})
	}
}

func reads(s string) { _, _ = Read(strings.NewReader(s)) }
