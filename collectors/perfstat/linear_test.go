package perfstat

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
		"JSON": {"", "{\"counter-value\" : \"%d.000000\", \"unit\" : \"\", \"event\" : \"event-%d\", \"event-runtime\" : 1000000, \"pcnt-running\" : 100.00}\n",
			func(s string) {
				c, _, _ := ParseJSON(strings.NewReader(s))
				_ = sheet{set: coreSet, counts: c}.readings()
			}},
		"JSON, one event": {"", "{\"counter-value\" : \"%d.000000\", \"unit\" : \"\", \"event\" : \"instructions:u\", \"event-runtime\" : 1000000, \"pcnt-running\" : 100.00}\n",
			func(s string) {
				c, _, _ := ParseJSON(strings.NewReader(s))
				_ = sheet{set: coreSet, counts: c}.readings()
			}},
		"CSV":         {"", "%d;;event-%d;1000000;100.00;;\n", func(s string) { _, _, _ = ParseCSV(strings.NewReader(s), ";") }},
		"CSV guessed": {"", "S0-D0-C3,2,%d,,event-%d,1000000,100.00,,\n", func(s string) { _, _, _ = ParseCSV(strings.NewReader(s), "") }},
		"bad CSV":     {"", "this is,no,count at all %d\n", func(s string) { _, _, _ = parseAnyCSV(strings.NewReader(s)) }},
		"text":        {" Performance counter stats for 'x':\n\n", "     %d,123      event-%d:u       #    0.78 insn per cycle   ( +- 1.2%% )  (54.00%%)\n", func(s string) { _, _, _ = ParseText(strings.NewReader(s)) }},
		"sections":    {"", " Performance counter stats for 'x':\n\n 5 cycles\n\n 2.0 seconds time elapsed\n\n", func(s string) { _, _, _ = ParseText(strings.NewReader(s)) }},
		"bad text":    {"", " ( ( # # %d ( +-  )\n", func(s string) { _, _, _ = ParseText(strings.NewReader(s)) }},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.part, bytes) }, c.read)
		})
	}
}
