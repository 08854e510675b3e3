package live

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"opcost/collectors/child"
)

// The test binary is its own helper: Find and Login as another user, in another
// namespace, under strace.
const helperEnv = "OPCOST_LIVE_HELPER"

type helperAsk struct {
	Ask      Ask
	Login    bool
	User     string
	Password string
}

type helperAnswer struct {
	Server             Server
	Version, User, TLS string
	Warnings           []Warning
	ID                 uint64
	Err                string
	LoginErr           string
}

func TestMain(m *testing.M) {
	if text := os.Getenv(helperEnv); text != "" {
		var ask helperAsk
		if err := json.Unmarshal([]byte(text), &ask); err != nil {
			panic(err)
		}
		if err := json.NewEncoder(os.Stdout).Encode(help(ask)); err != nil {
			panic(err)
		}
		return
	}
	code := m.Run()
	if templateDir != "" {
		_ = os.RemoveAll(templateDir)
	}
	os.Exit(code)
}

func help(ask helperAsk) (a helperAnswer) {
	s, err := Find(context.Background(), ask.Ask)
	if err != nil {
		a.Err = err.Error()
		return a
	}
	defer s.Close()
	a.Server = s
	if !ask.Login {
		return a
	}
	c, err := ReadCredentials(Sources{User: ask.User, Password: ask.Password, DSN: ask.Ask.DSN})
	if err != nil {
		a.LoginErr = err.Error()
		return a
	}
	conn, err := Login(context.Background(), c, s)
	if err != nil {
		a.LoginErr = err.Error()
		return a
	}
	defer conn.Close()
	a.ID = conn.ID()
	a.Version, a.User, a.TLS, a.Warnings = conn.Version, conn.User, conn.TLS, conn.Warnings
	return a
}

// helper runs the test binary as a helper, after the words of wrap.
func helper(t *testing.T, ask helperAsk, wrap ...string) helperAnswer {
	t.Helper()
	text, err := json.Marshal(ask)
	if err != nil {
		t.Fatal(err)
	}
	argv := append(wrap, helperBinary(t))
	cmd := exec.Command(argv[0], argv[1:]...)
	// A preempted goroutine is a signal to ourselves, which strace would show.
	cmd.Env = append(os.Environ(), helperEnv+"="+string(text), "GODEBUG=asyncpreemptoff=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", argv, err, stderr.String())
	}
	var a helperAnswer
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("%v: %v in %q", argv, err, out)
	}
	return a
}

// helperBinary is the test binary where every user may run it.
func helperBinary(t *testing.T) string {
	t.Helper()
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(openDir(t), "live.test")
	if err := os.WriteFile(path, self, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// openDir is a folder with a short path that every user may enter.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "opcost-lv-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func lacks(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("OPCOST_TEST_ALL") == "1" {
		t.Fatalf("OPCOST_TEST_ALL=1, but "+format, args...)
	}
	t.Skipf(format, args...)
}

// needs gives a program's path.
func needs(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		lacks(t, "no %s on PATH", program)
	}
	return path
}

// needsRoot and needsNamespaces are about rights, which no set-up can give.
func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root may do this")
	}
}

func needsNamespaces(t *testing.T) {
	t.Helper()
	needsRoot(t)
	if out, err := exec.Command(needs(t, "unshare"), "--pid", "--fork", "--mount-proc", "true").CombinedOutput(); err != nil {
		t.Skipf("no new namespaces here: %v %s", err, out)
	}
}

var templateDir string

// template is an initialised data directory for all tests.
var template = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "opcost-lv-template-")
	if err != nil {
		return "", err
	}
	templateDir = dir
	// mariadb-install-db does the same, and needs client programs beside it.
	script := "create database mysql;\nuse mysql;\nset @auth_root_socket=null;\n"
	for _, name := range []string{"system_tables.sql", "performance_tables.sql", "system_tables_data.sql"} {
		found, _ := filepath.Glob("/usr/share/*/m*_" + name)
		if len(found) == 0 {
			return "", fmt.Errorf("no %s below /usr/share: apt-get install mariadb-server-core", name)
		}
		text, err := os.ReadFile(found[0])
		if err != nil {
			return "", err
		}
		script += string(text)
	}
	cmd := exec.Command("mariadbd", "--no-defaults", "--bootstrap", "--user=root", "--datadir="+dir, "--tmpdir="+dir, "--innodb-log-file-size=8M")
	cmd.Stdin = strings.NewReader(script)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("bootstrap: %w\n%s", err, out)
	}
	return dir, nil
})

// mariadb is one that a test starts.
type mariadb struct {
	dir, socket string
	proc        *child.Proc // what was started: the server, or what is in front of it
	pid         int         // the server's; 0 where wrap makes it another
	stopped     bool
}

// startServer starts a server with its own copy of the data, after the words
// of wrap, and waits until it listens.
func startServer(t *testing.T, wrap []string, options ...string) *mariadb {
	t.Helper()
	return startServerWith(t, child.Spec{Argv: wrap}, options...)
}

func startServerWith(t *testing.T, spec child.Spec, options ...string) *mariadb {
	t.Helper()
	exe := needs(t, "mariadbd")
	data, err := template()
	if err != nil {
		t.Fatal(err)
	}
	m := &mariadb{dir: openDir(t)}
	m.socket = filepath.Join(m.dir, "mysqld.sock")
	if out, err := exec.Command("cp", "-a", data, m.dir+"/data").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Mkdir(m.dir+"/tmp", 0o700); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(m.log())
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	wrapped := len(spec.Argv) > 0
	spec.Argv = append(slices.Clone(spec.Argv), exe, "--no-defaults", "--user=root", "--datadir="+m.dir+"/data", "--tmpdir="+m.dir+"/tmp",
		"--pid-file="+m.dir+"/pid", "--socket="+m.socket, "--innodb-buffer-pool-size=16M", "--innodb-log-file-size=8M", "--bind-address=127.0.0.1", "--port=0", "--log-warnings=9")
	spec.Argv = append(spec.Argv, options...)
	spec.Stdout, spec.Stderr = log, log
	if m.proc, err = child.Start(spec); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.stop(t) })
	m.await(t)
	if !wrapped {
		m.pid = m.proc.PID()
	}
	return m
}

func (m *mariadb) log() string { return filepath.Join(m.dir, "err.log") }

// await waits until the server's log says that it is ready.
func (m *mariadb) await(t *testing.T) {
	t.Helper()
	for {
		text, err := os.ReadFile(m.log())
		if err == nil && strings.Contains(string(text), "ready for connections") {
			return
		}
		select {
		case <-m.proc.Done():
			t.Fatalf("the server ended while starting (%v):\n%s", m.proc.Err(), text)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// stop ends what was started and waits for all of it: a server behind a shell
// is in the shell's group and ends later.
func (m *mariadb) stop(t *testing.T) {
	t.Helper()
	if m.stopped {
		return
	}
	m.stopped = true
	group := -m.proc.PID() // this test's own
	_ = syscall.Kill(group, syscall.SIGTERM)
	if err := m.proc.Stop(syscall.SIGTERM, 30*time.Second); err != nil {
		t.Error(err)
	}
	for until := time.Now().Add(30 * time.Second); syscall.Kill(group, 0) == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			_ = syscall.Kill(group, syscall.SIGKILL)
			t.Errorf("group %d did not end and was killed", -group)
			return
		}
	}
}

// ask runs statements as root over a connection of the test's own, and gives
// the first cell of the last one's answer.
func (m *mariadb) ask(t *testing.T, statements ...string) string {
	t.Helper()
	cell, err := run(m.socket, statements...)
	if err != nil {
		t.Fatal(err)
	}
	return cell
}

// freePort is a TCP port that was free a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
