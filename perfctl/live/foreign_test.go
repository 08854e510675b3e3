package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// asNobody runs what follows as a user who owns nothing.
func asNobody(t *testing.T) []string {
	t.Helper()
	needsRoot(t)
	return []string{needs(t, "setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups"}
}

// TestUnprivileged is a server of another user.
func TestUnprivileged(t *testing.T) {
	nobody := asNobody(t)
	port := freePort(t)
	m := startServer(t, nil, fmt.Sprintf("--port=%d", port))
	m.ask(t, "CREATE USER dba@'%' IDENTIFIED BY 'x'", "CREATE USER dba@localhost IDENTIFIED BY 'x'", "CREATE USER nobody@localhost IDENTIFIED VIA unix_socket")
	tcp := fmt.Sprintf("dba@tcp(127.0.0.1:%d)/", port)
	for name, c := range map[string]struct {
		ask      Ask
		pid      int
		unproven bool
	}{
		"pid":         {ask: Ask{PID: m.pid}, pid: m.pid},
		"socket":      {ask: Ask{Socket: m.socket}, pid: m.pid},
		"both":        {ask: Ask{PID: m.pid, Socket: m.socket}, pid: m.pid},
		"TCP":         {ask: Ask{DSN: tcp}},
		"pid and TCP": {ask: Ask{PID: m.pid, DSN: tcp}, pid: m.pid, unproven: true},
	} {
		t.Run(name, func(t *testing.T) {
			a := helper(t, helperAsk{Ask: c.ask, Login: true, User: "dba", Password: "x"}, nobody...)
			if a.Err != "" || a.LoginErr != "" || a.Server.PID != c.pid || a.ID == 0 {
				t.Fatalf("%+v; want pid %d", a, c.pid)
			}
			if c.pid == 0 {
				if !strings.Contains(a.Server.Reason, "uid 0 that this user may not look into") {
					t.Errorf("reason %q", a.Server.Reason)
				}
				return
			}
			if a.Server.Exe != "" || a.Server.StartTicks == 0 || a.Server.PIDFD <= 0 {
				t.Errorf("%+v", a.Server)
			}
			if len(a.Server.Warnings) != 1 || !strings.Contains(a.Server.Warnings[0].Text, "run opcost as root for") {
				t.Errorf("warnings %v", a.Server.Warnings)
			}
			if (len(a.Warnings) > 0) != c.unproven {
				t.Errorf("warnings of the login %v, want some: %v", a.Warnings, c.unproven)
			}
		})
	}
	t.Run("account of a user of the system", func(t *testing.T) {
		a := helper(t, helperAsk{Ask: Ask{Socket: m.socket}, Login: true}, nobody...)
		if a.User != "nobody@localhost" {
			t.Errorf("%+v", a)
		}
	})
	t.Run("socket of nobody's", func(t *testing.T) {
		if err := os.Chmod(m.socket, 0o700); err != nil {
			t.Fatal(err)
		}
		a := helper(t, helperAsk{Ask: Ask{Socket: m.socket}}, nobody...)
		oneLine(t, fmt.Errorf("%s", a.Err), "uid 65534 may not connect", "run opcost as root")
	})
}

// TestUsualSocket is another user's server whose command line does not say
// where it listens.
func TestUsualSocket(t *testing.T) {
	nobody := asNobody(t)
	file := filepath.Join(openDir(t), "my.cnf")
	m := startServer(t, []string{"sh", "-c", `exe=$1; shift 2
{ echo '[mysqld]'; for o; do echo "${o#--}"; done; } >` + file + `
exec "$exe" --defaults-file=` + file, "sh"}, "--skip-networking")
	m.ask(t, "CREATE USER dba@localhost IDENTIFIED BY 'x'")
	a := helper(t, helperAsk{Ask: Ask{PID: m.proc.PID()}, Login: true, User: "dba", Password: "x"}, nobody...)
	if a.Server.Socket != m.socket || a.LoginErr != "" || len(a.Warnings) > 0 {
		t.Errorf("%+v; want socket %s", a, m.socket)
	}
}

// disturbing are the system calls that reach into another process.
const disturbing = "kill,tgkill,tkill,pidfd_send_signal,rt_sigqueueinfo,rt_tgsigqueueinfo,ptrace,process_vm_writev,process_vm_readv,process_madvise,pidfd_getfd"

var disturbance = regexp.MustCompile(`\b(` + strings.ReplaceAll(disturbing, ",", "|") + `)\(`)

// TestTraced sees every system call of Find and Login.
func TestTraced(t *testing.T) {
	strace := needs(t, "strace")
	if out, err := exec.Command(strace, "true").CombinedOutput(); err != nil {
		t.Skipf("strace may not trace here: %v %s", err, out)
	}
	m := startServer(t, nil, "--skip-networking")
	out := filepath.Join(openDir(t), "trace")
	traced := func(run func()) string {
		run()
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	wrap := []string{strace, "-f", "-o", out, "-e", "trace=connect,open,openat,openat2,creat,pidfd_open," + disturbing}
	for name, ask := range map[string]Ask{"pid": {PID: m.pid}, "socket": {Socket: m.socket}} {
		t.Run(name, func(t *testing.T) {
			text := traced(func() {
				if a := helper(t, helperAsk{Ask: ask, Login: true, User: "root"}, wrap...); a.ID == 0 {
					t.Fatalf("%+v", a)
				}
			})
			if found := disturbance.FindString(text); found != "" {
				t.Errorf("%s was called:\n%s", found, text)
			}
			connects := 0
			for line := range strings.Lines(text) {
				switch {
				case strings.Contains(line, "connect(") && strings.Contains(line, m.socket):
					connects++
				case strings.Contains(line, "creat("), strings.Contains(line, "O_WRONLY"), strings.Contains(line, "O_RDWR"), strings.Contains(line, "O_CREAT"):
					if !strings.Contains(line, `"/dev/null"`) {
						t.Errorf("opened for writing: %s", line)
					}
				}
			}
			if connects != 1 || !strings.Contains(text, fmt.Sprintf("pidfd_open(%d", m.pid)) {
				t.Errorf("%d connections to the server, want 1; and a pidfd, in:\n%s", connects, text)
			}
		})
	}
	t.Run("this test can fail", func(t *testing.T) {
		text := traced(func() {
			argv := append(wrap, "sh", "-c", fmt.Sprintf("kill -0 %d", os.Getpid()))
			if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
		})
		if disturbance.FindString(text) == "" {
			t.Errorf("a kill is not seen in:\n%s", text)
		}
	})
}

func TestSockets(t *testing.T) {
	dir := openDir(t)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path string
		says string
	}{"no file": {filepath.Join(dir, "none"), "no such file"}, "a file": {file, "no socket"}, "a folder": {dir, "no socket"}, "abstract": {"@opcost-none", "refused"}} {
		t.Run(name, func(t *testing.T) {
			_, err := Find(t.Context(), Ask{Socket: c.path})
			oneLine(t, err, c.path, c.says, "without --socket")
		})
	}
}

// TestRemote is a server whose process nobody here can see.
func TestRemote(t *testing.T) {
	// An address of the block for documentation (RFC 5737) is no machine's.
	s, err := Find(t.Context(), Ask{DSN: "dba@tcp(192.0.2.1:3306)/"})
	if err != nil || s.PID != 0 || !strings.Contains(s.Reason, "192.0.2.1:3306 is another machine") || s.Ended() {
		t.Errorf("%+v, %v", s, err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	s, err = Find(t.Context(), Ask{DSN: "dba@tcp(" + addr + ")/"})
	if err != nil || !strings.Contains(s.Reason, fmt.Sprintf("(pid %d) that listens on %s", os.Getpid(), addr)) {
		t.Errorf("%+v, %v", s, err)
	}
	_ = l.Close()
	s, err = Find(t.Context(), Ask{DSN: "dba@tcp(" + addr + ")/"})
	if err != nil || !strings.Contains(s.Reason, "nobody in this machine's own network listens on "+addr) {
		t.Errorf("%+v, %v", s, err)
	}
	_, err = Find(t.Context(), Ask{DSN: "dba@tcp(no-such-host.invalid:3306)/"})
	oneLine(t, err, "no-such-host.invalid")
}

// TestFullQueue is a server that is slow to accept.
func TestFullQueue(t *testing.T) {
	path := filepath.Join(openDir(t), "s")
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := errors.Join(unix.Bind(fd, &unix.SockaddrUnix{Name: path}), unix.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	first, err := net.Dial("unix", path) // the one that the queue holds
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, _, err = dialUnix(ctx, path)
	oneLine(t, err, "queue is full")
	go func() {
		time.Sleep(50 * time.Millisecond)
		if accepted, _, err := unix.Accept(fd); err == nil {
			_ = unix.Close(accepted)
		}
	}()
	conn, peer, err := dialUnix(t.Context(), path)
	if err != nil || peer != os.Getpid() {
		t.Fatalf("peer %d, %v", peer, err)
	}
	_ = conn.Close()
}
