package leftover

import (
	"testing"

	"opcost/testbed/linear"
)

// A text four times as long takes four times the work, whatever is in it.
func TestLongJournal(t *testing.T) {
	for name, c := range map[string]struct {
		head, part string // part again and again
		read       func(string)
	}{
		"processes": {owned, `{"pid":%d,"start_ticks":7}` + "\n", func(s string) { _, _, _ = parse([]byte(s)) }},
		"bad lines": {owned, "no process %d\n", func(s string) { _, _, _ = parse([]byte(s)) }},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.part, bytes) }, c.read)
		})
	}
}

const owned = `{"opcost_journal":1,"host":"h","boot":"b","pid_namespace":"n","pid":1,"start_ticks":1,"token":"0123456789abcdef0123456789abcdef","work":"/w","data":"opcost-data-x","sockets":"/tmp/opcost-x","journal":"opcost-x.journal"}` + "\n"
