package smalldatum

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
		"absolute":   {"col-1 : x.a\ncol-2 : x.b\n\ncol-1\tcol-2\n", "10\t%d\thot-points_range=%d\n", parses},
		"columns":    {"", "col-1 : x.a%d\n", parses},
		"csv":        {"", "scan_range=%d,10,20\n", parses},
		"costs":      {"", "sb.met.scan.range%d.pk1.dop4\n--- absolute\ncpu/o\t\tcs/o\to/s\tdbms\n0.000300\t0.010\t25500\tx.a\n0.000336\t0\t22800\tx.b\n--- relative to first result\n1.12\t\tinf\t0.89\tx.b\n\n", parses},
		"by clients": {"", "sb.r.qps.scan.range%d.pk1\n10\t20\tx.a\n\n", parses},
		"one row":    {"sb.r.qps.scan.range100.pk1\n10", "\t%d", func(s string) { parses(s + "\tx.a\n") }},
		"other text": {"col-1 : x.a\n\ncol-1\n10\thot-points_range=100\n\n", "words of a post %d\n", parses},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.part, bytes) }, c.read)
		})
	}
}

func parses(s string) { _, _, _ = Parse(strings.NewReader(s)) }
