package iostat

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
		"devices":    {heading + cpu + "Device   r/s   w/s\n", "sd%d 1.5 2.5\n", parses},
		"reports":    {heading, cpu + "Device   r/s   w/s\nsda %d 2.5\n\n", parses},
		"columns":    {heading + cpu + "Device", " r/s w/s", parses},
		"JSON":       {`{"sysstat":{"hosts":[{"statistics":[{"disk":[{"disk_device":"sda","r/s":8.0}`, `,{"disk_device":"sd%d","r/s":8.0}`, func(s string) { parses(s + "]}]}]}}") }},
		"other text": {heading + cpu, "no device %d\n", parses},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.part, bytes) }, c.read)
		})
	}
}

func parses(s string) { _, _, _ = Parse(strings.NewReader(s)) }
