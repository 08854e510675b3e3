package live

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const secret = "pw-QX7#'\\ z"

// TestLogin is accounts of every kind on one server, with TLS.
func TestLogin(t *testing.T) {
	port := freePort(t)
	cert, key := certificate(t)
	m := startServer(t, nil, fmt.Sprintf("--port=%d", port), "--skip-name-resolve", "--ssl-cert="+cert, "--ssl-key="+key)
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(secret)
	m.ask(t, "CREATE USER dba@localhost IDENTIFIED BY '"+quoted+"'", "CREATE USER dba@'127.0.0.1' IDENTIFIED BY '"+quoted+"'",
		"CREATE USER strict@'127.0.0.1' IDENTIFIED BY '"+quoted+"' REQUIRE SSL", "CREATE USER locked@localhost ACCOUNT LOCK",
		"CREATE USER somebody@localhost IDENTIFIED VIA unix_socket")
	tcp := fmt.Sprintf("@tcp(127.0.0.1:%d)/", port)
	long := strings.Repeat("d/", 40) + "s"
	if err := os.MkdirAll(filepath.Dir(filepath.Join(m.dir, long)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(m.socket, filepath.Join(m.dir, long)); err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		name  string
		ask   Ask
		from  Sources
		user  string // as the server says
		tls   string // its beginning
		wrong []string
	}{
		{name: "socket", ask: Ask{Socket: m.socket}, from: Sources{User: "dba", Password: secret}, user: "dba@localhost"},
		{name: "long path", ask: Ask{Socket: filepath.Join(m.dir, long)}, from: Sources{User: "dba", Password: secret}, user: "dba@localhost"},
		{name: "TCP prefers TLS", ask: Ask{DSN: "dba" + tcp}, from: Sources{DSN: "dba" + tcp, Password: secret}, user: "dba@127.0.0.1", tls: "TLS 1."},
		{name: "TCP without TLS", ask: Ask{DSN: "dba" + tcp}, from: Sources{DSN: "dba" + tcp + "?tls=false", Password: secret}, user: "dba@127.0.0.1"},
		{name: "account with TLS", ask: Ask{DSN: "strict" + tcp}, from: Sources{DSN: "strict" + tcp, Password: secret}, user: "strict@127.0.0.1", tls: "TLS 1."},
		{name: "account with TLS, without", ask: Ask{DSN: "strict" + tcp}, from: Sources{DSN: "strict" + tcp + "?tls=false", Password: secret}, wrong: []string{"Access denied", "tls=preferred"}},
		{name: "TLS that nobody vouches for", ask: Ask{DSN: "dba" + tcp}, from: Sources{DSN: "dba" + tcp + "?tls=true", Password: secret}, wrong: []string{"certificate"}},
		{name: "wrong password", ask: Ask{Socket: m.socket}, from: Sources{User: "dba", Password: secret + "x"}, wrong: []string{"Access denied", "MYSQL_PWD", "dba with the password from MYSQL_PWD"}},
		{name: "no password", ask: Ask{Socket: m.socket}, from: Sources{User: "dba"}, wrong: []string{"Access denied", "dba without a password"}},
		{name: "no such account", ask: Ask{Socket: m.socket}, from: Sources{User: "who"}, wrong: []string{"Access denied"}},
		{name: "locked", ask: Ask{Socket: m.socket}, from: Sources{User: "locked"}, wrong: []string{"log in to", "locked"}},
		{name: "another's account", ask: Ask{Socket: m.socket}, from: Sources{User: "somebody"}, wrong: []string{"Access denied", "as that user of the system"}},
		{name: "port of nobody", ask: Ask{DSN: "dba@tcp(127.0.0.1:1)/"}, from: Sources{User: "dba"}, wrong: []string{"refused", "nobody listens there"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			credentials, err := ReadCredentials(c.from)
			if err != nil {
				t.Fatal(err)
			}
			s := mustFind(t, c.ask)
			conn, err := Login(t.Context(), credentials, s)
			if len(c.wrong) > 0 {
				oneLine(t, err, c.wrong...)
				if err != nil && strings.Contains(err.Error(), "pw-QX7") {
					t.Error("the error shows the password")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if conn.User != c.user || !strings.HasPrefix(conn.TLS, c.tls) || c.tls == "" && conn.TLS != "" {
				t.Errorf("user %q, TLS %q; want %q, %q", conn.User, conn.TLS, c.user, c.tls)
			}
			cipher, err := conn.Query(t.Context(), "SHOW SESSION STATUS LIKE 'Ssl_cipher'")
			if err != nil || !strings.Contains(conn.TLS, strings.ReplaceAll(cipher[0][1], "-", "_")) && !strings.HasPrefix(conn.TLS, "TLS 1.2") || (cipher[0][1] == "") != (conn.TLS == "") {
				t.Errorf("TLS %q, the server says %q, %v", conn.TLS, cipher, err)
			}
			if id := m.ask(t, fmt.Sprintf("SELECT COUNT(*) FROM information_schema.processlist WHERE id=%d AND user='%s'", conn.ID(), strings.Split(c.user, "@")[0])); id != "1" {
				t.Errorf("the server has no connection %d of ours", conn.ID())
			}
		})
	}
}

// TestUndisturbed holds what the server counts against what we say that we did.
func TestUndisturbed(t *testing.T) {
	m := startServer(t, nil, "--skip-networking")
	count := func(name string) int {
		var n int
		if _, err := fmt.Sscan(m.ask(t, "SHOW GLOBAL STATUS LIKE '"+name+"'"), &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	names := []string{"Connections", "Aborted_connects", "Aborted_clients", "Com_set_option", "Com_change_db", "Com_stmt_prepare", "Access_denied_errors"}
	before := map[string]int{}
	for _, name := range names {
		before[name] = count(name)
	}
	log, err := os.ReadFile(m.log())
	if err != nil {
		t.Fatal(err)
	}
	s := mustFind(t, Ask{Socket: m.socket})
	conn := mustLogin(t, s, rootUser)
	questions := func() int64 {
		rows, err := conn.Query(t.Context(), "SHOW SESSION STATUS LIKE 'Questions'")
		if err != nil {
			t.Fatal(err)
		}
		var n int64
		_, _ = fmt.Sscan(rows[0][1], &n)
		return n
	}
	for range 5 {
		if _, err := conn.Query(t.Context(), "SELECT 1, NULL"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.Query(t.Context(), "SELECT no_such_column"); err == nil {
		t.Error("no error of a statement that is wrong")
	}
	if got, want := questions(), conn.Statements(); got != want {
		t.Errorf("the server counts %d statements of our session, we %d", got, want)
	}
	rows, err := conn.Query(t.Context(), "SELECT @@character_set_client, @@max_statement_time, @@autocommit")
	if err != nil || strings.Join(rows[0], " ") != "utf8mb4 0 1" {
		t.Errorf("session %q, %v; its settings are the server's own", rows, err)
	}
	_ = conn.Close()
	for i, name := range names {
		want := before[name]
		if name == "Connections" {
			want += 1 + len(names) + i // ours, and the test's own two rounds
		}
		if got := count(name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
	if now, err := os.ReadFile(m.log()); err != nil || string(now) != string(log) {
		t.Errorf("the server logged:\n%s", strings.TrimPrefix(string(now), string(log)))
	}
}

func TestOldLinkIsMadeAgain(t *testing.T) {
	m := startServer(t, nil, "--skip-networking")
	s := mustFind(t, Ask{Socket: m.socket})
	s.link.made = s.link.made.Add(-time.Minute)
	conn := mustLogin(t, s, rootUser)
	if _, err := conn.Query(t.Context(), "SELECT 1"); err != nil {
		t.Error(err)
	}
	t.Run("timeout", func(t *testing.T) {
		m.ask(t, "CREATE DATABASE d", "CREATE FUNCTION d.wait() RETURNS INT RETURN SLEEP(20)")
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := conn.Query(ctx, "SELECT d.wait()"); err == nil {
			t.Error("a statement of 20 s within 0.1 s")
		}
		_, err := conn.Query(t.Context(), "SELECT 1")
		oneLine(t, err, "lost")
	})
}

// TestNotMySQL logs in to things that are something else.
func TestNotMySQL(t *testing.T) {
	dir := openDir(t)
	for name, talk := range map[string]string{"hangs up": "", "speaks HTTP": "HTTP/1.1 400 Bad Request\r\n\r\n"} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("unix", filepath.Join(dir, "s"))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					_, _ = c.Write([]byte(talk))
					_ = c.Close()
				}
			}()
			s := mustFind(t, Ask{Socket: filepath.Join(dir, "s")})
			if s.PID != 0 || !strings.Contains(s.Reason, fmt.Sprintf("(pid %d)", os.Getpid())) {
				t.Errorf("%+v", s)
			}
			_, err = Login(t.Context(), Credentials{User: "root"}, s)
			oneLine(t, err, "log in to")
		})
	}
}

func TestOnlyReads(t *testing.T) {
	for _, sql := range []string{"SELECT 1", " select\n@@version", "SHOW GLOBAL STATUS", "SELECT DIGEST_TEXT, COUNT_STAR FROM performance_schema.events_statements_summary_by_digest"} {
		if err := onlyReads(sql); err != nil {
			t.Error(err)
		}
	}
	for _, sql := range []string{"SET SESSION max_statement_time=1", "set names utf8", "KILL 3", "FLUSH STATUS", "SELECT 1 INTO OUTFILE '/x'", "select * from t for\nupdate",
		"SELECT GET_LOCK('a',1)", "TRUNCATE performance_schema.accounts", "/* SELECT */ DELETE FROM t", "SELECTED", "SELECT 1 /*!50000 ; */", "select sleep(1)", ""} {
		if onlyReads(sql) == nil {
			t.Errorf("%q would be sent", sql)
		}
	}
}
