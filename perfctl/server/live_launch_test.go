package server

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLiveLaunchers starts through a launcher that becomes the server, and
// through one that stays in front of it.
func TestLiveLaunchers(t *testing.T) {
	ctx := testContext(t)
	s := liveSite(t, liveSpec(t))
	s.spec.Launcher, s.spec.Env = []string{"env", "OPCOST_TEST_MARK=1"}, map[string]string{"OPCOST_TEST_ENV": "2"}
	i := started(t, s, StartOptions{CPUs: []int{0}})
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", i.PID()))
	if err != nil || !strings.Contains(string(env), "OPCOST_TEST_MARK=1") || !strings.Contains(string(env), "OPCOST_TEST_ENV=2") {
		t.Errorf("environment of pid %d: %v", i.PID(), err)
	}
	if i.PID() != i.proc.PID() {
		t.Errorf("pid %d, started as %d", i.PID(), i.proc.PID())
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", i.PID()))
	if err != nil || !strings.Contains(string(status), "Cpus_allowed_list:\t0\n") {
		t.Errorf("not pinned to CPU 0: %v", err)
	}
	stop(t, i)

	s.spec.Launcher = []string{script(t, "\"$@\"\nexit $?\n")}
	i = started(t, s, StartOptions{})
	if comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", i.PID())); err != nil || !strings.HasPrefix(string(comm), "mariadbd") {
		t.Errorf("pid %d is %s (%v)", i.PID(), comm, err)
	}
	if i.PID() == i.proc.PID() {
		t.Error("the launcher's pid was given as the server's")
	}
	_, id := login(t, "unix", i.Socket())
	if tids, err := i.ThreadsOf(ctx, []uint64{id}); err != nil || len(tids) != 1 {
		t.Errorf("%v %v", tids, err)
	}
	pid, ticks := i.PID(), i.StartTicks()
	stop(t, i)
	if now, err := startTicks(pid); err == nil && now == ticks {
		t.Error("the server outlived its launcher")
	}
}

// TestLiveLauncherStartsAgain: a launcher as mysqld_safe, that starts a server
// that has ended once more, cannot be let kill it on data that are measured on.
func TestLiveLauncherStartsAgain(t *testing.T) {
	s := liveSite(t, liveSpec(t))
	s.spec.Launcher = []string{script(t, "while :; do \"$@\"; done\n")}
	i, err := s.Start(testContext(t), StartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Stop(testContext(t)); err == nil || !strings.Contains(err.Error(), "started it again") {
		t.Errorf("%v", err)
	}
	if err := s.Save(testContext(t)); err == nil || !strings.Contains(err.Error(), "cannot be saved") {
		t.Errorf("saved data on which a server was killed: %v", err)
	}
	if pid := onData(s.data(), 0); pid != 0 {
		t.Errorf("pid %d is left on the data", pid)
	}

	// One that only lingers does no harm.
	s = liveSite(t, liveSpec(t))
	s.spec.Launcher = []string{script(t, "\"$@\"; sleep 100\n")}
	if i, err = s.Start(testContext(t), StartOptions{}); err != nil {
		t.Fatal(err)
	}
	stop(t, i)
}

func TestLiveTCP(t *testing.T) {
	s := liveSite(t, liveSpec(t))
	s.spec.Options = append(s.spec.Options[:3:3], "skip-networking", "skip-name-resolve")
	i := started(t, s, StartOptions{TCP: true})
	host, port, err := net.SplitHostPort(i.TCPAddr())
	if err != nil || host != "127.0.0.1" {
		t.Fatalf("%q %v", i.TCPAddr(), err)
	}
	login(t, "tcp", i.TCPAddr())
	if got := ask(t, i, "SELECT @@port"); got != port {
		t.Errorf("port %s, said %s", got, port)
	}
	if got := ask(t, i, "SELECT @@bind_address"); got != "127.0.0.1" {
		t.Errorf("listens on %s", got)
	}
}

// TestLiveValgrind starts under the lightest tool there is.
func TestLiveValgrind(t *testing.T) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		lacking(t, "no valgrind (Debian: apt-get install valgrind)")
	}
	spec := liveSpec(t)
	s := liveSite(t, spec)
	// valgrind runs one thread at a time, and one that waits inside io_uring
	// keeps all others from running; a large pool's addresses are not to be had.
	extra := []string{"loose-innodb-use-native-aio=0", "loose-innodb-buffer-pool-size-max=32M"}
	i := started(t, s, StartOptions{Extra: extra, Wrap: func(argv []string) []string {
		return append([]string{"valgrind", "--tool=none", "-q"}, argv...)
	}})
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", i.PID()))
	if err != nil || !strings.Contains(exe, "valgrind") {
		t.Errorf("pid %d is %s (%v)", i.PID(), exe, err)
	}
	_, id := login(t, "unix", i.Socket())
	if _, err := i.ThreadsOf(testContext(t), []uint64{id}); err != nil {
		t.Error(err)
	}
	stop(t, i)
}

// TestLiveInstallScript makes the data with the installed mariadb-install-db.
// As root the script changes files of the system's own server.
func TestLiveInstallScript(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root: TestLiveNotRoot runs it")
	}
	s, err := Open(testContext(t), liveSpec(t), filepath.Join(t.TempDir(), "site"))
	if err != nil {
		t.Fatal(err)
	}
	if s.tree.Script == "" {
		lacking(t, "no mariadb-install-db is installed")
	}
	if !isFile(filepath.Join(s.tree.Basedir, "bin", "my_print_defaults")) {
		t.Skip("mariadb-install-db needs my_print_defaults, which is not installed")
	}
	s.tree.SQL = nil
	if err := s.Initialise(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, started(t, s, StartOptions{}), "SELECT USER()"); got != "root@localhost" {
		t.Errorf("logged in as %s", got)
	}
}
