package symbol

import (
	"testing"

	"opcost/testbed/linear"
)

// A name four times as long takes four times the work, whatever is in it.
func TestLongNames(t *testing.T) {
	for name, c := range map[string]struct{ head, part, tail string }{ // part again and again
		"templates":     {"f", "<int", ""},
		"arguments":     {"f(int", ", std::map<int, a%d>", ")"},
		"brackets":      {"f", "(", ""},
		"closed":        {"f", "()", ""},
		"suffixes":      {"f", ".part.%d.cold", ""},
		"levels":        {"f", "'2", ""},
		"hashes":        {"f", "::h0123456789abcdef", ""},
		"versions":      {"f", "@A_1", ""},
		"parts":         {"f", " (.part.1)'2", ""},
		"lambdas":       {"f()", "::{lambda()#%d}::operator()() const", ""},
		"mangled":       {"_ZN", "3foo", "Ev"},
		"mangled, Rust": {"_RNvC", "3foo", ""},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.part, bytes) + c.tail }, func(s string) { Short(Normal(s)) })
			// As long as it is taken apart: not for seconds.
			s := c.head + linear.Repeat(c.part, maxName-20-len(c.part)) + c.tail
			if n := Normal(s); n == "" || len(s) > maxName {
				t.Errorf("%d bytes became %q", len(s), n)
			}
		})
	}
}
