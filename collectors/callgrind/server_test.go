package callgrind

import (
	"context"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"

	"opcost/collectors"
	"opcost/collectors/child"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

const (
	rows      = 10000
	poolBytes = 64 << 20
)

// live skips the test where a program is lacking, or fails it where the set-up
// has promised to install everything.
func live(t *testing.T, programs ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("a live test, left out by -short")
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			lack(t, "%s is not installed", p)
		}
	}
}

func lack(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("OPCOST_TEST_ALL") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// testServer is a private MariaDB on a socket of its own.
type testServer struct {
	t       *testing.T
	proc    *child.Proc
	wrapper Wrapper
	db      *sql.DB
}

// newData makes a data directory with the system tables and one table of ten
// thousand rows.
func newData(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	script := "create database mysql;\nuse mysql;\n"
	for _, name := range []string{"mysql_system_tables.sql", "mysql_system_tables_data.sql", "mysql_performance_tables.sql"} {
		script += readShare(t, name)
	}
	script += "create database sb;\n"
	boot := filepath.Join(dir, "boot.sql")
	if err := os.WriteFile(boot, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr, err := child.Output(t.Context(), "sh", "-c", `exec mariadbd --no-defaults --bootstrap --user=root --datadir="$1" <"$2"`, "sh", data, boot)
	if err != nil {
		t.Fatalf("initialise: %v\n%s", err, stderr)
	}
	s := startServer(t, data, false)
	for _, q := range []string{
		"create table sb.t (id int not null auto_increment primary key, k int not null, c char(120) not null, pad char(60) not null) engine=innodb",
		"insert into sb.t (k, c, pad) select seq % 1000, repeat(char(97 + seq % 26), 120), repeat('p', 60) from sb.seq_1_to_" + strconv.Itoa(rows),
	} {
		if _, err := s.db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	s.stop()
	return data
}

// readShare reads one of the scripts that make the system tables.
func readShare(t *testing.T, name string) string {
	t.Helper()
	for _, dir := range []string{"/usr/share/mysql", "/usr/share/mariadb"} {
		for _, prefix := range []string{"", "mariadb_"} {
			b, err := os.ReadFile(filepath.Join(dir, strings.Replace(name, "mysql_", prefix+"mysql_", 1)))
			if err == nil {
				return string(b)
			}
		}
	}
	lack(t, "%s is not where a package puts it", name)
	return ""
}

// startServer starts a server on the data, under callgrind if wanted, and
// stops it at the test's end.
func startServer(t *testing.T, data string, wrapped bool, options ...string) *testServer {
	t.Helper()
	dir := t.TempDir()
	s := &testServer{t: t, wrapper: Wrapper{Dir: filepath.Join(dir, "valgrind")}}
	if err := os.Mkdir(s.wrapper.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	argv := append([]string{"mariadbd", "--no-defaults", "--user=root", "--datadir=" + data, "--socket=" + socket,
		"--skip-networking", "--skip-grant-tables", "--pid-file=" + filepath.Join(dir, "pid"),
		"--innodb-buffer-pool-size=" + strconv.Itoa(poolBytes)}, options...)
	if wrapped {
		argv = append(argv, ServerOptions("10.11.19", "mariadb", poolBytes)...)
		argv = s.wrapper.Wrap(argv)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if s.proc, err = child.Start(child.Spec{Argv: argv, Stdout: log, Stderr: log}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	if s.db, err = sql.Open("mysql", "root@unix("+socket+")/"); err != nil {
		t.Fatal(err)
	}
	for {
		if err = s.db.Ping(); err == nil {
			return s
		}
		select {
		case <-s.proc.Done():
			text, _ := os.ReadFile(log.Name())
			t.Fatalf("the server ended: %v\n%s", s.proc.Err(), text)
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// stop may be called twice.
func (s *testServer) stop() {
	if s.db != nil {
		s.db.Close()
	}
	if err := s.proc.Stop(syscall.SIGTERM, 60*time.Second); err != nil {
		s.t.Error(err)
	}
}

// client is one connection and the server's thread behind it.
type client struct {
	t    *testing.T
	conn *sql.Conn
	stmt *sql.Stmt // nil: text protocol
	tid  int
	next int
}

func (s *testServer) client(prepared bool) *client {
	s.t.Helper()
	ctx := context.Background()
	conn, err := s.db.Conn(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	c := &client{t: s.t, conn: conn}
	if err := conn.QueryRowContext(ctx, "select tid from information_schema.processlist where id = connection_id()").Scan(&c.tid); err != nil {
		s.t.Fatal(err)
	}
	if prepared {
		if c.stmt, err = conn.PrepareContext(ctx, "select c from sb.t where id = ?"); err != nil {
			s.t.Fatal(err)
		}
	}
	return c
}

// run executes n point queries, by keys that go through the table in a fixed
// order.
func (c *client) run(n int) {
	c.t.Helper()
	var got string
	for range n {
		c.next = (c.next + 7919) % rows
		var err error
		if c.stmt != nil {
			err = c.stmt.QueryRow(c.next + 1).Scan(&got)
		} else {
			err = c.conn.QueryRowContext(context.Background(), "select c from sb.t where id = "+strconv.Itoa(c.next+1)).Scan(&got)
		}
		if err != nil || len(got) != 120 {
			c.t.Fatalf("id %d: %d bytes, %v", c.next+1, len(got), err)
		}
	}
}

// window counts n queries of the client and gives the readings by name.
func (s *testServer) window(c *client, n int, tag, evidence string) map[string]result.Reading {
	s.t.Helper()
	ctx := context.Background()
	target := collectors.Target{PID: s.proc.PID(), PIDFD: -1, ConnTIDs: []int{c.tid}, Evidence: evidence, Tag: tag}
	began := time.Now()
	edge := func(name string) {
		s.t.Logf("%s: %s took %v", tag, name, time.Since(began).Round(time.Millisecond))
		began = time.Now()
	}
	armed, err := New(s.wrapper).Arm(ctx, target, probe.Caps{})
	if err != nil {
		s.t.Fatal(err)
	}
	edge("Arm")
	if err := armed.Begin(ctx); err != nil {
		s.t.Fatal(err)
	}
	edge("Begin")
	c.run(n)
	edge("the load")
	if err := armed.End(ctx); err != nil {
		s.t.Fatal(err)
	}
	edge("End")
	readings, err := armed.Close()
	edge("Close")
	if err != nil {
		s.t.Fatal(err)
	}
	byName := map[string]result.Reading{}
	for _, r := range readings {
		byName[r.Name] = r
	}
	return byName
}
