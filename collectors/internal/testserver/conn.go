package testserver

import (
	"context"
	"database/sql"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// Conn is one connection, text protocol, counted; a collectors.Querier.
type Conn struct {
	DB *sql.DB // holds exactly the one connection
	n  int64
}

func (s *Server) open(user string) (*sql.DB, error) {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr = user, "unix", s.Socket
	// The driver tells of each attempt while the server starts.
	cfg.Logger = &mysql.NopLogger{}
	c, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	return db, nil
}

// Control opens a connection, closed with the test.
func (s *Server) Control(t testing.TB) *Conn {
	t.Helper()
	return s.ControlAs(t, "root")
}

// ControlAs opens a connection of a user without a password.
func (s *Server) ControlAs(t testing.TB, user string) *Conn {
	t.Helper()
	db, err := s.open(user)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Ping(); err != nil {
		t.Fatal(err)
	}
	return &Conn{DB: db}
}

// Query runs one statement and gives its rows as text.
func (c *Conn) Query(ctx context.Context, q string) ([][]string, error) {
	c.n++
	rows, err := c.DB.QueryContext(ctx, q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out [][]string
	for rows.Next() {
		cells := make([]sql.NullString, len(cols))
		at := make([]any, len(cols))
		for i := range cells {
			at[i] = &cells[i]
		}
		if err := rows.Scan(at...); err != nil {
			return nil, err
		}
		row := make([]string, len(cols))
		for i, c := range cells {
			row[i] = c.String
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// Statements counts what Query sent.
func (c *Conn) Statements() int64 { return c.n }

// Exec runs statements whose results do not matter.
func (c *Conn) Exec(t testing.TB, statements ...string) {
	t.Helper()
	for _, q := range statements {
		if _, err := c.Query(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}
