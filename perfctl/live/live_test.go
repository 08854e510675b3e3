package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"opcost/collectors"
)

var _ collectors.Querier = (*Conn)(nil)

func mustFind(t *testing.T, ask Ask) Server {
	t.Helper()
	s, err := Find(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func mustLogin(t *testing.T, s Server, from Sources) *Conn {
	t.Helper()
	c, err := ReadCredentials(from)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := Login(t.Context(), c, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

var rootUser = Sources{User: "root"}

// TestTwoServers is every way to one of two servers, against what the server
// says of itself.
func TestTwoServers(t *testing.T) {
	port := freePort(t)
	a := startServer(t, nil, fmt.Sprintf("--port=%d", port))
	b := startServer(t, nil, "--skip-networking")

	servers, _ := List("")
	var mine []int
	for _, s := range servers {
		if s.PID == a.pid || s.PID == b.pid {
			mine = append(mine, s.PID)
		}
		if s.PID == a.pid {
			if s.Version == "" || !strings.HasPrefix(a.ask(t, "SELECT VERSION()"), s.Version+"-MariaDB") || s.Flavor != "mariadb" {
				t.Errorf("version %q, flavor %q; the server says %s", s.Version, s.Flavor, a.ask(t, "SELECT VERSION()"))
			}
			if s.Socket != a.socket || s.Root != "" || s.NSTIDs != nil || s.User != ownName() {
				t.Errorf("%+v; want socket %s, no root, no map of threads, our own user", s, a.socket)
			}
			if want, err := filepath.EvalSymlinks(needs(t, "mariadbd")); err != nil || s.Exe != want {
				t.Errorf("exe %s, want %s (%v)", s.Exe, want, err)
			}
			said, err := strconv.Atoi(a.ask(t, "SHOW GLOBAL STATUS LIKE 'Uptime'"))
			if off := s.Uptime.Seconds() - float64(said); err != nil || off < -2 || off > 20 {
				t.Errorf("up %v, the server says %d s", s.Uptime, said)
			}
		}
	}
	if !slices.Equal(mine, []int{min(a.pid, b.pid), max(a.pid, b.pid)}) {
		t.Fatalf("List has %v of the servers %d and %d", mine, a.pid, b.pid)
	}

	_, err := Find(t.Context(), Ask{})
	var several *Several
	if !errors.As(err, &several) {
		t.Fatalf("with two servers: %v", err)
	}
	for _, want := range []string{fmt.Sprintf("--pid %d ", a.pid), a.socket, b.socket, "up "} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the list to choose from lacks %q:\n%v", want, err)
		}
	}

	tcp := fmt.Sprintf("root@tcp(127.0.0.1:%d)/", port)
	unixDSN := "root@unix(" + a.socket + ")/"
	for name, ask := range map[string]Ask{
		"pid": {PID: a.pid}, "socket": {Socket: a.socket}, "unix DSN": {DSN: unixDSN}, "TCP DSN": {DSN: tcp},
		"TCP by name": {DSN: fmt.Sprintf("root@tcp(localhost:%d)/", port)}, "pid and socket": {PID: a.pid, Socket: a.socket},
		"pid and TCP": {PID: a.pid, DSN: tcp}, "socket and TCP": {Socket: a.socket, DSN: tcp}, "all": {PID: a.pid, Socket: a.socket, DSN: unixDSN},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustFind(t, ask)
			if s.PID != a.pid || s.StartTicks == 0 || s.PIDFD <= 0 || s.Ended() {
				t.Fatalf("%+v; want pid %d", s, a.pid)
			}
			conn := mustLogin(t, s, Sources{User: "root", DSN: ask.DSN})
			pid, err := conn.Query(t.Context(), "SELECT @@pid_file")
			if err != nil || pid[0][0] != filepath.Join(a.dir, "pid") {
				t.Errorf("we are in the server with pid file %q, %v", pid, err)
			}
			if len(conn.Warnings) > 0 {
				t.Errorf("warnings: %v", conn.Warnings)
			}
		})
	}

	for name, ask := range map[string]Ask{
		"pid and socket": {PID: b.pid, Socket: a.socket}, "pid and unix DSN": {PID: b.pid, DSN: unixDSN},
		"pid and TCP": {PID: b.pid, DSN: tcp}, "socket and TCP": {Socket: b.socket, DSN: tcp}, "two sockets": {Socket: b.socket, DSN: unixDSN},
	} {
		t.Run("mismatch of "+name, func(t *testing.T) {
			_, err := Find(t.Context(), ask)
			var mismatch *Mismatch
			if !errors.As(err, &mismatch) || !strings.Contains(err.Error(), fmt.Sprintf("(pid %d)", a.pid)) {
				t.Fatalf("%v", err)
			}
			given := b.socket
			if ask.PID != 0 {
				given = strconv.Itoa(b.pid)
			}
			if !strings.Contains(err.Error(), given) || strings.Contains(err.Error(), "\n") {
				t.Errorf("one line that names both: %v", err)
			}
		})
	}

	t.Run("wrong pid over a proxy", func(t *testing.T) {
		through := proxy(t, a.socket)
		s := mustFind(t, Ask{DSN: "root@tcp(" + through + ")/"})
		if s.PID != 0 || !strings.Contains(s.Reason, fmt.Sprintf("(pid %d) that listens on %s", os.Getpid(), through)) {
			t.Fatalf("%+v", s)
		}
		conn := mustLogin(t, s, rootUser)
		if rows, err := conn.Query(t.Context(), "SELECT 7"); err != nil || rows[0][0] != "7" {
			t.Errorf("%q, %v", rows, err)
		}
		s = mustFind(t, Ask{PID: a.pid, DSN: "root@tcp(" + through + ")/"})
		if conn := mustLogin(t, s, rootUser); len(conn.Warnings) > 0 {
			t.Errorf("the pid file proves it, but: %v", conn.Warnings)
		}
		s = mustFind(t, Ask{PID: b.pid, DSN: "root@tcp(" + through + ")/"})
		_, err := Login(t.Context(), Credentials{User: "root"}, s)
		var mismatch *Mismatch
		if !errors.As(err, &mismatch) {
			t.Errorf("the pid of another server, through a proxy: %v", err)
		}
	})

	t.Run("end", func(t *testing.T) {
		s := mustFind(t, Ask{PID: b.pid})
		conn := mustLogin(t, s, rootUser)
		ended := make(chan error, 1)
		go func() { ended <- s.Wait(t.Context()) }()
		b.stop(t)
		if err := <-ended; err != nil || !s.Ended() {
			t.Errorf("%v", err)
		}
		s.PIDFD = -1
		if !s.Ended() {
			t.Error("without a pidfd the end was not seen")
		}
		if _, err := conn.Query(t.Context(), "SELECT 1"); err == nil {
			t.Error("a statement to a server that has ended")
		}
		if _, err := conn.Query(t.Context(), "SELECT 1"); err == nil || !strings.Contains(err.Error(), "lost") {
			t.Errorf("after the loss: %v", err)
		}
	})
	t.Run("stale socket", func(t *testing.T) {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(b.dir, "stale"), Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		_ = l.Close()
		_, err = Find(t.Context(), Ask{Socket: filepath.Join(b.dir, "stale")})
		oneLine(t, err, "nobody listens on it", "without --socket")
	})
	t.Run("context", func(t *testing.T) {
		s := mustFind(t, Ask{PID: a.pid})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := s.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

// proxy passes TCP connections on to a socket, as a container engine's does.
func proxy(t *testing.T, socket string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("unix", socket)
			if err != nil {
				_ = in.Close()
				continue
			}
			go pass(in, out)
			go pass(out, in)
		}
	}()
	return l.Addr().String()
}

func pass(from, to net.Conn) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			_, _ = to.Write(buf[:n])
		}
		if err != nil {
			_, _ = from.Close(), to.Close()
			return
		}
	}
}

// oneLine checks that an error is one line that says these things.
func oneLine(t *testing.T, err error, says ...string) {
	t.Helper()
	if err == nil {
		t.Error("no error")
		return
	}
	t.Log(err)
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than a line: %v", err)
	}
	for _, word := range says {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q is not in: %v", word, err)
		}
	}
}
