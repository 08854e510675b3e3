package server

import (
	"database/sql/driver"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// over is what a login over TCP, and then a statement, come to.
func over(t *testing.T, addr, user, sql string) error {
	t.Helper()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.Logger = user, "tcp", addr, &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := connector.Connect(testContext(t))
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.(driver.ExecerContext).ExecContext(testContext(t), sql, nil)
	return err
}

func long(t *testing.T) {
	t.Helper()
	if os.Getenv("OPCOST_TEST_LONG") != "1" {
		t.Skip("it starts servers: `make test-long` (OPCOST_TEST_LONG=1) runs it")
	}
}

func refusedWith(err error, numbers ...uint16) bool {
	var refused *mysql.MySQLError
	if !errors.As(err, &refused) {
		return false
	}
	for _, n := range numbers {
		if refused.Number == n {
			return true
		}
	}
	return false
}

// A server that listens on TCP lets nobody in there who could do more than use
// the load's tables: any user of the machine could try.
func TestLiveAccountsLong(t *testing.T) {
	long(t)
	s := liveSite(t, liveSpec(t))
	s.spec.Database = "load"
	i := started(t, s, StartOptions{TCP: true})
	for _, user := range []string{"root", "", "mysql", "mysql.sys", "mariadb.sys", "nobody"} {
		if err := over(t, i.TCPAddr(), user, "SELECT 1"); !refusedWith(err, 1045, 1130, 1698, 3118, 4151) {
			t.Errorf("%q over TCP: %v, want a refusal", user, err)
		}
	}
	file := filepath.Join(t.TempDir(), "written")
	for _, sql := range []string{"CREATE DATABASE `load`", "CREATE TABLE `load`.t (a INT)", "ANALYZE TABLE `load`.t"} {
		if err := over(t, i.TCPAddr(), i.User(), sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for _, sql := range []string{"CREATE DATABASE other", "SELECT * FROM mysql.user", "SELECT 1 INTO OUTFILE '" + file + "'", "SET GLOBAL general_log = 1", "SHUTDOWN",
		"CREATE USER x", "CREATE FUNCTION f RETURNS STRING SONAME 'f.so'"} {
		if err := over(t, i.TCPAddr(), i.User(), sql); !refusedWith(err, 1044, 1045, 1142, 1227, 1410) {
			t.Errorf("%s: %v, want a refusal", sql, err)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the server wrote a file for a client over TCP")
	}
	stop(t, i)

	i = started(t, s, StartOptions{TCP: true})
	if err := over(t, i.TCPAddr(), "root", "SELECT 1"); err == nil {
		t.Error("root logs in over TCP at the second start")
	}
	stop(t, i)
	i = started(t, s, StartOptions{})
	if i.User() != rootUser {
		t.Errorf("over the socket: %s", i.User())
	}
	login(t, "unix", i.Socket())
}

// The folder of the socket is this user's alone, as the server's socket is not:
// servers make theirs for all.
func TestLiveSocketFolderLong(t *testing.T) {
	long(t)
	s := liveSite(t, liveSpec(t))
	i := started(t, s, StartOptions{})
	for path, most := range map[string]os.FileMode{filepath.Dir(i.Socket()): 0o700, s.dir: 0o700, s.data(): 0o700, s.tmp(): 0o700, i.LogPath(): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Error(err)
		} else if got := info.Mode().Perm(); got&^most != 0 {
			t.Errorf("%s: %o, want at most %o", path, got, most)
		}
	}
	stop(t, i)
}

// A server quotes an option that it does not know, value and all. A secret of
// the defaults file is neither in the error nor in the log that is kept.
func TestLiveSecretInLogLong(t *testing.T) {
	long(t)
	const secret = "zq9-hunter2-zq9"
	s := liveSite(t, liveSpec(t))
	s.spec.DefaultsFile = filepath.Join(t.TempDir(), "my.cnf")
	if err := os.WriteFile(s.spec.DefaultsFile, []byte("[mysqld]\nno-such-password="+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.readDefaultsFile(testContext(t)); err != nil {
		t.Fatal(err)
	}
	_, err := s.Start(testContext(t), StartOptions{})
	var failed *StartError
	if !errors.As(err, &failed) {
		t.Fatalf("%v", err)
	}
	if strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "no-such-password") || !strings.Contains(err.Error(), hidden) {
		t.Errorf("%v", err)
	}
	text, err := os.ReadFile(failed.Log)
	if err != nil || strings.Contains(string(text), secret) || !strings.Contains(string(text), hidden) {
		t.Errorf("%v: %s", err, text)
	}
}

// What a defaults file may not do, since no argument takes it back.
func TestDefaultsFileOpens(t *testing.T) {
	for text, refused := range map[string]bool{
		"skip-grant-tables": true, "skip_grant_tables=1": true, "skip-grant-tables=0": false, "grant-tables=0": true, "extra-port=3310": true, "extra_port=0": false,
		"admin_address=0.0.0.0": true, "admin-addr=0.0.0.0": true, "loose-wsrep-on=ON": true, "wsrep_on=OFF": false, "wsrep_cluster_address=gcomm://": true,
		"group_replication_local_address=10.0.0.1:33061": true, "max-connections=5": false, "bind-address=0.0.0.0": false,
	} {
		err := checkDefaultsFile([]option{{"--" + text, "my.cnf"}}, "")
		if (err != nil) != refused {
			t.Errorf("%s: %v, want refused: %v", text, err, refused)
		}
	}
}
