package workload

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// literals are what a general log has in place of a ?.
var literals = regexp.MustCompile(`'[^']*'|\b\d+\b`)

func config(d Driver, id string) ExternalConfig {
	x, _ := Resolve([]string{id})
	return ExternalConfig{Driver: d, Identity: Identity{Path: "/usr/bin/tool", Version: "sysbench 1.0.20"}, Test: x[0],
		Access: Access{Network: "unix", Addr: "/s", User: "root", Database: "db", Charset: "latin1", Protocol: Prepared},
		Data:   Data{Tables: 2, Rows: 1000}, Clients: 4, Seed: 1, Dir: "/d", Tag: "w"}
}

func TestSysbenchArguments(t *testing.T) {
	c := config(Driver{Name: DriverSysbench, Options: []string{"--mysql-ignore-errors=all"}}, "read-only-sum")
	got := strings.Join(c.sysbench("warmup", lasting{operations: 100}), " ")
	for _, want := range []string{
		"/usr/bin/tool oltp_read_only --mysql-socket=/s ", "--rand-type=uniform", "--db-ps-mode=auto", "--threads=4",
		"--tables=2 --table-size=1000", "--range-size=1000", "--simple-ranges=0 --sum-ranges=1 --order-ranges=0 --distinct-ranges=0",
		"--time=0 --events=8 ", // 13 statements each: 100 of them are 8 events, rounded up
		"--mysql-ignore-errors=all run",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %q", got, want)
		}
	}
	seed := func(repeat int, phase string) string {
		c.Repeat = repeat
		a := c.sysbench(phase, lasting{seconds: 1})
		return a[slices.IndexFunc(a, func(s string) bool { return strings.HasPrefix(s, "--rand-seed=") })]
	}
	if again := seed(0, "a"); again != seed(0, "a") || seed(0, "a") == seed(1, "a") || seed(0, "a") == seed(0, "b") || strings.HasSuffix(seed(0, "a"), "=0") {
		t.Errorf("seeds: %s %s %s", seed(0, "a"), seed(1, "a"), seed(0, "b"))
	}
	c.Access = Access{Network: "tcp", Addr: "127.0.0.1:3307", User: "u", Database: "db", Protocol: Text, TLS: true}
	got = strings.Join(c.sysbench("x", lasting{seconds: 9}), " ")
	for _, want := range []string{"--mysql-host=127.0.0.1 --mysql-port=3307", "--db-ps-mode=disable", "--mysql-ssl=REQUIRED", "--time=9 --events=0"} {
		if !strings.Contains(got, want) || strings.Contains(got, "socket") {
			t.Errorf("%s\nlacks %q", got, want)
		}
	}
}

func TestWhatADriverCannotDo(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "scan.lua"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		d    Driver
		id   string
		want string // "" is can
	}{
		{Driver{}, "scan", ""},
		{Driver{Name: DriverSysbench}, "point-query.pre", ""},
		{Driver{Name: DriverSysbench}, "scan", "its own scripts cannot do workload scan; they can do delete, insert, point-query"},
		{Driver{Name: DriverSysbench}, "random-points_range=10", "its own scripts cannot do workload random-points_range=10"},
		{Driver{Name: DriverSysbench, Lua: folder}, "scan", ""},
		{Driver{Name: DriverSysbench, Lua: filepath.Join(folder, "scan.lua")}, "hot-points", ""},
		{Driver{Name: DriverSysbench, Lua: folder}, "hot-points", "there is no script " + filepath.Join(folder, "hot-points.lua")},
		{Driver{Name: DriverMysqlslap}, "update-one-index", ""},
		{Driver{Name: DriverMysqlslap}, "update-index", "it does update-one and update-one-index"},
		{Driver{Name: DriverCommand, Command: "x"}, "scan", ""},
		{Driver{Name: "jmeter"}, "scan", "give builtin, sysbench, mysqlslap or command"},
	} {
		err := c.d.Does(test(t, c.id))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v, %s: %v, want %q", c.d, c.id, err, c.want)
		}
	}
	if (Driver{Name: DriverCommand, Command: "x {seconds}"}).Counts() || !(Driver{Name: DriverCommand, Command: "x {operations}"}).Counts() {
		t.Error("a command counts operations where it has a placeholder for them")
	}
}

func TestNoPasswordInArguments(t *testing.T) {
	c := config(Driver{Name: DriverSysbench}, "point-query")
	c.Dir, c.Access.Password = t.TempDir(), "hunter2"
	_, err := NewExternal(c)
	if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "everyone can read it") {
		t.Errorf("a password: %v", err)
	}
}

func TestSlapFile(t *testing.T) {
	c := config(Driver{Name: DriverMysqlslap}, "update-one")
	lines := strings.Split(strings.TrimSpace(c.slapFile("x")), "\n")
	form := regexp.MustCompile(`^UPDATE sbtest1 SET c='[0-9-]{119}' WHERE id=1$`)
	seen := map[string]bool{}
	for _, l := range lines {
		if !form.MatchString(l) || seen[l] {
			t.Fatalf("%q, or it is there twice", l)
		}
		seen[l] = true
	}
	if again := c.slapFile("x"); len(lines) != slapStatements || again != c.slapFile("x") || again == c.slapFile("y") {
		t.Errorf("%d statements", len(lines))
	}
}

func TestCommandPlaceholders(t *testing.T) {
	c := config(Driver{Name: DriverCommand, Command: "go --sock={socket} -p '{port}' {workload} {range} -n{clients} {seconds}s {operations} {rows}x{tables} ${NOT} {database}"}, "random-points_range=10")
	c.Access.Database = "a b'c"
	got := c.command(lasting{seconds: 7})
	want := `go --sock=/s -p '' random-points 10 -n4 7s  1000x2 ${NOT} 'a b'\''c'`
	if got[0] != "sh" || got[1] != "-c" || got[2] != want {
		t.Errorf("%q, want %q", got[2], want)
	}
}

// What a shell or awk means by braces is left to them.
func TestShellsBraces(t *testing.T) {
	d := Driver{Name: DriverCommand, Command: `for rows in 1 2; do awk '{ print ${rows} }' -n {rows} ${seconds}; done`}
	if err := d.Does(Test{}); err != nil {
		t.Error(err)
	}
	got := ExternalConfig{Driver: d, Data: Data{Tables: 1, Rows: 50}}.command(lasting{seconds: 7})
	if want := `for rows in 1 2; do awk '{ print ${rows} }' -n 50 ${seconds}; done`; got[2] != want {
		t.Errorf("%s\nwant %s", got[2], want)
	}
	d.Command = "awk '{print}' {seconds}"
	if err := d.Does(Test{}); err == nil || !strings.Contains(err.Error(), "unknown placeholder {print}") || !strings.Contains(err.Error(), "{ print }") {
		t.Errorf("braces of awk's: %v", err)
	}
}

func TestDriversTLS(t *testing.T) {
	for _, c := range []struct {
		driver, version string
		asked, refused  bool
	}{
		{DriverSysbench, "sysbench 1.0.20 (using system LuaJIT 2.1)", true, true},
		{DriverSysbench, "sysbench 1.0.20", false, false},
		{DriverSysbench, "sysbench 1.1.0-deadbee", true, false},
		{DriverMysqlslap, "mariadb-slap  Ver 1.0 Distrib 10.11.14", true, false},
	} {
		err := Identity{Version: c.version}.TLS(Driver{Name: c.driver}, c.asked)
		if (err != nil) != c.refused {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestSlapTLS(t *testing.T) {
	for _, c := range []struct {
		version string
		tls     bool
		want    string
	}{
		{"mariadb-slap  Ver 1.0 Distrib 10.11.14-MariaDB, for debian-linux-gnu (x86_64)", false, "--skip-ssl"},
		{"mariadb-slap  Ver 1.0 Distrib 10.11.14-MariaDB, for debian-linux-gnu (x86_64)", true, "--ssl"},
		{"mysqlslap  Ver 9.7.0 for Linux on x86_64 (MySQL Community Server - GPL)", false, "--ssl-mode=DISABLED"},
		{"mysqlslap  Ver 9.7.0 for Linux on x86_64 (MySQL Community Server - GPL)", true, "--ssl-mode=REQUIRED"},
	} {
		if got := (ExternalConfig{Identity: Identity{Version: c.version}, Access: Access{TLS: c.tls}}).slapTLS(); got != c.want {
			t.Errorf("%s, TLS %v: %s", c.version, c.tls, got)
		}
	}
}

// TestSysbenchFolder: sysbench takes a script in its current folder for one of
// its own, so it does not run where opcost is called.
func TestSysbenchFolder(t *testing.T) {
	dir := t.TempDir()
	lua := filepath.Join(t.TempDir(), "my.lua")
	point := Test{ID: "point-query", Name: "point-query"}
	for _, c := range []struct {
		driver Driver
		want   string
	}{
		{Driver{Name: DriverSysbench}, dir}, {Driver{Name: DriverSysbench, Lua: lua}, filepath.Dir(lua)}, {Driver{Name: DriverSysbench, Lua: dir}, dir},
		{Driver{Name: DriverCommand, Command: "./load"}, ""}, {Driver{Name: DriverMysqlslap}, ""},
	} {
		if got := (ExternalConfig{Driver: c.driver, Test: point, Dir: dir}).folder(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.driver, got, c.want)
		}
	}
}

// TestProgramPath: a program may run in another folder than opcost, so its path
// holds anywhere.
func TestProgramPath(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sysbench"), []byte("#!/bin/sh\necho sysbench 1.0.20\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	id, err := Driver{Name: DriverSysbench, Program: "./sysbench"}.Identify(t.Context())
	if err != nil || !filepath.IsAbs(id.Path) {
		t.Errorf("%+v, %v", id, err)
	}
}
