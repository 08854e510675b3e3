package live

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"opcost/perfctl/server"
)

// statementTimeout bounds a statement. The server is told nothing of it, since
// that would be a setting: a statement that takes longer loses the connection,
// and the server ends it when it notices.
const statementTimeout = 30 * time.Second

var errSilent = fmt.Errorf("the server has not answered for %v: it hangs, or our connection does", statementTimeout)

// Conn is the one connection to the server: the text protocol, a
// collectors.Querier. It is never made again: a lost one is an error.
type Conn struct {
	Version  string // as the server says it, whole: "10.11.19-MariaDB-0+deb12u1"
	Number   string // "10.11.19"
	Flavor   string // "mariadb" or "mysql"
	User     string // the account the server took us for: user@host
	TLS      string // "TLS 1.3 TLS_AES_128_GCM_SHA256"; "" without
	Warnings []Warning

	control *server.Control
	id      uint64
	closed  atomic.Bool
	shows   atomic.Int64
}

// Query runs one statement that only reads and gives its rows as text; NULL is
// the empty string. Statements that could change or lock something are refused
// before they are sent.
func (c *Conn) Query(ctx context.Context, sql string) ([][]string, error) {
	if c.closed.Load() {
		return nil, errors.New("the connection was closed")
	}
	if err := onlyReads(sql); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, statementTimeout, errSilent)
	defer cancel()
	if strings.HasPrefix(sql, "SHOW GLOBAL STATUS") {
		c.shows.Add(1)
	}
	return c.control.Query(ctx, sql)
}

// Statements counts what was sent so far, with the one that Login sends.
func (c *Conn) Statements() int64 { return c.control.Statements() }

// StatusShows counts how many of these were SHOW GLOBAL STATUS.
func (c *Conn) StatusShows() int64 { return c.shows.Load() }

// ID is the connection's id, as in the server's list of processes.
func (c *Conn) ID() uint64 { return c.id }

// Close ends the connection. It may be called again.
func (c *Conn) Close() error {
	if !c.closed.Swap(true) {
		c.control.Close()
	}
	return nil
}

// What a statement that begins with SELECT or SHOW must not contain. It is a
// guard against our own mistakes, and errs on the side of refusing.
var forbidden = []string{" INTO ", "FOR UPDATE", "FOR SHARE", "LOCK IN ", "GET_LOCK", "SLEEP(", "BENCHMARK(", "LOAD_FILE", "NEXTVAL", "SETVAL", "/*!"}

func onlyReads(sql string) error {
	text := strings.ToUpper(strings.Join(strings.Fields(sql), " "))
	if !strings.HasPrefix(text, "SELECT ") && !strings.HasPrefix(text, "SHOW ") {
		return fmt.Errorf("only SELECT and SHOW are sent to a live server: %.40s", sql)
	}
	for _, word := range forbidden {
		if strings.Contains(text, word) {
			return fmt.Errorf("%q is not sent to a live server: %.40s", strings.TrimSpace(word), sql)
		}
	}
	return nil
}

// introduction is all that Login asks, in one statement.
const introduction = "SELECT CONNECTION_ID(), VERSION(), CURRENT_USER(), @@pid_file, @@datadir, @@hostname"

// introduce asks the server who it is and who we are, and checks its word
// against the process where the kernel has not said that they belong together.
func (c *Conn) introduce(ctx context.Context, s Server) error {
	rows, err := c.Query(ctx, introduction)
	if err != nil {
		return fmt.Errorf("%s let us in, but does not answer: %w", s, err)
	}
	if len(rows) != 1 || len(rows[0]) != 6 {
		return fmt.Errorf("%s answers %q with %d rows: it is no MySQL or MariaDB server", s, introduction, len(rows))
	}
	row := rows[0]
	if c.id, err = strconv.ParseUint(row[0], 10, 64); err != nil {
		return fmt.Errorf("%s has no connection id but %q: it is no MySQL or MariaDB server", s, row[0])
	}
	c.Version, c.User = row[1], row[2]
	if id, err := server.ParseVersion(c.Version); err == nil {
		c.Number, c.Flavor = id.Number, id.Flavor
	}
	if s.PID == 0 || s.proven {
		return nil
	}
	return c.prove(ctx, s, word{pidFile: row[3], datadir: row[4], hostname: row[5]})
}
