package mysqlslap

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
		"blocks":     {"", block, parses},
		"CSV":        {"", "innodb,mixed,2.500,2.250,2.750,4,%d\n", parses},
		"other text": {block, "some words of a user's: %d\n", parses},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.part, bytes) }, c.read)
		})
	}
}

func parses(s string) { _, _, _ = Parse(strings.NewReader(s)) }
