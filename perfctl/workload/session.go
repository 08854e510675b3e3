package workload

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"

	"github.com/go-sql-driver/mysql"
)

// session is a client's connection, used through the driver's plain calls:
// those that take a context start a watcher for each statement, and Query with
// arguments would prepare, execute and close each time.
type session struct {
	conn   driver.Conn
	text   textConn
	socket *blocking
	id     uint64
}

type (
	textConn interface {
		Query(sql string, args []driver.Value) (driver.Rows, error)
		Exec(sql string, args []driver.Value) (driver.Result, error)
	}
	stmtCalls interface {
		Query(args []driver.Value) (driver.Rows, error)
		Exec(args []driver.Value) (driver.Result, error)
	}
)

// open connects. The context is for connecting only.
func open(ctx context.Context, a Access) (*session, error) {
	s := &session{}
	connector, err := a.connector(func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dialBlocking(ctx, network, addr)
		if err == nil {
			s.socket = c.(*blocking)
		}
		return c, err
	})
	if err != nil {
		return nil, err
	}
	if s.conn, err = connector.Connect(ctx); err != nil {
		return nil, fmt.Errorf("connect to %s %s as %q: %w", a.Network, a.Addr, a.User, s.explain(err))
	}
	var ok bool
	if s.text, ok = s.conn.(textConn); !ok {
		return nil, errors.New("the MySQL driver has lost its plain calls (Query, Exec): build opcost with the version of go-sql-driver in its go.mod")
	}
	if s.id, err = s.number("SELECT CONNECTION_ID()"); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// number runs a query that gives one number.
func (s *session) number(sql string) (uint64, error) {
	rows, err := s.text.Query(sql, nil)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", sql, s.explain(err))
	}
	defer rows.Close()
	dest := make([]driver.Value, 1)
	if err := rows.Next(dest); err != nil {
		return 0, fmt.Errorf("%s: %w", sql, s.explain(err))
	}
	switch v := dest[0].(type) {
	case int64:
		return uint64(v), nil
	case uint64:
		return v, nil
	case []byte:
		return strconv.ParseUint(string(v), 10, 64)
	}
	return 0, fmt.Errorf("%s: gave no number but %v", sql, dest[0])
}

// prepare has the server prepare a statement.
func (s *session) prepare(sql string) (stmtCalls, error) {
	st, err := s.conn.Prepare(sql)
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", shorten(sql), s.explain(err))
	}
	calls, ok := st.(stmtCalls)
	if !ok {
		return nil, errors.New("the MySQL driver has lost its plain calls on statements: build opcost with the version of go-sql-driver in its go.mod")
	}
	return calls, nil
}

func (s *session) close() { _ = s.conn.Close() } // it is of no use any more, whatever the error

// explain puts the socket's own fault beside the driver's "invalid connection".
func (s *session) explain(err error) error {
	var refused *mysql.MySQLError
	if errors.As(err, &refused) && refused.Number == 1040 { // ER_CON_COUNT_ERROR
		return fmt.Errorf("%w: the server's max-connections must be larger than the number of clients", err)
	}
	if s.socket == nil || s.socket.err() == nil {
		return err
	}
	if fault := s.socket.err(); !errors.Is(fault, io.EOF) {
		return fmt.Errorf("%w (%w)", err, fault)
	}
	return fmt.Errorf("%w (the server closed the connection: its error log says why)", err)
}

// passing says whether a statement's failure leaves the load able to go on:
// lock conflicts and duplicate keys between clients. Numbers: MySQL's
// "Server Error Message Reference".
func passing(err error) bool {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return false
	}
	switch e.Number {
	case 1020, // ER_CHECKREAD: record has changed since last read (MariaDB, snapshot isolation)
		1062, // ER_DUP_ENTRY
		1205, // ER_LOCK_WAIT_TIMEOUT
		1213: // ER_LOCK_DEADLOCK
		return true
	}
	return false
}

// shorten cuts a statement for a message.
func shorten(sql string) string {
	if len(sql) > 100 {
		return sql[:97] + "..."
	}
	return sql
}
