package live

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// fake is one process of a /proc that a test makes.
type fake struct {
	pid, ppid int
	comm      string
	argv      string // words apart by spaces
	exe       string // where the link leads; "": a kernel thread has none
	state     string // "" is S
	flags     int
	cgroup    string
	nspid     string // "": the pid
	fds       []string
}

func fakeProc(t *testing.T, processes ...fake) string {
	t.Helper()
	proc := t.TempDir()
	put := func(text string, parts ...string) {
		path := filepath.Join(append([]string{proc}, parts...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("1000.00 1500.00\n", "uptime")
	put("proc /proc proc rw 0 0\n", "mounts")
	for _, p := range processes {
		pid := strconv.Itoa(p.pid)
		state, nspid := p.state, p.nspid
		if state == "" {
			state = "S"
		}
		if nspid == "" {
			nspid = pid
		}
		// 52 fields; starttime, the 22nd, is 40000 ticks: 600 s before now.
		put(fmt.Sprintf("%d (%s) %s %d 1 1 0 -1 %d 0 0 0 0 0 0 0 0 20 0 1 0 40000 1000 10 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
			p.pid, p.comm, state, p.ppid, p.flags), pid, "stat")
		put(p.comm+"\n", pid, "comm")
		put(strings.ReplaceAll(p.argv, " ", "\x00")+"\x00", pid, "cmdline")
		if p.argv == "" {
			put("", pid, "cmdline")
		}
		status := "Name:\t" + p.comm + "\nTgid:\t" + pid + "\nNSpid:\t" + nspid + "\nUid:\t4294967\t4294967\t4294967\t4294967\n"
		put(status, pid, "status")
		put(status, pid, "task", pid, "status")
		put("0::"+p.cgroup+"\n", pid, "cgroup")
		for i, target := range p.fds {
			if err := os.MkdirAll(filepath.Join(proc, pid, "fd"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(target, filepath.Join(proc, pid, "fd", strconv.Itoa(i))); err != nil {
				t.Fatal(err)
			}
		}
		if p.exe != "" {
			if err := os.Symlink(p.exe, filepath.Join(proc, pid, "exe")); err != nil {
				t.Fatal(err)
			}
		}
	}
	return proc
}

func TestListNames(t *testing.T) {
	server := "/usr/sbin/mariadbd" // may be absent: then there is only no version
	for _, c := range []struct {
		name string
		p    fake
		want bool
	}{
		{"mariadbd", fake{exe: server}, true},
		{"mysqld-debug", fake{exe: "/none/mysqld-debug"}, true},
		{"version in its name", fake{exe: "/none/mysqld-8.0.36"}, true},
		{"replaced", fake{exe: "/none/mysqld (deleted)"}, true},
		{"mysqld_safe", fake{exe: "/none/mysqld_safe"}, false},
		{"its script", fake{exe: "/bin/sh", argv: "/bin/sh /usr/bin/mysqld_safe --user=mysql", comm: "mysqld_safe"}, false},
		{"mysqld_exporter", fake{exe: "/none/mysqld_exporter"}, false},
		{"mysqldump", fake{exe: "/none/mysqldump"}, false},
		{"mysqld_multi", fake{exe: "/none/mysqld_multi"}, false},
		{"a shell that names it", fake{exe: "/bin/sh", argv: "sh -c mysqld"}, false},
		{"an editor of its file", fake{exe: "/none/vi", argv: "vi /usr/sbin/mysqld"}, false},
		{"comm that lies", fake{exe: "/bin/sh", comm: "mysqld"}, false},
		{"kernel thread", fake{comm: "mysqld", flags: kernelThread}, false},
		{"zombie", fake{comm: "mysqld", state: "Z"}, false},
		{"loader", fake{exe: "/lib/ld-linux-x86-64.so.2", argv: "/lib/ld-linux-x86-64.so.2 --library-path /l /none/mysqld --user=x"}, true},
		{"loader of another program", fake{exe: "/lib/ld-linux-x86-64.so.2", argv: "ld.so --library-path /none/mysqld /bin/cat /none/mysqld"}, false},
		{"callgrind", fake{exe: "/usr/libexec/valgrind/callgrind-amd64-linux", argv: "/usr/bin/valgrind --tool=callgrind /usr/sbin/mariadbd --no-defaults"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.p.pid, c.p.ppid = 70, 1
			if c.p.comm == "" {
				c.p.comm = "x"
			}
			servers, warnings := List(fakeProc(t, c.p))
			if (len(servers) == 1) != c.want {
				t.Errorf("%+v, %v", servers, warnings)
			}
			if c.want && (servers[0].Uptime != 600*time.Second || servers[0].StartTicks != 40000 || servers[0].User != "4294967" || servers[0].PIDFD != -1) {
				t.Errorf("%+v", servers[0])
			}
		})
	}
}

func TestLauncher(t *testing.T) {
	const id = "3f2a9c0d1e4b5a6978877665544332211ffeeddccbbaa00998877665544332211"
	for cgroup, want := range map[string]string{
		"/system.slice/mariadb.service":                                       "systemd (mariadb.service)",
		"/system.slice/system-mysqld.slice/mysqld@a.service":                  "systemd (mysqld@a.service)",
		"/system.slice/docker-" + id + ".scope":                               "container (docker 3f2a9c0d1e4b)",
		"/docker/" + id:                                                       "container (docker 3f2a9c0d1e4b)",
		"/machine.slice/libpod-" + id + ".scope/container":                    "container (libpod 3f2a9c0d1e4b)",
		"/kubepods.slice/kubepods-pod1.slice/cri-containerd-" + id + ".scope": "container (containerd 3f2a9c0d1e4b)",
		"/lxc.payload.db1/system.slice/mysql.service":                         "container (lxc db1)",
		"/system.slice/docker.service":                                        "systemd (docker.service)",
		"/user.slice/user-1000.slice/session-3.scope":                         "",
		"/": "",
	} {
		servers, _ := List(fakeProc(t, fake{pid: 70, ppid: 1, comm: "mysqld", exe: "/none/mysqld", cgroup: cgroup}))
		if len(servers) != 1 || servers[0].Launcher != want {
			t.Errorf("%s: %+v, want %q", cgroup, servers, want)
		}
	}
	servers, _ := List(fakeProc(t, fake{pid: 70, ppid: 60, comm: "mysqld", exe: "/none/mysqld", nspid: "70\t1"},
		fake{pid: 60, comm: "sh", exe: "/bin/sh", argv: "/bin/sh /usr/bin/mysqld_safe"}))
	if len(servers) != 1 || !strings.HasPrefix(servers[0].Launcher, "container") || servers[0].NSTIDs[1] != 70 {
		t.Errorf("%+v", servers)
	}
}

func TestFindInFixture(t *testing.T) {
	proc := fakeProc(t, fake{pid: 5, comm: "bash", exe: "/bin/bash", argv: "bash"}, fake{pid: 2, comm: "kthreadd", flags: kernelThread})
	_, err := Find(t.Context(), Ask{Proc: proc})
	if !errors.Is(err, ErrNone) {
		t.Errorf("%v", err)
	}
	oneLine(t, err, "start one")
	_, err = Find(t.Context(), Ask{Proc: proc, PID: 2})
	oneLine(t, err, "--pid 2", "kernel thread (kthreadd)", "no server runs on this machine")

	proc = fakeProc(t, fake{pid: 70, comm: "mysqld", exe: "/none/mysqld", argv: "/none/mysqld"})
	s, err := Find(t.Context(), Ask{Proc: proc})
	if err != nil || s.PID != 70 {
		t.Fatalf("%+v, %v", s, err)
	}
	_, err = Login(t.Context(), Credentials{}, s)
	oneLine(t, err, "(pid 70)", "give --socket or --dsn")

	// A TCP port of a server, and the X protocol's.
	proc = fakeProc(t, fake{pid: 70, comm: "mysqld", exe: "/none/mysqld", fds: []string{"socket:[900]", "socket:[901]", "/dev/null"}})
	net := filepath.Join(proc, "70", "net")
	if err := os.MkdirAll(net, 0o755); err != nil {
		t.Fatal(err)
	}
	// As one kernel printed them: port 33060 is 8124, 3307 is 0CEB.
	table := "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" +
		"   0: 00000000:8124 00000000:0000 0A 00000000:00000000 00:00000000 00000000   999        0 901 1 0000000000000000 100 0 0 10 0\n" +
		"   1: 0100007F:0CEB 00000000:0000 0A 00000000:00000000 00:00000000 00000000   999        0 900 1 0000000000000000 100 0 0 10 0\n"
	if err := os.WriteFile(filepath.Join(net, "tcp"), []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	if s, err = Find(t.Context(), Ask{Proc: proc}); err != nil || s.Net != "tcp" || s.Addr != "127.0.0.1:3307" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestHidden(t *testing.T) {
	for text, want := range map[string]bool{
		"proc /proc proc rw,nosuid,hidepid=2 0 0\n": true, "a b c d\nproc /proc proc rw,hidepid=invisible 0 0\n": true,
		"proc /proc proc rw,hidepid=0 0 0\n": false, "proc /proc proc rw 0 0\n": false,
	} {
		if hidepid.MatchString(text) != want {
			t.Errorf("%q", text)
		}
	}
}
