package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSecurityRunLong watches whole runs from the outside, with a umask that
// keeps nothing from anyone: what they write is this user's alone, while they run
// and after; their servers listen to nobody else; and a secret of a defaults file
// or of the environment is in no argument and no file.
func TestSecurityRunLong(t *testing.T) {
	long(t)
	lacking(t, "mariadbd", "perf")
	const secret, pwd = "zq9-hunter2-zq9", "zq8-hunter3-zq8"
	for _, transport := range []string{"socket", "tcp"} {
		t.Run(transport, func(t *testing.T) {
			dir := testDir(t, "versions: [{name: a, mysqld: installed, defaults_file: my.cnf}]\nrepeats: 1\ncounters: none\nprofile: true\nduration: 2s\ntransport: "+transport+"\n")
			if err := os.WriteFile(filepath.Join(dir, "my.cnf"), []byte("[mysqld]\nreport-password="+secret+"\nport=3306\nbind-address=0.0.0.0\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := openUmask(t, dir, "run", "plan.yaml", "--out", "out")
			cmd.Env = append(cmd.Env, "MYSQL_PWD="+pwd)
			var said bytes.Buffer
			cmd.Stdout, cmd.Stderr = &said, &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			servers, heard := map[int]bool{}, map[string]bool{}
			for done := false; !done; {
				select {
				case err := <-ended:
					if err != nil {
						t.Fatalf("%v: %s", err, &said)
					}
					done = true
				case <-time.After(20 * time.Millisecond):
				}
				for _, p := range alive(t, dir) {
					if strings.Contains(p.line, secret) || strings.Contains(p.line, pwd) {
						t.Errorf("a secret is an argument of %s", p.line)
					}
					if p.pid != cmd.Process.Pid {
						if env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid)); err == nil && bytes.Contains(env, []byte(pwd)) {
							t.Errorf("MYSQL_PWD is in the environment of %s", p.line)
						}
					}
					if strings.HasPrefix(p.line, "mariadbd ") || strings.HasPrefix(p.line, "mysqld ") {
						servers[p.pid] = true
						for _, addr := range listening(t, p.pid) {
							heard[addr.Addr().String()] = true
						}
					}
				}
				for _, folder := range []string{"out", "tmp"} { // what a server makes for a moment may be gone
					entries, _ := os.ReadDir(filepath.Join(dir, folder))
					for _, e := range entries {
						if info, err := e.Info(); err == nil && info.Mode().Perm()&0o077 != 0 {
							t.Errorf("open to others while it runs: %v %s/%s", info.Mode(), folder, e.Name())
						}
					}
				}
			}
			want := map[string][]string{"socket": nil, "tcp": {"127.0.0.1"}}[transport]
			var got []string
			for addr := range heard {
				got = append(got, addr)
			}
			if len(servers) == 0 || !slices.Equal(got, want) {
				t.Errorf("%d servers listened at %q, want %q", len(servers), got, want)
			}
			if open := theirs(t, filepath.Join(dir, "out")); open != nil {
				t.Errorf("open to others: %q", open)
			}
			all := written(t, filepath.Join(dir, "out")) + said.String()
			for _, s := range []string{secret, pwd} {
				if strings.Contains(all, s) {
					t.Errorf("%s is in the results or in what was printed", s)
				}
			}
			nothingAlive(t, dir)
		})
	}
}

// listening are the addresses at which a process takes connections or datagrams
// from a network.
func listening(t *testing.T, pid int) (addrs []netip.AddrPort) {
	t.Helper()
	held := map[string]bool{}
	fds, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid)) // it may have ended
	for _, fd := range fds {
		if to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name())); err == nil {
			held[to] = true
		}
	}
	for _, kind := range []string{"tcp", "tcp6", "udp", "udp6"} {
		text, err := os.ReadFile("/proc/net/" + kind)
		if err != nil {
			continue // a kernel without it
		}
		for _, line := range strings.Split(string(text), "\n")[1:] {
			f := strings.Fields(line)
			if len(f) < 10 || f[3] != "0A" && f[3] != "07" || !held["socket:["+f[9]+"]"] {
				continue
			}
			host, _, _ := strings.Cut(f[1], ":")
			raw, err := hex.DecodeString(host)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i+4 <= len(raw); i += 4 { // words of this machine's order
				slices.Reverse(raw[i : i+4])
			}
			addr, _ := netip.AddrFromSlice(raw)
			addrs = append(addrs, netip.AddrPortFrom(addr, 1))
		}
	}
	return addrs
}

// TestSecurityTrapsLong runs with sysbench in a folder, with a home and with a
// PATH that others have prepared: scripts under the names of sysbench's own,
// programs under those that opcost looks for, settings of perf and valgrind.
func TestSecurityTrapsLong(t *testing.T) {
	long(t)
	lacking(t, "mariadbd", "perf", "sysbench")
	dir := testDir(t, "versions: [{name: a, mysqld: installed}]\nrepeats: 1\ncounters: none\nduration: 1s\ndriver: sysbench\n")
	canary, home := filepath.Join(dir, "ran"), filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	lua := "os.execute('echo lua >>" + canary + "')\nerror('taken from the current folder')\n"
	shell := "#!/bin/sh\necho $0 >>" + canary + "\nexit 1\n"
	traps := map[string]string{"oltp_point_select.lua": lua, "oltp_common.lua": lua, ".perfconfig": "[x\n", "home/.perfconfig": "this is no line of a configuration\n", ".valgrindrc": "--log-socket=127.0.0.1\n"}
	for _, program := range []string{"perf", "sh", "sysbench", "valgrind", "mariadbd", "mysqld", "mariadb-install-db", "dpkg"} {
		traps[program] = shell
	}
	for name, text := range traps {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := openUmask(t, dir, "run", "plan.yaml", "--out", "out")
	cmd.Env = append(cmd.Env, "HOME="+home, "PATH=.::"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if ran, there := os.ReadFile(canary); there == nil {
		t.Errorf("what lay in the current folder was run: %s", ran)
	}
	t.Logf("with the current folder in PATH: %v: %.300s", err, out) // it may work or not
	// With the user's own PATH it must work.
	if err := os.RemoveAll(filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	cmd = openUmask(t, dir, "run", "plan.yaml", "--out", "out")
	cmd.Env = append(cmd.Env, "HOME="+home)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if ran, there := os.ReadFile(canary); there == nil {
		t.Errorf("what lay in the current folder was run: %s", ran)
	}
}
