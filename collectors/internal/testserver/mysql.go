package testserver

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// StartMySQL starts a MySQL server of another distribution, unpacked into a
// folder that OPCOST_TEST_TREES lists with colons between (with usr/sbin/mysqld
// and the libraries that it needs), through its own loader. Without one the
// test is skipped. It takes 10 s.
func StartMySQL(t testing.TB, options ...string) *Server {
	t.Helper()
	var root string
	for _, dir := range filepath.SplitList(os.Getenv("OPCOST_TEST_TREES")) {
		if _, err := os.Stat(filepath.Join(dir, "usr/sbin/mysqld")); err == nil {
			root = dir
		}
	}
	if root == "" {
		t.Skip("OPCOST_TEST_TREES names no unpacked MySQL server")
	}
	dir, err := os.MkdirTemp("", "opcost-ts-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Mkdir(filepath.Join(dir, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	libs := filepath.Join(root, "usr/lib/x86_64-linux-gnu")
	s := &Server{Socket: filepath.Join(dir, "s"), Exe: filepath.Join(libs, "ld-linux-x86-64.so.2"), dir: dir}
	argv := []string{s.Exe, "--library-path", libs, filepath.Join(root, "usr/sbin/mysqld"), "--no-defaults", "--user=root",
		"--datadir=" + filepath.Join(dir, "data"), "--tmpdir=" + filepath.Join(dir, "tmp"), "--basedir=" + filepath.Join(root, "usr"),
		"--lc-messages-dir=" + filepath.Join(root, "usr/share/mysql"), "--secure-file-priv=NULL", "--innodb-buffer-pool-size=32M"}
	init := s.run(t, "boot.log", append(argv, "--initialize-insecure"))
	<-init.Done()
	if init.Err() != nil {
		t.Fatalf("initialize: %v\n%s", init.Err(), s.Log("boot.log"))
	}
	argv = append(argv, "--socket="+s.Socket, "--skip-networking", "--mysqlx=OFF", "--pid-file="+filepath.Join(dir, "pid"))
	p := s.run(t, "err.log", append(argv, options...))
	t.Cleanup(func() {
		if err := p.Stop(syscall.SIGTERM, 30*time.Second); err != nil {
			t.Error(err)
		}
	})
	s.PID = p.PID()
	s.ready(t, p)
	return s
}
