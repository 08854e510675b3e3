package threads

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"opcost/collectors"
)

// connection is what a thread serves. Background threads of MySQL have a name
// and no id.
type connection struct {
	id            uint64
	user, db      string
	command, text string
	name          string // of the thread
	own           bool
}

// The two ways to ask, with our mark (see [collectors.OwnMark]). Neither server
// has the other's columns. Both read without a lock on tables; the server
// holds a connection's own lock while it copies the row.
const (
	// MariaDB 10.0 and later.
	askMariaDB = "SELECT ID AS " + collectors.OwnMark + "_threads, TID, USER, DB, COMMAND, LEFT(INFO, 4096), ID = CONNECTION_ID(), ''" +
		" FROM information_schema.PROCESSLIST"
	// MySQL 5.7 and later, with performance_schema on.
	askMySQL = "SELECT PROCESSLIST_ID AS " + collectors.OwnMark + "_threads, THREAD_OS_ID, PROCESSLIST_USER, PROCESSLIST_DB, PROCESSLIST_COMMAND," +
		" LEFT(PROCESSLIST_INFO, 4096), PROCESSLIST_ID = CONNECTION_ID(), NAME FROM performance_schema.threads WHERE THREAD_OS_ID > 0"
	// MariaDB 10.5 and later, where performance_schema is on.
	askNames = "SELECT THREAD_OS_ID AS " + collectors.OwnMark + "_names, NAME FROM performance_schema.threads WHERE TYPE = 'BACKGROUND'"
)

// joiner asks which thread serves which connection.
type joiner struct {
	sql    collectors.Querier
	text   string
	names  map[int]string // of background threads, as the server says their ids
	reason string         // why it cannot
	remedy string
	// part says why it can only for some; "" for all.
	part string
}

// arrange finds out which way works. It is no error when none does.
func arrange(ctx context.Context, sql collectors.Querier) joiner {
	j := joiner{sql: sql}
	if sql == nil {
		j.reason, j.remedy = "there is no login to the server", "give one: --dsn 'user@unix(/path/to/socket)/'"
		return j
	}
	if rows, err := sql.Query(ctx, "SELECT @@global.thread_handling"); err == nil && len(rows) == 1 {
		// MariaDB: pool-of-threads; Percona and MySQL Enterprise: loaded-dynamically too.
		if h := rows[0][0]; h != "one-thread-per-connection" && h != "no-threads" {
			j.reason = "thread_handling is " + h + ", so that a connection has no thread of its own"
			return j
		}
	}
	var first, second error
	j.text = askMariaDB
	rows, first := sql.Query(ctx, j.text)
	if first == nil {
		j.askNames(ctx)
	} else {
		j.text = askMySQL
		rows, second = sql.Query(ctx, j.text)
	}
	switch {
	case second != nil && strings.Contains(second.Error(), "denied"):
		j.reason, j.remedy = second.Error(), "an administrator would run GRANT SELECT ON performance_schema.threads TO the login that opcost uses"
	case second != nil:
		j.reason = fmt.Sprintf("the server does not say which thread serves a connection (MySQL 5.7 and MariaDB 10.0 are the first): %v", second)
	case len(rows) == 0:
		j.reason, j.remedy = "performance_schema is off", "the server's administrator would set performance_schema=ON in its configuration and restart it"
	case first == nil:
		j.askWhole(ctx, rows)
	}
	return j
}

func (j *joiner) askNames(ctx context.Context) {
	rows, err := j.sql.Query(ctx, askNames)
	if err != nil {
		return // no access, or an older server: the kernel's names do
	}
	j.names = map[int]string{}
	for _, r := range rows {
		if tid, err := strconv.Atoi(r[0]); err == nil && len(r) == 2 {
			j.names[tid] = r[1]
		}
	}
}

// askWhole finds out whether we see the connections of others: without the
// privilege PROCESS, MariaDB lists those of our own user alone.
func (j *joiner) askWhole(ctx context.Context, rows [][]string) {
	status, err := j.sql.Query(ctx, "SHOW GLOBAL STATUS LIKE 'Threads_connected'")
	if err != nil || len(status) != 1 || len(status[0]) != 2 {
		return
	}
	connected, err := strconv.Atoi(status[0][1])
	users := map[string]bool{}
	for _, r := range rows {
		users[r[2]] = true
	}
	if err == nil && len(rows) < connected && len(users) == 1 {
		j.part = fmt.Sprintf("the server shows us %d of %d connections, those of our own user", len(rows), connected)
		j.remedy = "an administrator would run GRANT PROCESS ON *.* TO the login that opcost uses"
	}
}

// ask gives the connections by the server's thread ids, or why there are none.
func (j *joiner) ask(ctx context.Context) (map[int]connection, string) {
	if j.reason != "" {
		return nil, j.reason
	}
	rows, err := j.sql.Query(ctx, j.text)
	if err != nil {
		return nil, "ask for the connections: " + err.Error()
	}
	conns := make(map[int]connection, len(rows))
	for _, r := range rows {
		if len(r) != 8 {
			return nil, fmt.Sprintf("the server gave a row of %d columns, not 8", len(r))
		}
		tid, err := strconv.Atoi(r[1])
		if err != nil || tid == 0 {
			continue // a thread that is being started
		}
		c := connection{user: r[2], db: r[3], command: r[4], text: r[5], own: r[6] == "1", name: r[7]}
		if r[0] != "" {
			if c.id, err = strconv.ParseUint(r[0], 10, 64); err != nil {
				return nil, fmt.Sprintf("the server gave the connection id %q", r[0])
			}
		}
		conns[tid] = c
	}
	return conns, ""
}
