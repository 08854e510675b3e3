package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLiveTrees runs servers of other distributions, unpacked into folders that
// OPCOST_TEST_TREES lists with colons between (each with usr/sbin/mariadbd or
// mysqld and the libraries that it needs), through their own loaders.
func TestLiveTrees(t *testing.T) {
	roots := filepath.SplitList(os.Getenv("OPCOST_TEST_TREES"))
	if len(roots) == 0 {
		t.Skip("OPCOST_TEST_TREES names no unpacked servers")
	}
	for _, root := range roots {
		t.Run(filepath.Base(root), func(t *testing.T) { liveTree(t, root) })
	}
}

func liveTree(t *testing.T, root string) {
	ctx := testContext(t)
	spec := Spec{Name: filepath.Base(root), Options: []string{"innodb-buffer-pool-size=64M", "performance-schema=ON"}}
	for _, name := range []string{"mysqld", "mariadbd"} {
		if path := filepath.Join(root, "usr", "sbin", name); isFile(path) {
			spec.Mysqld = path
		}
	}
	old, libs := filepath.Join(root, "lib", "x86_64-linux-gnu"), filepath.Join(root, "usr", "lib", "x86_64-linux-gnu")
	loader := filepath.Join(libs, "ld-linux-x86-64.so.2")
	if !isFile(loader) { // before Debian 12 a link from /lib
		loader, _ = filepath.EvalSymlinks(filepath.Join(old, "ld-linux-x86-64.so.2"))
	}
	spec.Launcher = []string{loader, "--library-path", libs + ":" + old}
	s, err := Open(ctx, spec, filepath.Join(t.TempDir(), "site"))
	if err != nil {
		t.Fatal(err)
	}
	s.settleTimeout = time.Second
	if err := s.Initialise(ctx); err != nil {
		t.Fatal(err)
	}
	i := started(t, s, StartOptions{})
	t.Logf("%s: %s", s.Identity, strings.Join(i.Argv(), " "))
	if n := questions(t, i); n != i.Control().Statements() {
		t.Errorf("the server counted %d statements, we %d", n, i.Control().Statements())
	}
	if n := ask(t, i, "SELECT COUNT(*) FROM mysql.help_topic"); n == "0" {
		t.Error("the help tables are empty")
	}
	ask(t, i, "CREATE DATABASE d")
	ask(t, i, "CREATE TABLE d.t (a INT PRIMARY KEY) ENGINE=InnoDB")
	ask(t, i, "INSERT INTO d.t VALUES (1), (2)")
	_, id := login(t, "unix", i.Socket())
	if tids, err := i.ThreadsOf(ctx, []uint64{id}); err != nil || len(tids) != 1 {
		t.Errorf("%v %v", tids, err)
	}
	if vars, err := i.Variables(ctx); err != nil || vars["performance_schema"] != "ON" {
		t.Errorf("%v %v", vars, err)
	}
	stop(t, i)
	if err := s.Save(ctx); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Restore(ctx); err != nil || r.Bytes == 0 {
		t.Fatalf("%+v %v", r, err)
	}
	i = started(t, s, StartOptions{TCP: true})
	login(t, "tcp", i.TCPAddr())
	if n := ask(t, i, "SELECT COUNT(*) FROM d.t"); n != "2" {
		t.Errorf("%s rows after the restore", n)
	}
	stop(t, i)
	if _, err := s.Start(ctx, StartOptions{Extra: []string{"no-such-variable=0"}}); err == nil || !strings.Contains(err.Error(), "refused option: no-such-variable") && !strings.Contains(err.Error(), "refused option: no_such_variable") {
		t.Errorf("a refused option: %v", err)
	}
}
