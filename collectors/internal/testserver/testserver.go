// Package testserver is a private MariaDB for live tests: its own empty data,
// its own socket, no TCP, ended with the test. It is for tests alone; the
// product's servers are perfctl/server's business.
package testserver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"opcost/collectors"
	"opcost/collectors/child"
)

// Server is one that runs.
type Server struct {
	PID    int
	Socket string
	Exe    string
	dir    string
}

// Lacks skips the test for want of something, unless OPCOST_TEST_ALL=1 says
// that the machine was set up to have everything.
func Lacks(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("OPCOST_TEST_ALL") == "1" {
		t.Fatalf("OPCOST_TEST_ALL=1, but "+format, args...)
	}
	t.Skipf(format, args...)
}

// Start initialises a data directory with the server's own system tables and
// starts a server on it with the options given (`--name=value`). It takes 2 s.
func Start(t testing.TB, options ...string) *Server {
	t.Helper()
	exe, err := exec.LookPath("mariadbd")
	if err != nil {
		Lacks(t, "no mariadbd on PATH: apt-get install mariadb-server-core")
	}
	// Short, because a socket's path holds 107 bytes.
	dir, err := os.MkdirTemp("", "opcost-ts-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &Server{Socket: filepath.Join(dir, "s"), Exe: exe, dir: dir}
	// A server that starts deletes every #sql* file of its tmpdir, so that two
	// servers with the same one delete each other's temporary tables.
	for _, sub := range []string{"data", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.initialise(t)
	common := []string{exe, "--no-defaults", "--datadir=" + filepath.Join(dir, "data"), "--tmpdir=" + filepath.Join(dir, "tmp"), "--user=root",
		"--socket=" + s.Socket, "--skip-networking", "--pid-file=" + filepath.Join(dir, "pid"),
		"--innodb-buffer-pool-size=32M", "--innodb-log-file-size=8M"}
	p := s.run(t, "err.log", append(common, options...))
	t.Cleanup(func() {
		if err := p.Stop(syscall.SIGTERM, 20*time.Second); err != nil {
			t.Error(err)
		}
	})
	s.PID = p.PID()
	s.ready(t, p)
	return s
}

// ready waits until the server takes connections.
func (s *Server) ready(t testing.TB, p *child.Proc) {
	t.Helper()
	for {
		db, err := s.open("root")
		if err == nil {
			err = db.Ping()
			_ = db.Close()
		}
		if err == nil {
			return
		}
		select {
		case <-p.Done():
			t.Fatalf("the server ended while starting (%v):\n%s", p.Err(), s.Log("err.log"))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// initialise bootstraps the system tables from the server's own scripts
// (mariadb-install-db does the same, and needs client programs beside it).
func (s *Server) initialise(t testing.TB) {
	t.Helper()
	script := "create database mysql;\nuse mysql;\nset @auth_root_socket=null;\n"
	for _, name := range []string{"system_tables.sql", "performance_tables.sql", "system_tables_data.sql"} {
		found, _ := filepath.Glob("/usr/share/*/m*_" + name)
		if len(found) == 0 {
			Lacks(t, "no %s below /usr/share: apt-get install mariadb-server-core", name)
		}
		text, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		script += string(text)
	}
	boot, data := filepath.Join(s.dir, "boot.sql"), filepath.Join(s.dir, "data")
	if err := os.WriteFile(boot, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	p := s.run(t, "boot.log", []string{"sh", "-c", `exec "$0" "$@" <` + boot, s.Exe, "--no-defaults", "--bootstrap",
		"--datadir=" + data, "--tmpdir=" + filepath.Join(s.dir, "tmp"), "--user=root", "--innodb-log-file-size=8M"})
	<-p.Done()
	if p.Err() != nil {
		t.Fatalf("bootstrap: %v\n%s", p.Err(), s.Log("boot.log"))
	}
}

func (s *Server) run(t testing.TB, log string, argv []string) *child.Proc {
	t.Helper()
	f, err := os.Create(filepath.Join(s.dir, log))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := child.Start(child.Spec{Argv: argv, Stdout: f, Stderr: f})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Log is a log's lines that tell of errors.
func (s *Server) Log(name string) string {
	b, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		return err.Error()
	}
	var out []string
	for line := range strings.Lines(string(b)) {
		if strings.Contains(line, "ERROR") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// Target is the server as collectors see it, with a control connection.
func (s *Server) Target(t testing.TB) collectors.Target {
	t.Helper()
	p, err := procfs.NewProc(s.PID)
	if err != nil {
		t.Fatal(err)
	}
	st, err := p.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return collectors.Target{PID: s.PID, StartTicks: st.Starttime, PIDFD: -1, Exe: s.Exe, SQL: s.Control(t),
		ConnTIDsReason: "the test did not ask", Evidence: t.TempDir(), Tag: "w0"}
}

// ThreadOf is the operating system's id of the thread that serves a connection.
func ThreadOf(t testing.TB, c *Conn) int {
	t.Helper()
	rows, err := c.Query(t.Context(), "select tid from information_schema.processlist where id = connection_id()")
	if err != nil {
		t.Fatal(err)
	}
	var tid int
	if _, err := fmt.Sscan(rows[0][0], &tid); err != nil {
		t.Fatal(err)
	}
	return tid
}
