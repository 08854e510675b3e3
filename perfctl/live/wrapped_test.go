package live

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"opcost/collectors/child"
)

// serverOf is the pid that a server wrote into its pid file.
func (m *mariadb) serverOf(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(m.dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// TestBehindShell is a server that a script has started, as mysqld_safe does.
func TestBehindShell(t *testing.T) {
	safe := filepath.Join(openDir(t), "mysqld_safe")
	if err := os.WriteFile(safe, []byte("#!/bin/sh\n\"$@\" &\nwait\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	m := startServer(t, []string{safe}, "--skip-networking")
	pid := m.serverOf(t)
	s := mustFind(t, Ask{Socket: m.socket})
	if s.PID != pid || pid == m.proc.PID() {
		t.Errorf("pid %d; the server is %d, its script %d", s.PID, pid, m.proc.PID())
	}
	if want := fmt.Sprintf("mysqld_safe (pid %d)", m.proc.PID()); s.Launcher != want {
		t.Errorf("launcher %q, want %q", s.Launcher, want)
	}
	_, err := Find(t.Context(), Ask{PID: m.proc.PID()})
	oneLine(t, err, fmt.Sprintf("--pid %d", m.proc.PID()), fmt.Sprintf("the server it started is --pid %d", pid))
	if servers, _ := List(""); slices.ContainsFunc(servers, func(s Server) bool { return s.PID == m.proc.PID() }) {
		t.Error("mysqld_safe is listed as a server")
	}
}

// TestLoader is a server that the dynamic loader runs: /proc/PID/exe is the
// loader's.
func TestLoader(t *testing.T) {
	found, _ := filepath.Glob("/lib*/ld-linux-*.so*")
	if len(found) == 0 {
		lacks(t, "no dynamic loader under its usual name")
	}
	m := startServer(t, []string{found[0]}, "--skip-networking")
	m.pid = m.proc.PID()
	servers, _ := List("")
	i := slices.IndexFunc(servers, func(s Server) bool { return s.PID == m.pid })
	if i < 0 {
		t.Fatal("it is not listed")
	}
	s := servers[i]
	if want, err := filepath.EvalSymlinks(needs(t, "mariadbd")); err != nil || s.Exe != want || s.Version == "" || s.Socket != m.socket {
		t.Errorf("%+v; want exe %s", s, want)
	}
}

// TestReplacedBinary is a server whose package was upgraded since it started.
func TestReplacedBinary(t *testing.T) {
	link := filepath.Join(openDir(t), "mariadbd")
	if out, err := exec.Command("cp", needs(t, "mariadbd"), link).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	// The shell gives its place to the copy, in front of the server's path.
	m := startServer(t, []string{"sh", "-c", `copy=$1; shift 2; exec "$copy" "$@"`, "sh", link}, "--skip-networking")
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	s := mustFind(t, Ask{PID: m.proc.PID()})
	if want := fmt.Sprintf("/proc/%d/exe", s.PID); s.Exe != want || s.Version == "" {
		t.Errorf("exe %q, version %q; want %s, readable", s.Exe, s.Version, want)
	}
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Text, "replaced or removed") {
		t.Errorf("warnings %v", s.Warnings)
	}
}

// TestNamespaces is a server in PID and mount namespaces of its own, its socket
// on a file system that only it sees.
func TestNamespaces(t *testing.T) {
	needsNamespaces(t)
	private := openDir(t)
	socket := filepath.Join(private, "mysqld.sock")
	// The shell stays, so that the server's pid is not 1 in its namespace.
	m := startServer(t, []string{"unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
		`mount -t tmpfs none ` + private + ` && mkdir ` + private + `/real && ln -s /real ` + private + `/abs; "$@" & wait`, "sh"},
		"--skip-networking", "--socket="+socket)
	inner := m.serverOf(t)

	servers, _ := List("")
	i := slices.IndexFunc(servers, func(s Server) bool { return strings.HasSuffix(s.Socket, socket) })
	if i < 0 {
		t.Fatalf("it is not among %v", servers)
	}
	s := servers[i]
	if s.PID == inner || s.NSTIDs[inner] != s.PID {
		t.Errorf("pid %d, inside %d, map %v", s.PID, inner, s.NSTIDs)
	}
	root := fmt.Sprintf("/proc/%d/root", s.PID)
	if s.Root != root || s.Socket != root+socket || !strings.HasPrefix(s.Launcher, "container") {
		t.Errorf("root %q, socket %q, launcher %q; want %s", s.Root, s.Socket, s.Launcher, root)
	}
	conn := mustLogin(t, mustFind(t, Ask{PID: s.PID}), rootUser)
	// The server says its threads as its namespace numbers them.
	rows, err := conn.Query(t.Context(), "SELECT tid FROM information_schema.processlist WHERE id = connection_id()")
	if err != nil {
		t.Fatal(err)
	}
	said, err := strconv.Atoi(rows[0][0])
	if err != nil {
		t.Fatal(err)
	}
	now, err := ThreadIDs("/proc", s.PID)
	if err != nil {
		t.Fatal(err)
	}
	here := now[said]
	if _, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", s.PID, here)); err != nil || here == said {
		t.Errorf("the server's thread %d is %d here: %v", said, here, err)
	}
	if mustFind(t, Ask{Socket: s.Socket}).PID != s.PID {
		t.Error("its socket, seen through its root, leads elsewhere")
	}
	// Its pid file says a pid of its namespace.
	if pid, known := s.pidByFile(word{pidFile: filepath.Join(m.dir, "pid")}); !known || pid != s.PID {
		t.Errorf("pid by file %d, %v", pid, known)
	}
	if got := within(root, private+"/abs"); got != root+"/real" {
		t.Errorf("an absolute link inside leads to %s", got)
	}

	t.Run("from inside", func(t *testing.T) {
		// Who looks from another namespace is told so, not given a wrong pid.
		a := helper(t, helperAsk{Ask: Ask{}}, "unshare", "--pid", "--fork", "--mount-proc")
		if !strings.Contains(a.Err, ErrNone.Error()) {
			t.Errorf("%+v", a)
		}
		t.Log(a.Err)
		a = helper(t, helperAsk{Ask: Ask{Socket: s.Socket}, Login: true, User: "root"}, "unshare", "--pid", "--fork")
		if a.Err == "" && a.Server.PID != 0 {
			t.Errorf("%+v", a)
		}
	})
}

// TestOnly is a machine with one server, in a PID namespace of its own.
func TestOnly(t *testing.T) {
	needsNamespaces(t)
	m := startServer(t, nil, "--skip-networking")
	m.stop(t) // its data will do
	text := `{"Ask":{},"Login":true,"User":"root"}`
	out, err := exec.Command("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
		`"$@" >`+m.dir+`/log2 2>&1 & while ! grep -q "ready for connections" `+m.dir+`/log2; do sleep 0.1; done; `+helperEnv+`='`+text+`' `+helperBinary(t),
		"sh", needs(t, "mariadbd"), "--no-defaults", "--user=root", "--datadir="+m.dir+"/data", "--tmpdir="+m.dir+"/tmp", "--skip-networking", "--pid-file="+m.dir+"/pid",
		"--socket="+m.socket, "--innodb-buffer-pool-size=16M", "--innodb-log-file-size=8M").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), `"LoginErr":""`) || !strings.Contains(string(out), `"Socket":"`+m.socket+`"`) || !strings.Contains(string(out), `"Err":""`) {
		t.Errorf("%s", out)
	}
}

// TestSocketActivation is a server that was given its socket by another
// process, as systemd does: the kernel names that process.
func TestSocketActivation(t *testing.T) {
	dir := openDir(t)
	path := filepath.Join(dir, "given.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m := startServerWith(t, child.Spec{ExtraFiles: []*os.File{f}, Argv: []string{"sh", "-c", `LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"`, "sh"}}, "--skip-networking")
	pid := m.serverOf(t)
	if _, err := run(path, "SELECT 1"); err != nil {
		t.Skipf("this server takes no sockets from systemd: %v", err)
	}
	conn, peer, err := dialUnix(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	if peer != os.Getpid() {
		t.Fatalf("the kernel names %d, not us (%d): this tests nothing", peer, os.Getpid())
	}
	s := mustFind(t, Ask{Socket: path})
	if s.PID != pid {
		t.Fatalf("pid %d (%s), want %d", s.PID, s.Reason, pid)
	}
	mustLogin(t, s, rootUser)
}

// TestWrongPIDs is every kind of pid that is no server's.
func TestWrongPIDs(t *testing.T) {
	sleep := needs(t, "sleep")
	fake := filepath.Join(openDir(t), "mysqld")
	if out, err := exec.Command("cp", sleep, fake).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	start := func(argv ...string) int {
		p, err := child.Start(child.Spec{Argv: argv})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Stop(9, time.Second) })
		return p.PID()
	}
	renamed, plain := start(fake, "60"), start(sleep, "60")
	m := startServer(t, nil, "--skip-networking")
	var thread int
	for _, e := range must(os.ReadDir(fmt.Sprintf("/proc/%d/task", m.pid))) {
		if tid, _ := strconv.Atoi(e.Name()); tid != m.pid {
			thread = tid
		}
	}
	zombie := exec.Command("true")
	if err := zombie.Start(); err != nil {
		t.Fatal(err)
	}
	defer zombie.Wait()
	for {
		if p, err := readProcess("/proc", zombie.Process.Pid); err != nil || p.zombie() {
			break
		}
	}
	for name, c := range map[string]struct {
		pid  int
		says []string
	}{
		"renamed sleep": {renamed, []string{"neither a MySQL nor a MariaDB server"}},
		"sleep":         {plain, []string{"sleep is no MySQL or MariaDB server"}},
		"thread":        {thread, []string{fmt.Sprintf("a thread of process %d", m.pid)}},
		"zombie":        {zombie.Process.Pid, []string{"has ended"}},
		"nobody":        {1 << 22, []string{"no such process"}},
		"ourselves":     {os.Getpid(), []string{"is no MySQL or MariaDB server"}},
		"kernel thread": {2, []string{"kernel thread"}},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "kernel thread" {
				if p, err := readProcess("/proc", 2); err != nil || !p.kernel() {
					t.Skip("process 2 is no kernel thread here (a container)")
				}
			}
			_, err := Find(t.Context(), Ask{PID: c.pid})
			oneLine(t, err, append(c.says, fmt.Sprintf("--pid %d", c.pid))...)
		})
	}
	servers, warnings := List("")
	if slices.ContainsFunc(servers, func(s Server) bool { return s.PID == renamed }) {
		t.Error("a renamed sleep is listed")
	}
	if !slices.ContainsFunc(warnings, func(w Warning) bool { return strings.Contains(w.Text, fmt.Sprintf("pid %d ", renamed)) }) {
		t.Errorf("nothing is said of the renamed sleep: %v", warnings)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
