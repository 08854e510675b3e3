package perfscript

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
		"samples":      {"", "mysqld  12%d 5.678: 1 cycles: \n\tffff%d f%d+0x1 (/x)\n\tffff g+0x1 (/x)\n\n", parses},
		"a deep stack": {"mysqld  1234 5.678: 1 cycles: \n", "\tffff%d f%d+0x1 (/x)\n", parses},
		"no stacks":    {"", "mysqld  1234 5.%d: 1 cycles:  ff f%d+0x1 (/x)\n", parses},
		"many threads": {"", "thread-%d  1/%d 5.678: 1 cycles:  ff f (/x)\n", parses},
		"many events":  {"", "mysqld  1234 5.678: 1 event-%d:  ff f (/x)\n", parses},
		"maps":         {"", "mysqld  1/1 5.0: PERF_RECORD_MMAP2 1/1: [0x%d000(0x1000) @ 0 08:01 1 1]: r-xp /x%d\n", parses},
		"bad lines":    {"mysqld  1234 5.678: 1 cycles:  ff f (/x)\n\n", "((( %d ))) : : : \n", parses},
		"odd frames":   {"mysqld  1234 5.678: 1 cycles: \n", "\t%d std::f<a(b)(c)>((((( (\n", parses},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.part, bytes) }, c.read)
		})
	}
}

func parses(s string) { _, _ = Parse(strings.NewReader(s), Options{}) }
