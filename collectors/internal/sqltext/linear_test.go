package sqltext

import (
	"testing"

	"opcost/testbed/linear"
)

// A text four times as long takes four times the work, whatever is in it.
func TestLongStatements(t *testing.T) {
	for name, c := range map[string]struct {
		head, part string // part again and again
		read       func(string)
	}{
		"a list":           {"SELECT c FROM t WHERE id IN (1", ", %d", func(s string) { Normalise(s + ")") }},
		"rows":             {"INSERT INTO t VALUES (1,'a')", ", (%d, 'a''b\\'', 0x1F)", func(s string) { Normalise(s) }},
		"comments":         {"SELECT 1", " /* %d */ -- x\n", func(s string) { Normalise(s) }},
		"code":             {"SELECT 1", " /*!50000 %d */", func(s string) { Normalise(s) }},
		"open comments":    {"SELECT 1", " /*! ", func(s string) { Normalise(s) }},
		"brackets":         {"SELECT ", "(", func(s string) { Normalise(s) }},
		"brackets, paired": {"SELECT ", "(1),", func(s string) { Normalise(s) }},
		"names":            {"SELECT ", "`a%d`.b + ", func(s string) { Normalise(s) }},
		"quotes":           {"SELECT ", "'", func(s string) { Normalise(s) }},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.part, bytes) }, c.read)
		})
	}
}
