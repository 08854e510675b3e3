package callgrind

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
		"functions":    {"events: Ir\n", "fl=(%d) /a/b%d.c\nfn=(%d) f%d\n1 5\n+1 6\n", parses},
		"calls":        {"events: Ir\n", "fn=(%d) f%d\n1 5\ncfn=(7)\ncalls=1 1\n2 9\n", parses},
		"one function": {"events: Ir\nfn=f\n", "%d 5\n", parses},
		"parts":        {"events: Ir\n", "part: %d\nfn=f%d\n1 5\ntotals: 5\n", parses},
		"bad lines":    {"events: Ir\nfn=f\n1 5\n", "what=%d\n", parses},
		"jumps":        {"events: Ir\nfn=f\n1 5\n", "jump=%d 1\n3\njcnd=1/2 7\n4\n", parses},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.part, bytes) }, c.read)
		})
	}
}

func parses(s string) {
	_, _ = Parse(strings.NewReader(s))
	_, _ = Read(strings.NewReader(s))
}
