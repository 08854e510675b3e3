package workload

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// slapTests are what mysqlslap does here: the updates of one row of 2014. It
// sends every client the same statements in the same order, so tests of random
// rows would have all clients in step.
var slapTests = []string{"update-one", "update-one-index"}

// slapStatements is how many statements are in the file that mysqlslap goes
// round: the values differ, so that each is a change.
const slapStatements = 1000

func slapDoes(t Test) error {
	for _, id := range slapTests {
		if t.ID == id {
			return nil
		}
	}
	return fmt.Errorf("driver mysqlslap: it cannot do workload %s; it does %s: leave the others to driver: builtin", t.ID, strings.Join(slapTests, " and "))
}

// slap is mysqlslap's command line; its statements are in a file beside its
// outputs. It knows no time, so for seconds it is given more than it can do.
func (c ExternalConfig) slap(phase string, l lasting) ([]string, error) {
	file := filepath.Join(c.Dir, c.Tag+"-"+phase+"-statements.sql")
	if err := os.WriteFile(file, []byte(c.slapFile(phase)), 0o600); err != nil {
		return nil, err
	}
	argv := []string{c.Identity.Path, "--no-defaults", "--user=" + c.Access.User, "--no-drop", "--create-schema=" + c.Access.Database, // which is there, so it makes none

		"--query=" + file, "--concurrency=" + strconv.Itoa(c.Clients), "--iterations=1",
		"--csv=" + filepath.Join(c.Dir, c.Tag+"-"+phase+"-mysqlslap.csv")}
	if c.Access.Network == "tcp" {
		host, port, _ := net.SplitHostPort(c.Access.Addr) // ours, and whole
		argv = append(argv, "--protocol=tcp", "--host="+host, "--port="+port)
	} else {
		argv = append(argv, "--socket="+c.Access.Addr)
	}
	argv = append(argv, c.slapTLS())
	n := l.operations
	if n == 0 {
		n = 1 << 31 // it is stopped
	}
	argv = append(argv, "--number-of-queries="+strconv.FormatInt(n, 10))
	return append(argv, c.Driver.Options...), nil
}

// slapTLS says whether to use TLS in either case: newer client libraries do by
// themselves.
func (c ExternalConfig) slapTLS() string {
	switch mysqls := !strings.Contains(c.Identity.Version, "MariaDB"); { // MySQL 8.0 has no --ssl any more
	case mysqls && c.Access.TLS:
		return "--ssl-mode=REQUIRED"
	case mysqls:
		return "--ssl-mode=DISABLED"
	case c.Access.TLS:
		return "--ssl"
	}
	return "--skip-ssl"
}

// slapFile are the statements, one a line, which is mysqlslap's delimiter.
func (c ExternalConfig) slapFile(phase string) string {
	k := newKeys(c.Data, c.Seed)
	k.begin(c.Seed, c.Repeat, 0, phase)
	var b []byte
	for range slapStatements {
		for _, s := range c.Test.steps {
			one := compile(s.sql, 1)
			b = one.appendText(b, k.values(one.args, nil))
			b = append(b, '\n')
		}
	}
	return string(b)
}
