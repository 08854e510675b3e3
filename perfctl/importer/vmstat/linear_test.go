package vmstat

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
		"rows":       {head, row(1, 2, 3, 95), parses},
		"headings":   {"", head + row(1, 2, 3, 95), parses},
		"columns":    {" r  b", " c%d", parses},
		"other text": {head + row(1, 2, 3, 95), "no row at all %d\n", parses},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.part, bytes) }, c.read)
		})
	}
}

func parses(s string) {
	o, _, _ := Parse(strings.NewReader(s))
	o.Means()
}
