package plan

import (
	"testing"

	"opcost/testbed/linear"
)

// A text four times as long takes four times the work, whatever is in it.
func TestLongPlans(t *testing.T) {
	for name, c := range map[string]struct {
		head, part string // part again and again
		read       func(string)
	}{
		"options":   {with("options:\n"), "- option-%d=1\n", parses},
		"versions":  {"workloads: [point-query]\nversions:\n", "- {name: v%d, mysqld: mariadbd}\n", parses},
		"workloads": {"versions: [{name: a, mysqld: mariadbd}]\nworkloads:\n", "- point-query-%d\n", parses},
		"keys":      {with(""), "key%d: 1\n", parses},
		"comments":  {with(""), "# a remark, number %d\n", parses},
		"brackets":  {"a: ", "[", parses},
	} {
		t.Run(name, func(t *testing.T) {
			linear.CheckFrom(t, maxText/10, func(bytes int) string {
				text := c.head + linear.Repeat(c.part, bytes)
				if len(text) > maxText {
					t.Fatalf("a text of %d bytes is refused unread", len(text))
				}
				return text
			}, c.read)
		})
	}
}

func parses(s string) { _, _ = Parse("/plans/p.yaml", []byte(s), newFake()) }
