package main

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// What the load writes into its statements, and nobody else may learn.
const (
	canaryText   = "cnry7f3a9q"
	canaryNumber = "7316490284551"
)

// canaries are statements that have the two in every place that a user can write
// a value into. Some are errors. Each takes long enough to be seen at an edge.
func canaries() []string {
	hexed := strings.ToUpper(hex.EncodeToString([]byte(canaryText)))
	return []string{
		"SELECT '" + canaryText + "', SLEEP(0.05)", `SELECT "` + canaryText + `", SLEEP(0.05)`, "SELECT SLEEP(0.05), " + canaryNumber, "SELECT -" + canaryNumber + ".5e1 + SLEEP(0.05)",
		"SELECT N'" + canaryText + "', _utf8mb4'" + canaryText + "', SLEEP(0.05)", "SELECT X'" + hexed + "', 0x" + hexed + ", SLEEP(0.05)", "SELECT 'it''s " + canaryText + "', SLEEP(0.05)", `SELECT 'a\'` + canaryText + `', SLEEP(0.05)`,
		"/* " + canaryText + " */ SELECT SLEEP(0.05) -- " + canaryText, "SELECT SLEEP(0.05) # " + canaryText, "SELECT /*!50000 '" + canaryText + "', */ SLEEP(0.05)", "SELECT /*+ MAX_EXECUTION_TIME(" + canaryNumber + ") */ SLEEP(0.05)",
		"SET @v = '" + canaryText + "'", "SELECT @v, SLEEP(0.05)", "CALL sbtest.p('" + canaryText + "', " + canaryNumber + ")", "DO SLEEP(0.05), '" + canaryText + "'",
		"PREPARE s FROM 'SELECT ''" + canaryText + "'', SLEEP(?)'", "EXECUTE s USING @w", "EXECUTE IMMEDIATE 'SELECT ''" + canaryText + "'', SLEEP(0.05)'",
		"INSERT INTO sbtest.t VALUES ('" + canaryText + "', " + canaryNumber + "), (REPEAT('" + canaryText + "', 3), SLEEP(0.05))", "UPDATE sbtest.t SET a = '" + canaryText + "' WHERE b = " + canaryNumber + " OR SLEEP(0.01)",
		"DELETE FROM sbtest.t WHERE a LIKE '%" + canaryText + "%'", "SELECT * FROM sbtest.t WHERE b IN (1, " + canaryNumber + ", 3) AND SLEEP(0.05) LIMIT 7", "SHOW TABLES FROM sbtest LIKE '" + canaryText + "%'", "EXPLAIN SELECT * FROM sbtest.t WHERE a = '" + canaryText + "'",
		"CREATE OR REPLACE USER someone IDENTIFIED BY '" + canaryText + "'", "SET PASSWORD FOR someone = PASSWORD('" + canaryText + "')", "SELECT '" + canaryText,
		"SELECT GET_LOCK('" + canaryText + "', 0)", "SELECT DATE '2026-01-01', TIMESTAMP '2026-01-01 00:00:00', '" + canaryText + "' COLLATE utf8mb4_bin, SLEEP(0.05)", "SELECT JSON_VALUE('{\"a\": \"" + canaryText + "\"}', '$.a'), SLEEP(0.05)",
		"SELECT '" + strings.Repeat(canaryText, 500) + "', SLEEP(0.05)", "SELECT 1 FROM (SELECT '" + canaryText + "' AS c) AS d HAVING c = '" + canaryText + "' AND SLEEP(0.05) = 0 ORDER BY '" + canaryText + "'", "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '" + canaryText + "'",
	}
}

// TestSecurityLiteralsLong: users' statements are watched while they run, and
// what they have written into them is in nothing that is printed or kept.
func TestSecurityLiteralsLong(t *testing.T) {
	long(t)
	lacking(t, "mariadbd", "perf")
	if _, err := built(); err != nil {
		t.Fatal(err)
	}
	s := attachable(t)
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName, cfg.Logger = "root", "unix", s.Socket(), "sbtest", &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	for _, q := range []string{"CREATE TABLE t (a TEXT, b BIGINT)", "CREATE PROCEDURE p(a TEXT, b BIGINT) SELECT a, b, SLEEP(0.05)"} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	const connections = 4
	for n := range connections {
		go func() {
			conn, err := db.Conn(ctx)
			if err != nil {
				return
			}
			defer conn.Close()
			mode := []string{"", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES"}[n%3]
			_, _ = conn.ExecContext(ctx, "SET sql_mode = '"+mode+"', @w = 0.05")
			all := canaries()
			for i := n; ctx.Err() == nil; i++ {
				q := all[i%len(all)]
				if mode == "ANSI_QUOTES" && strings.Contains(q, `"`+canaryText) {
					continue // there it is the name of a column, and names stay
				}
				if i%5 == 0 { // a prepared one, with the values beside it
					_, _ = conn.ExecContext(ctx, "SELECT ?, ?, SLEEP(0.05)", canaryText, canaryNumber)
				}
				if rows, err := conn.QueryContext(ctx, q); err == nil {
					for rows.Next() {
					}
					_ = rows.Close()
				}
			}
		}()
	}
	dir := testDir(t, "")
	baseline := filepath.Join(dir, "baseline.json")
	secretCommand := "echo " + canaryText + " >&2; false"
	for i, args := range [][]string{
		{"--duration", "3s", "--format", "json", "--baseline", baseline}, {"--duration", "3s", "--against", baseline}, {"--duration", "3s", "--against", baseline, "--format", "csv"},
		{"--duration", "3s", "--profile", "--profile-out", filepath.Join(dir, "p.pb.gz"), "--format", "markdown", "--baseline", filepath.Join(dir, "second.json")},
		{"--duration", "1s", "--format", "tsv"}, {"--duration", "1s", "--ops-from", secretCommand},
	} {
		o := start(t, dir, s.attach(args...)...).wait()
		if (o.code != exitDone) != (i == 5) {
			t.Errorf("%v: exit %d, %s", args, o.code, o.stderr)
		}
		text := o.stdout + o.stderr
		if i == 0 && (!strings.Contains(text, "SLEEP") || strings.Count(text, "GET_LOCK") == 0) {
			t.Errorf("the statements were not seen: %.2000s", text)
		}
		if i != 5 { // what a command that was given says is its own affair
			noCanary(t, strings.Join(args, " "), text)
		}
	}
	noCanary(t, "the files", written(t, dir))
	for _, name := range []string{"baseline.json", "second.json", "p.pb.gz"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// noCanary fails where a text has one of the values, in whatever form.
func noCanary(t *testing.T, what, text string) {
	t.Helper()
	lower := strings.ToLower(text)
	for _, c := range []string{canaryText, canaryNumber, hex.EncodeToString([]byte(canaryText))} {
		if i := strings.Index(lower, c); i >= 0 {
			t.Errorf("%s: %q in %q", what, c, text[max(0, i-120):min(len(text), i+60)])
		}
	}
}

// TestSecurityDSNLong: the one password that opcost can do nothing about is that
// of its own argument, of which it warns. No program that it starts has it, and
// nothing that it writes.
func TestSecurityDSNLong(t *testing.T) {
	long(t)
	lacking(t, "mariadbd", "perf")
	const secret = "zq9-hunter2-zq9"
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	s := attachable(t)
	for _, q := range []string{"CREATE USER guarded@localhost IDENTIFIED BY '" + secret + "'", "GRANT PROCESS ON *.* TO guarded@localhost", "GRANT SELECT ON performance_schema.* TO guarded@localhost"} {
		if _, err := s.Control().Query(context.Background(), q); err != nil {
			t.Fatal(err)
		}
	}
	dir := testDir(t, "")
	for _, args := range [][]string{
		{"--profile", "--profile-out", filepath.Join(dir, "p.pb.gz"), "--baseline", filepath.Join(dir, "b.json")}, {"--format", "json"},
	} {
		c := start(t, dir, append([]string{"attach", "--dsn", fmt.Sprintf("guarded:%s@unix(%s)/", secret, s.Socket()), "--duration", "1s"}, args...)...)
		for done := false; !done; {
			select {
			case <-c.ended:
				done = true
			case <-time.After(10 * time.Millisecond):
			}
			for _, p := range alive(t, dir) {
				if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.pid)); err != nil || exe == path {
					continue
				}
				env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
				if strings.Contains(p.line+string(env), secret) {
					t.Errorf("%s has the password", p.line)
				}
			}
		}
		o := c.wait()
		if o.code != exitDone || !strings.Contains(o.stderr, "the DSN holds a password") {
			t.Errorf("exit %d: %s", o.code, o.stderr)
		}
		if strings.Contains(o.stdout+o.stderr+written(t, dir), secret) {
			t.Error("the password is in what was printed or written")
		}
	}
}
