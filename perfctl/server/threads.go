package server

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ThreadsOf gives the operating system's thread ids that serve connections, in
// the order of the connection ids (CONNECTION_ID(), or the handshake's). It
// costs one statement on the control connection. A server that cannot say is an
// error with the reason: performance_schema off on MySQL, MySQL before 5.7,
// a thread pool.
func (i *Instance) ThreadsOf(ctx context.Context, connIDs []uint64) ([]int, error) {
	if len(connIDs) == 0 {
		return nil, nil
	}
	sql, err := threadsSQL(i.site.Identity, connIDs)
	if err != nil {
		return nil, err
	}
	rows, err := i.control.Query(ctx, sql)
	if err != nil {
		return nil, fmt.Errorf("threads of connections: %w", err)
	}
	tids, err := threadIDs(i.site.Identity, rows, connIDs)
	if err != nil {
		return nil, err
	}
	for _, tid := range tids {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", i.pid, tid)); err != nil {
			return nil, fmt.Errorf("threads of connections: the server says thread %d, which process %d has not (does a launcher put it into a PID namespace of its own?)", tid, i.pid)
		}
	}
	return tids, nil
}

// threadsSQL asks for connection id, thread id and thread_handling.
// MariaDB: information_schema.PROCESSLIST.TID, from 10.0.
// MySQL: performance_schema.threads.THREAD_OS_ID, from 5.7.
func threadsSQL(id Identity, connIDs []uint64) (string, error) {
	list := make([]string, len(connIDs))
	for n, c := range connIDs {
		list[n] = strconv.FormatUint(c, 10)
	}
	in := strings.Join(list, ",")
	switch {
	case id.Flavor == MariaDB && id.AtLeast(10, 0, 0):
		return "SELECT ID, TID, @@global.thread_handling FROM information_schema.PROCESSLIST WHERE ID IN (" + in + ")", nil
	case id.Flavor == MySQL && id.AtLeast(5, 7, 0):
		return "SELECT PROCESSLIST_ID, THREAD_OS_ID, @@global.thread_handling FROM performance_schema.threads WHERE PROCESSLIST_ID IN (" + in + ")", nil
	}
	return "", fmt.Errorf("threads of connections: %s does not say which thread serves a connection (MySQL 5.7 and MariaDB 10.0 are the first)", id)
}

func threadIDs(id Identity, rows [][]string, connIDs []uint64) ([]int, error) {
	byConn := map[string]int{}
	for _, row := range rows {
		if len(row) != 3 {
			return nil, fmt.Errorf("threads of connections: a row of %d columns instead of 3", len(row))
		}
		// MariaDB: pool-of-threads; Percona and MySQL Enterprise: pool-of-threads, loaded-dynamically.
		if row[2] != "one-thread-per-connection" && row[2] != "no-threads" {
			return nil, fmt.Errorf("threads of connections: thread_handling is %s, so that a connection has no thread of its own", row[2])
		}
		tid, err := strconv.Atoi(row[1])
		if err != nil || tid <= 0 {
			return nil, fmt.Errorf("threads of connections: the server gives no thread id for connection %s (%q)", row[0], row[1])
		}
		byConn[row[0]] = tid
	}
	tids := make([]int, len(connIDs))
	for n, c := range connIDs {
		tid, ok := byConn[strconv.FormatUint(c, 10)]
		if !ok {
			reason := "it may have ended"
			if id.Flavor == MySQL {
				reason += ", or performance_schema is off: add performance_schema=ON to the options to tell connection threads apart"
			}
			return nil, fmt.Errorf("threads of connections: the server does not list connection %d (%s)", c, reason)
		}
		tids[n] = tid
	}
	return tids, nil
}
