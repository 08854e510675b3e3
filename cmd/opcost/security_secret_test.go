package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecurityArguments: what is wrong with a command line is said without the
// password that stands in it.
func TestSecurityArguments(t *testing.T) {
	const secret = "zq9hunter2"
	for _, args := range [][]string{
		{"attach", "root:" + secret + "@tcp(127.0.0.1:1)/"}, {"attach", "root:" + secret + "@/sbtest"}, {"completion", "root:" + secret + "@/"}, {"attach", "--pid", "root:" + secret + "@/"}, {"attach", "root:" + secret + "@unix(/s)/", "more"}, {"attach", "--dns", "root:" + secret + "@tcp(h:1)/"}, {"attach", "--dns=root:" + secret + "@tcp(h:1)/"},
		{"root:" + secret + "@tcp(h:1)/"}, {"report", "root:" + secret + "@tcp(h:1)/"},
		{"attach", "--dsn", "root:" + secret + "@tcp(127.0.0.1:1"}, {"attach", "--dsn", "root:" + secret + "@nonsense(x)/"}, {"attach", "--dsn", "root:" + secret + "@tcp(127.0.0.1:1)/?tls=perhaps"},
		{"attach", "--dsn", "root:" + secret + "@tcp(127.0.0.1:1)/"}, {"attach", "--dsn", "root:" + secret + "@tcp(127.0.0.1:1)/?x=%zz"}, {"attach", "--dsn", "root:" + secret + "@unix(/no/such.sock)/"},
		{"attach", "--dsn", "a:" + secret + "@tcp(127.0.0.1:1)/", "--user", "b"},
		{"attach", "--no-login", "--ops-from", "mysql -p" + secret + " -e nothing; exit 7"},
	} {
		// A password may hold what a DSN is divided by, and what a message escapes.
		for _, password := range []string{secret, secret + "@" + secret, "x:" + secret, "x " + secret, `"x\` + secret} {
			var given []string
			for _, a := range args {
				given = append(given, strings.ReplaceAll(a, secret, password))
			}
			o := inProcess(given...)
			if o.code == exitDone || strings.Contains(o.stdout+o.stderr, secret) {
				t.Errorf("%q: exit %d, %s%s", given, o.code, o.stdout, o.stderr)
			}
		}
	}
}

// theirs are the files and folders that others than this user could enter, read
// or write to.
func theirs(t *testing.T, dir string) (open []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if info.Mode()&(os.ModeSymlink|os.ModeSocket) == 0 && info.Mode().Perm()&0o077 != 0 {
			open = append(open, info.Mode().String()+" "+path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return open
}

// openUmask is opcost started by a shell whose umask keeps nothing from anyone.
func openUmask(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(tmp(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", `umask 0; exec "$@"`, "sh", path}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+tmp(dir), "NO_COLOR=1")
	return cmd
}

// TestSecurityImportPrivate: what is imported is this user's alone, whatever the
// umask. (TestSecurityRunLong: what is measured.)
func TestSecurityImportPrivate(t *testing.T) {
	dir := t.TempDir()
	const text = "sysbench 1.0.20\nSQL statistics:\n    queries performed:\n        read: 10\n        write: 0\n        other: 0\n        total: 10\n    transactions: 10 (5.00 per sec.)\n" +
		"    queries: 10 (5.00 per sec.)\n    ignored errors: 0 (0.00 per sec.)\n    reconnects: 0 (0.00 per sec.)\nGeneral statistics:\n    total time: 2.0s\n    total number of events: 10\n" +
		"Latency (ms):\n         min: 1\n         avg: 2\n         max: 3\n         95th percentile: 2.5\n         sum: 20\n"
	if err := os.WriteFile(filepath.Join(dir, "sysbench.txt"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := openUmask(t, dir, "import", "sysbench.txt", "--out", "out", "--version", "8.0", "--workload", "point-query", "--clients", "1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if open := theirs(t, filepath.Join(dir, "out")); open != nil {
		t.Errorf("open to others: %q", open)
	}
}
