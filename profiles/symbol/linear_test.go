package symbol

import (
	"testing"

	"opcost/testbed/linear"
)

// A text four times as long takes four times the work, whatever is in it.
func TestLongNames(t *testing.T) {
	for name, c := range map[string]struct {
		head, part string // part again and again
		read       func(string)
	}{
		"templates":     {"f", "<int", func(s string) { Normal(s); Short(s) }},
		"arguments":     {"f(int", ", std::map<int, a%d>", func(s string) { Normal(s + ")"); Short(s + ")") }},
		"brackets":      {"f", "(", func(s string) { Normal(s); Short(s) }},
		"closed":        {"f", "()", func(s string) { Normal(s); Short(s) }},
		"suffixes":      {"f", ".part.%d.cold", func(s string) { Normal(s); Short(s) }},
		"lambdas":       {"f()", "::{lambda()#%d}::operator()() const", func(s string) { Normal(s); Short(s) }},
		"mangled":       {"_ZN", "3foo", func(s string) { Normal(s + "Ev"); Short(s + "Ev") }},
		"mangled, Rust": {"_RNvC", "3foo", func(s string) { Normal(s); Short(s) }},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.part, bytes) }, c.read)
		})
	}
}
