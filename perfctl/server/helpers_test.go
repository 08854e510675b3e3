package server

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// lacking skips a test that needs what this machine has not, unless the set-up
// has promised to install everything.
func lacking(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("OPCOST_TEST_ALL") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// installed is the installed server's path.
func installed() (string, error) {
	for _, path := range []string{"/usr/sbin/mariadbd", "/usr/libexec/mariadbd"} {
		if isFile(path) {
			return path, nil
		}
	}
	return exec.LookPath("mariadbd")
}

// mariadbd is the installed server, without which a test cannot be.
func mariadbd(t *testing.T) string {
	t.Helper()
	path, err := installed()
	if err != nil {
		lacking(t, "no mariadbd is installed (Debian: apt-get install mariadb-server-core)")
	}
	return path
}

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// liveSpec is a small MariaDB; quick to make on a slow disk.
func liveSpec(t *testing.T) Spec {
	t.Helper()
	return Spec{Name: "small", Mysqld: mariadbd(t), Options: smallOptions}
}

var smallOptions = []string{"innodb-log-file-size=8M", "innodb-buffer-pool-size=32M", "skip-log-bin"}

// template is one initialised site for all tests; making one costs seconds.
var template = sync.OnceValues(func() (*Site, error) {
	dir, err := os.MkdirTemp("", "opcost-template-")
	if err != nil {
		return nil, err
	}
	mysqld, err := installed()
	if err != nil {
		return nil, err
	}
	s, err := Open(context.Background(), Spec{Name: "template", Mysqld: mysqld, Options: smallOptions}, filepath.Join(dir, "site"))
	if err != nil {
		return nil, err
	}
	templateDir = dir
	return s, s.Initialise(context.Background())
})

var templateDir string

func TestMain(m *testing.M) {
	code := m.Run()
	if templateDir != "" {
		_ = os.RemoveAll(templateDir)
	}
	os.Exit(code)
}

// liveSite is an initialised site with that configuration.
func liveSite(t *testing.T, spec Spec) *Site {
	t.Helper()
	made, err := template()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(testContext(t), spec, filepath.Join(t.TempDir(), "site"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := copyTree(testContext(t), s.data(), made.data(), copySparse); err != nil {
		t.Fatal(err)
	}
	s.state.Initialised = true
	if err := s.writeState(); err != nil {
		t.Fatal(err)
	}
	return s
}

// started starts a server, which is stopped with the test if it still runs.
func started(t *testing.T, s *Site, o StartOptions) *Instance {
	t.Helper()
	i, err := s.Start(testContext(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return i
}

func stop(t *testing.T, i *Instance) {
	t.Helper()
	if err := i.Stop(testContext(t)); err != nil {
		t.Fatal(err)
	}
}

// ask runs a statement and gives the first column of its first row.
func ask(t *testing.T, i *Instance, sql string) string {
	t.Helper()
	rows, err := i.Control().Query(testContext(t), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	if len(rows) == 0 {
		return ""
	}
	return rows[0][0]
}

// script writes an executable shell script.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}
