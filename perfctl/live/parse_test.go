package live

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestParseUnix(t *testing.T) {
	// Lines as Linux 6.18 prints them; the fourth's path holds a line end.
	text := "Num       RefCount Protocol Flags    Type St Inode Path\n" +
		"0000000000000000: 00000003 00000000 00000000 0001 03 389661 /run/a.sock\n" +
		"0000000000000000: 00000002 00000000 00010000 0001 01    43 /run/with space.sock\n" +
		"0000000000000000: 00000002 00000000 00010000 0001 01 389606 @abstract\n" +
		"0000000000000000: 00000002 00000000 00010000 0001 01 389607 /tmp/line\nend\n" +
		"0000000000000000: 00000002 00000000 00010000 0005 01 389608 /run/udev/control\n" +
		"0000000000000000: 00000002 00000000 00000000 0002 01 389609 /run/log\n" +
		"0000000000000000: 00000003 00000000 00000000 0001 03    44\n"
	var got []string
	for _, l := range parseUnix(strings.NewReader(text)) {
		got = append(got, l.path)
	}
	if want := []string{"/run/with space.sock", "@abstract", "/tmp/line"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestListeners holds what is read of the kernel against sockets of our own.
func TestListeners(t *testing.T) {
	var want []string
	for _, at := range []string{"127.0.0.1:0", "[::1]:0", ":0"} {
		l, err := net.Listen("tcp", at)
		if err != nil {
			t.Logf("%s: %v", at, err)
			continue
		}
		defer l.Close()
		want = append(want, l.Addr().String())
	}
	path := filepath.Join(openDir(t), "a socket")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	held, err := heldSockets("/proc", os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	unix, tcp := listeners("/proc/net")
	var got []string
	for _, s := range tcp {
		if held[s.inode] {
			got = append(got, s.addr.String())
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if i := slices.IndexFunc(unix, func(s listener) bool { return s.path == path }); i < 0 || !held[unix[i].inode] {
		t.Errorf("%s is not among what we listen on", path)
	}
}

func FuzzListeners(f *testing.F) {
	f.Add("  sl\n   1: 0100007F:0CEB 00000000:0000 0A 0:0 0:0 0 999 0 900 1\n0000: 00000002 00000000 00010000 0001 01 43 /x\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range append(parseUnix(strings.NewReader(text)), parseTCP(strings.NewReader(text))...) {
			if l.path == "" && !l.addr.IsValid() && !strings.Contains(text, " ") {
				t.Errorf("%+v", l)
			}
		}
	})
}

func TestVersionIn(t *testing.T) {
	// A bar stands for the NUL that ends a string: this test's own binary must
	// not look like a server's.
	for name, c := range map[string]struct {
		constants       string
		flavor, version string
		err             error
	}{
		"MariaDB":              {"5.7.31|skip-grant-tables|10.11.19-MariaDB|1.2.13|", "mariadb", "10.11.19", nil},
		"MariaDB, patched":     {"11.8.3-MariaDB-0+deb13u1|skip-grant-tables|", "mariadb", "11.8.3", nil},
		"MariaDB without":      {"MariaDB|skip-grant-tables|5.7.31|", "mariadb", "", nil},
		"MySQL":                {"skip-grant-tables|1.3.1|8.0.36|3.0.2|8.0.36|", "mysql", "8.0.36", nil},
		"Percona":              {"skip-grant-tables|8.0.32-24|", "mysql", "8.0.32", nil},
		"two that could be it": {"skip-grant-tables|8.0.36|5.7.9|", "mysql", "", nil},
		"a client":             {"8.0.36|ssl-mode|", "", "", errNoServer},
		"opcost itself":        {"skip-grant-tablesmysqld8.0.36", "", "", errNoServer},
		"nothing":              {"", "", "", errNoServer},
	} {
		flavor, version, err := versionIn([]byte(strings.ReplaceAll(c.constants, "|", "\x00")))
		if flavor != c.flavor || version != c.version || !errors.Is(err, c.err) {
			t.Errorf("%s: %q %q %v", name, flavor, version, err)
		}
	}
	if _, _, err := versionOf("/proc/self/exe"); !errors.Is(err, errNoServer) {
		t.Errorf("this test: %v", err)
	}
	for name, text := range map[string]string{"script": "#!/bin/sh\n", "empty": "", "broken": "\x7fELF\x02\x01\x01" + string(bytes.Repeat([]byte{0xff}, 200))} {
		path := write(t, filepath.Join(t.TempDir(), "mysqld"), text, 0o755)
		if _, _, err := versionOf(path); !errors.Is(err, errNoServer) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWithin(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"run/mysqld", "var", "data"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"var/run": "/run", "data/up": "../../../../run/mysqld", "loop": "loop", "data/rel": "up/x"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{"/var/run/mysqld/s": "/run/mysqld/s", "/data/up/s": "/run/mysqld/s", "/data/rel": "/run/mysqld/x", "/../../etc/x": "/etc/x", "/none/x": "/none/x"} {
		if got := within(root, path); got != root+want {
			t.Errorf("%s is %s, want %s%s", path, got, root, want)
		}
	}
	within(root, "/loop") // ends
	if got := within("", "/var/run/x"); got != "/var/run/x" {
		t.Errorf("without a root: %s", got)
	}
}

func TestOption(t *testing.T) {
	for argv, want := range map[string]string{
		"mysqld --socket=/a": "/a", "mysqld --socket /a_b": "/a_b", "mysqld --socket=/a --socket=/b": "/b", "mysqld --socket": "", "mysqld --sockets=/a": "", "mysqld": "",
	} {
		if got := option(strings.Fields(argv), "socket"); got != want {
			t.Errorf("%s: %q, want %q", argv, got, want)
		}
	}
}
