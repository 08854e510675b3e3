package live

import (
	"strings"
	"testing"

	"opcost/testbed/linear"
)

// ended has strings end as those of C do. With the word as it stands in a server
// this test would be taken for one.
func ended(s string) string { return strings.ReplaceAll(s, "|", "\x00") }

// Whatever stands in a program: a server has a flavor, and a version is a number
// that stands in it.
func FuzzVersionIn(f *testing.F) {
	for _, s := range []string{"5.7.31|skip-grant-tables|10.11.19-MariaDB|", "skip-grant-tables|8.0.36|", "skip-grant-tables|8.0.36|5.7.9|", "|", "MariaDBskip-grant-tables|1.2.3"} {
		f.Add([]byte(ended(s)))
	}
	f.Fuzz(func(t *testing.T, constants []byte) {
		flavor, number, err := versionIn(constants)
		if (err == nil) != (flavor == flavorMySQL || flavor == flavorMariaDB) || !strings.Contains(string(constants), number) {
			t.Errorf("%q, %q, %v", flavor, number, err)
		}
	})
}

func TestLongTexts(t *testing.T) {
	for name, c := range map[string]struct {
		head, line string
		read       func(string)
	}{
		"option file": {"[client]\n", "user=\"a#b\\\\\" # a remark\n", func(s string) { _, _ = parseOptionFile(strings.NewReader(s)) }},
		"sockets":     {"", "0000000000000000: 00000002 00000000 00010000 0001 01 %d /run/mysqld/mysqld.sock\n", func(s string) { parseUnix(strings.NewReader(s)) }},
		"TCP":         {"", "   1: 0100007F:0CEB 00000000:0000 0A 00000000:00000000 00:00000000 00000000   999        0 %d 1\n", func(s string) { parseTCP(strings.NewReader(s)) }},
		"DSN":         {"u:p@tcp(h)/d?", "a%d=b&", func(s string) { _, _ = parseDSN(s); RedactDSN(s) }},
		"a program":   {"", "8.0.%d-some-constant|skip-grant-tables|", func(s string) { _, _, _ = versionIn([]byte(ended(s))) }},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.line, bytes) }, c.read)
		})
	}
}
