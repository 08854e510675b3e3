package server

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
)

// rootUser is the account of a fresh data directory; it has no password.
const rootUser = "root"

// Control is the control connection to a server of ours: the text protocol, no
// TLS, over the socket. It sends nothing by itself, so that Statements is
// exactly what it added to the server's Questions. It is never made again: a
// lost connection is an error.
type Control struct {
	mu         sync.Mutex
	conn       driver.Conn
	statements int64
	lost       error
	net        net.Conn
}

// connect logs in over the socket. The driver's default collation
// (utf8mb4_general_ci) is unknown to servers before 5.5.3, and these and the
// next are served with latin1; a charset by handshake costs no statement.
func connect(ctx context.Context, socket string, id Identity) (*Control, error) {
	c := &Control{}
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr = rootUser, "unix", socket
	cfg.Logger = &mysql.NopLogger{} // what fails is returned
	cfg.Timeout = 10 * time.Second
	if id.Flavor == MySQL && !id.AtLeast(5, 7, 0) || id.Flavor == MariaDB && !id.AtLeast(10, 0, 0) {
		cfg.Collation = "latin1_swedish_ci"
	}
	cfg.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		var d net.Dialer
		conn, err := d.DialContext(ctx, network, addr)
		c.net = conn
		return conn, err
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	// The driver leaves a silent server to the context.
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	if c.conn, err = connector.Connect(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// answerTimeout bounds a control statement: SHOW and the like, under valgrind.
const answerTimeout = 5 * time.Minute

// Query runs one statement and gives its rows as text; NULL is the empty
// string. A context that ends while the statement runs, and a server that gives
// no answer in 5 minutes, lose the connection.
func (c *Control) Query(ctx context.Context, sql string) ([][]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost != nil {
		return nil, fmt.Errorf("control connection was lost: %w", c.lost)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	queryer, ok := c.conn.(driver.QueryerContext)
	if !ok {
		return nil, errors.New("the MySQL driver cannot query without preparing")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, answerTimeout, errors.New("the server does not answer"))
	defer cancel()
	// Counted before its outcome: a statement that fails is a Question too.
	c.statements++
	rows, err := queryer.QueryContext(ctx, sql, nil)
	if err != nil {
		return nil, c.failed(because(ctx, err))
	}
	text, err := readRows(rows)
	if closeErr := rows.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, c.failed(because(ctx, err))
	}
	return text, nil
}

// because puts why a context has ended in front of what the driver says of it.
func because(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause == nil || errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w (%w)", cause, err)
}

// failed notes whether the connection survived: the server's own errors leave
// it whole.
func (c *Control) failed(err error) error {
	var refused *mysql.MySQLError
	if !errors.As(err, &refused) {
		c.lost = err
		_ = c.conn.Close() // it is broken already
	}
	return err
}

func readRows(rows driver.Rows) ([][]string, error) {
	var text [][]string
	values := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(values); err {
		case nil:
		case io.EOF:
			return text, nil
		default:
			return nil, err
		}
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = asText(v)
		}
		text = append(text, row)
	}
}

// asText is a value as the server wrote it; the driver has parsed numbers.
func asText(v driver.Value) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []byte:
		return string(v)
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case uint64:
		return strconv.FormatUint(v, 10)
	case float32:
		return strconv.FormatFloat(float64(v), 'f', -1, 32)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// Statements is how many statements were sent so far.
func (c *Control) Statements() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.statements
}

func (c *Control) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost == nil {
		c.lost = errors.New("its server was stopped")
		_ = c.conn.Close() // nothing is lost with a connection that has no transaction
	}
}
