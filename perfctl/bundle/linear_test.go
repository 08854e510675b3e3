package bundle

import (
	"testing"

	"opcost/testbed/linear"
)

// A text four times as long takes four times the work, whatever is in it.
func TestLongTexts(t *testing.T) {
	for name, c := range map[string]struct {
		head, part string // part again and again
		read       func(string)
	}{
		"a log":    {"", "2026-01-01 [Note] password='x%d' of 10.0.0.%d at host-%d\n", func(s string) { newScrubber(Input{}).text(s) }},
		"brackets": {"", "{\"password\": {", func(s string) { newScrubber(Input{}).text(s) }},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.part, bytes) }, c.read)
		})
	}
}
