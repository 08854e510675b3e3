package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"opcost/collectors/child"
)

// another starts a second server, without accounts and on a folder of its own.
func another(t *testing.T) (pid int, socket string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "opcost-second-")
	if err != nil {
		t.Fatal(err)
	}
	socket = filepath.Join(dir, "s")
	p, err := child.Start(child.Spec{Argv: []string{"/usr/sbin/mariadbd", "--no-defaults", "--user=root", "--datadir=" + dir, "--tmpdir=" + dir, "--socket=" + socket,
		"--pid-file=" + dir + "/pid", "--skip-networking", "--skip-grant-tables", "--innodb-buffer-pool-size=16M", "--innodb-log-file-size=8M"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.Stop(syscall.SIGKILL, patience)
		_ = os.RemoveAll(dir)
	})
	eventually(t, "the second server listens", func() bool {
		c, err := net.Dial("unix", socket)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return p.PID(), socket
}

// mistakes are those of a new user: one clear line each, before anything is
// measured.
func mistakes(t *testing.T, s *attachServer) {
	ctx := context.Background()
	for _, q := range []string{"CREATE OR REPLACE USER app@localhost IDENTIFIED BY 'right'", "GRANT PROCESS ON *.* TO app@localhost"} {
		if _, err := s.Control().Query(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	second, socket := another(t)
	pid := fmt.Sprint(s.PID())
	dir := t.TempDir()
	exists, damaged := filepath.Join(dir, "exists"), filepath.Join(dir, "damaged")
	for name, text := range map[string]string{exists: "precious", damaged: `{"schema":1,"id":"attached"`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stale := filepath.Join(filepath.Dir(socket), "stale")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}

	t.Setenv("MYSQL_PWD", "wr0ng-passw0rd")
	t.Setenv("HOME", dir) // no ~/.my.cnf of whoever runs the test
	for _, c := range []struct {
		name string
		args []string
		says []string
	}{
		{"wrong password", []string{"--pid", pid, "--user", "app"}, []string{"Access denied", "check user and password"}},
		{"no server's pid", []string{"--pid", fmt.Sprint(os.Getpid())}, []string{"is no MySQL or MariaDB server"}},
		{"no process", []string{"--pid", "4194304"}, []string{"there is no such process"}},
		{"negative pid", []string{"--pid=-1"}, []string{"--pid -1", "there is no such process"}},
		{"stale socket", []string{"--socket", stale}, []string{stale, "nobody listens on it"}},
		{"no socket", []string{"--socket", file}, []string{file}},
		{"no such socket", []string{"--socket", file + "x"}, []string{file + "x"}},
		{"pid and DSN", []string{"--pid", pid, "--dsn", "root@unix(" + socket + ")/"}, []string{"is not the server of", fmt.Sprintf("pid %d", second)}},
		{"pid and socket", []string{"--pid", pid, "--socket", socket}, []string{"is not the server of", "--socket " + socket}},
		{"baseline exists", []string{"--pid", pid, "--baseline", exists}, []string{exists, "is left as it is"}},
		{"baseline nowhere", []string{"--pid", pid, "--baseline", filepath.Join(dir, "none", "x")}, []string{"--baseline", "none"}},
		{"damaged", []string{"--pid", pid, "--against", damaged}, []string{damaged}},
		{"against nothing", []string{"--pid", pid, "--against", file + "x"}, []string{file + "x"}},
		{"interval 0", []string{"--pid", pid, "--interval", "0"}, []string{"--interval", "at least 100ms"}},
		{"interval below 0", []string{"--pid", pid, "--interval=-1s"}, []string{"--interval", "at least 100ms"}},
		{"duration 0", []string{"--pid", pid, "--duration", "0"}, []string{"--duration", "at least 100ms"}},
		{"baseline of many", []string{"--pid", pid, "--interval", "1s", "--baseline", file + "y"}, []string{"--baseline saves one window"}},
		{"per nonsense", []string{"--pid", pid, "--user", "root", "--per", "nonsense"}, []string{"--per nonsense", "transaction"}},
		{"per no such counter", []string{"--pid", pid, "--user", "root", "--per", "Com_nonsense"}, []string{"no counter [Com_nonsense]"}},
		{"per without login", []string{"--pid", pid, "--no-login", "--per", "row"}, []string{"--per row needs a login"}},
		{"ops from nowhere", []string{"--pid", pid, "--no-login", "--ops-from", file + "x"}, []string{file + "x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.HasPrefix(c.name, "per no") {
				t.Setenv("MYSQL_PWD", "")
			}
			oneLine(t, opcost(t, append([]string{"attach", "--duration", "100ms"}, c.args...)...), exitUsage, c.says...)
		})
	}
	if o := opcost(t, "attach", "--pid", pid, "--format", "yaml"); o.code != exitUsage || !strings.Contains(o.stderr, "--format must be one of table") || !strings.Contains(o.stderr, `"yaml"`) {
		t.Errorf("format: exit %d, %s", o.code, o.stderr)
	}
	if text, _ := os.ReadFile(exists); string(text) != "precious" {
		t.Errorf("the file that existed is %q", text)
	}
	t.Run("two servers", func(t *testing.T) {
		o := opcost(t, "attach")
		for _, want := range []string{"servers run on this machine; choose one with --pid or --socket", "--pid " + pid, fmt.Sprintf("--pid %d", second), socket, ", up "} {
			if !strings.Contains(o.stderr, want) {
				t.Errorf("%q is not in %s", want, o.stderr)
			}
		}
		if o.code != exitUsage || o.stdout != "" {
			t.Errorf("exit %d, %q", o.code, o.stdout)
		}
	})
	t.Run("kernel thread", func(t *testing.T) {
		if name, err := os.ReadFile("/proc/2/comm"); err != nil || string(name) != "kthreadd\n" {
			t.Skip("process 2 is no kernel thread here (a container)")
		}
		oneLine(t, opcost(t, "attach", "--pid", "2"), exitUsage, "this is a kernel thread (kthreadd)")
	})
	if os.Getuid() != 0 {
		return
	}
	t.Run("no server", func(t *testing.T) {
		// In a namespace where opcost sees itself alone.
		o := behind(t, nil, []string{"unshare", "--pid", "--fork", "--mount-proc", "--"}, "attach")
		oneLine(t, o, exitUsage, "no mysqld or mariadbd runs on this machine")
	})
	t.Run("another user's", func(t *testing.T) {
		if err := os.Chmod(filepath.Dir(socket), 0o700); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		o := behind(t, nil, []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"}, "attach", "--pid", fmt.Sprint(second))
		oneLine(t, o, exitUsage, "where it listens cannot be seen from here: give --socket or --dsn", "--no-login")
		if time.Since(began) > patience/2 {
			t.Error("it took too long to say")
		}
	})
}
