package live

import (
	"strings"
	"testing"

	"opcost/testbed/linear"
)

// Whatever stands in a program: a server has a flavor, and a version is a number
// that stands in it.
func FuzzVersionIn(f *testing.F) {
	for _, s := range []string{"5.7.31\x00skip-grant-tables\x0010.11.19-MariaDB\x00", "skip-grant-tables\x008.0.36\x00", "skip-grant-tables\x008.0.36\x005.7.9\x00", "\x00", "MariaDBskip-grant-tables\x001.2.3"} {
		f.Add([]byte(s))
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
		"a program":   {"", "8.0.%d-some-constant\x00skip-grant-tables\x00", func(s string) { _, _, _ = versionIn([]byte(s)) }},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.line, bytes) }, c.read)
		})
	}
}
