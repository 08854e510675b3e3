// Package testserver runs a MariaDB of its own for the tests of the workload
// room: an empty data directory in a temporary folder, a socket, no TCP. It is
// no part of opcost.
package testserver

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"opcost/collectors/child"
)

// Server is a running MariaDB; its user is root without a password.
type Server struct {
	Socket string
	Proc   *child.Proc
	dir    string
}

// Missing skips the test where there is no MariaDB here, or fails it where
// OPCOST_TEST_ALL says that there must be.
func Missing(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range append([]string{"mariadbd"}, programs...) {
		if _, err := exec.LookPath(p); err != nil {
			if os.Getenv("OPCOST_TEST_ALL") == "1" {
				t.Fatalf("%s is needed (make test installs it): %v", p, err)
			}
			t.Skipf("needs %s (make test installs it)", p)
		}
	}
}

// Start starts a server with further options. Stop removes it and its data.
func Start(options ...string) (*Server, error) {
	dir, err := os.MkdirTemp("", "opcost-workload-")
	if err != nil {
		return nil, err
	}
	s, err := start(dir, options)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

func start(dir string, options []string) (*Server, error) {
	data := filepath.Join(dir, "data")
	if err := initialise(dir, data); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s := &Server{Socket: filepath.Join(dir, "socket"), dir: dir}
	argv := []string{"mariadbd", "--no-defaults", "--datadir=" + data, "--socket=" + s.Socket, "--skip-networking",
		"--user=root", "--pid-file=" + filepath.Join(dir, "pid"), "--innodb-flush-log-at-trx-commit=0", "--innodb-log-file-size=8M"}
	if s.Proc, err = child.Start(child.Spec{Argv: append(argv, options...), Stdout: log, Stderr: log}); err != nil {
		return nil, err
	}
	for range 1200 {
		if c, err := net.Dial("unix", s.Socket); err == nil {
			c.Close()
			return s, nil
		}
		select {
		case <-s.Proc.Done():
			said, _ := os.ReadFile(log.Name())
			return nil, fmt.Errorf("mariadbd ended at once (%v): %s", s.Proc.Err(), said)
		case <-time.After(100 * time.Millisecond):
		}
	}
	s.Stop()
	return nil, fmt.Errorf("mariadbd took no connection on %s within two minutes", s.Socket)
}

// initialise makes the system tables from the server's own scripts.
// mariadb-install-db does the same, but needs client programs that a package of
// the server alone does not bring.
func initialise(dir, data string) error {
	script := "create database mysql;\nuse mysql;\nset @auth_root_socket=null;\n"
	for _, name := range []string{"system_tables", "performance_tables", "system_tables_data"} {
		found, err := filepath.Glob("/usr/share/*/m*_" + name + ".sql")
		if err != nil || len(found) == 0 {
			return fmt.Errorf("no *_%s.sql of the server below /usr/share", name)
		}
		text, err := os.ReadFile(found[0])
		if err != nil {
			return err
		}
		script += string(text)
	}
	in := filepath.Join(dir, "bootstrap.sql")
	if err := os.WriteFile(in, []byte(script), 0o600); err != nil {
		return err
	}
	if err := os.Mkdir(data, 0o700); err != nil {
		return err
	}
	_, stderr, err := child.Output(context.Background(), "sh", "-c", `exec mariadbd "$@" <"$0"`, in,
		"--no-defaults", "--bootstrap", "--datadir="+data, "--user=root", "--innodb-log-file-size=8M")
	if err != nil {
		return fmt.Errorf("mariadbd --bootstrap: %w: %s", err, stderr)
	}
	return nil
}

// Stop ends the server and removes its data.
func (s *Server) Stop() {
	_ = s.Proc.Stop(syscall.SIGTERM, 30*time.Second) // the data go in any case
	os.RemoveAll(s.dir)
}
