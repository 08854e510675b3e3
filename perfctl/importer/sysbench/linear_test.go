package sysbench

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
		"reports":    {summary10, "[ %ds ] thds: 4 tps: 10.00 qps: 203.98 (r/w/o: 140.99/40.00/22.99) lat (ms,99%%): 12.30 err/s: 1.50 reconn/s: 0.25\n", parses},
		"outputs":    {"", summary05, parses},
		"histogram":  {"sysbench 1.0.20\nLatency histogram (values are in milliseconds)\n       value  ------------- distribution ------------- count\n", "     %d.001 |****************************************| 17\n", parses},
		"errors":     {"", "FATAL: mysql_stmt_execute() returned error %d (Query execution was interrupted)\n", parses},
		"other text": {"", "Threads started! %d: and : so / on (x)\n", parses},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.part, bytes) }, c.read)
		})
	}
}

func parses(s string) { _, _, _ = Parse(strings.NewReader(s)) }
