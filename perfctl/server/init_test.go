package server

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fakeTree makes the files of a server's tree, each empty.
func fakeTree(t *testing.T, files ...string) (binary string) {
	t.Helper()
	root := t.TempDir()
	for _, name := range append(files, "bin/mysqld") {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(root, "bin", "mysqld")
}

var (
	sql10 = []string{"mysql_system_tables.sql", "mysql_performance_tables.sql", "mysql_system_tables_data.sql", "fill_help_tables.sql", "maria_add_gis_sp_bootstrap.sql", "mysql_sys_schema.sql"}
	sql11 = []string{"mariadb_system_tables.sql", "mariadb_performance_tables.sql", "mariadb_system_tables_data.sql", "fill_help_tables.sql", "maria_add_gis_sp_bootstrap.sql", "mariadb_sys_schema.sql"}
	sql51 = []string{"mysql_system_tables.sql", "mysql_system_tables_data.sql", "fill_help_tables.sql"}
)

func in(dir string, names []string, more ...string) []string {
	var paths []string
	for _, n := range names {
		paths = append(paths, dir+"/"+n)
	}
	return append(paths, more...)
}

// TestInitCommand has every range of versions, by the argument lists that the
// servers' manuals and their own scripts give. {root} is the tree.
func TestInitCommand(t *testing.T) {
	const bootstrapEnd = " --max_allowed_packet=8M --net_buffer_length=16K"
	const places = " --datadir=/site/data --tmpdir=/site/tmp --user=root"
	for _, c := range []struct {
		version  string
		files    []string
		launcher []string
		defaults string
		want     string
		stdin    []string
	}{
		{version: "5.0.96", files: []string{"bin/mysql_install_db", "share/mysql/english/errmsg.sys"},
			want: "{root}/bin/mysql_install_db --no-defaults --basedir={root} --language={root}/share/mysql/english/ --a=1" + places},
		{version: "5.1.73", files: []string{"scripts/mysql_install_db", "share/english/errmsg.sys"},
			want: "{root}/scripts/mysql_install_db --no-defaults --basedir={root} --language={root}/share/english/ --a=1" + places},
		{version: "5.5.62", files: []string{"scripts/mysql_install_db", "share/english/errmsg.sys"},
			want: "{root}/scripts/mysql_install_db --no-defaults --basedir={root} --lc-messages-dir={root}/share --a=1" + places},
		{version: "5.6.51", files: []string{"scripts/mysql_install_db", "share/english/errmsg.sys"}, defaults: "/x/my.cnf",
			want: "{root}/scripts/mysql_install_db --defaults-file=/x/my.cnf --basedir={root} --lc-messages-dir={root}/share --a=1" + places},
		{version: "5.6.51", files: in("share", sql51, "scripts/mysql_install_db", "share/english/errmsg.sys"), launcher: []string{"numactl", "-N0"},
			want:  "numactl -N0 {root}/bin/mysqld --no-defaults --bootstrap --basedir={root} --lc-messages-dir={root}/share --a=1" + places + bootstrapEnd,
			stdin: in("share", sql51)},
		{version: "5.7.5", files: []string{"bin/mysql_install_db", "share/english/errmsg.sys"},
			want: "{root}/bin/mysql_install_db --no-defaults --basedir={root} --lc-messages-dir={root}/share --a=1" + places},
		{version: "5.7.44", files: []string{"share/english/errmsg.sys"},
			want: "{root}/bin/mysqld --no-defaults --initialize-insecure --basedir={root} --lc-messages-dir={root}/share --secure-file-priv=NULL --a=1" + places},
		{version: "8.0.36", files: []string{"share/english/errmsg.sys"}, defaults: "/x/my.cnf",
			want: "{root}/bin/mysqld --defaults-file=/x/my.cnf --initialize-insecure --basedir={root} --lc-messages-dir={root}/share --secure-file-priv=NULL --a=1" + places},
		{version: "8.4.7", files: []string{"share/mysql/english/errmsg.sys"},
			want: "{root}/bin/mysqld --no-defaults --initialize-insecure --basedir={root} --lc-messages-dir={root}/share/mysql --secure-file-priv=NULL --a=1" + places},
		{version: "9.7.0", files: []string{"share/mysql/english/errmsg.sys"}, launcher: []string{"/r/ld-linux-x86-64.so.2", "--library-path", "/r/lib"},
			want: "/r/ld-linux-x86-64.so.2 --library-path /r/lib {root}/bin/mysqld --no-defaults --initialize-insecure --basedir={root} --lc-messages-dir={root}/share/mysql --secure-file-priv=NULL --a=1" + places},
		{version: "5.5.68-MariaDB", files: in("share", sql51, "scripts/mysql_install_db", "share/english/errmsg.sys"),
			want:  "{root}/bin/mysqld --no-defaults --bootstrap --basedir={root} --lc-messages-dir={root}/share --a=1" + places + bootstrapEnd,
			stdin: in("share", sql51)},
		{version: "10.0.38-MariaDB", files: []string{"bin/mysql_install_db", "share/mysql/english/errmsg.sys"},
			want: "{root}/bin/mysql_install_db --no-defaults --basedir={root} --lc-messages-dir={root}/share/mysql --a=1" + places},
		{version: "10.4.3-MariaDB", files: []string{"bin/mariadb-install-db", "bin/mysql_install_db", "share/mysql/english/errmsg.sys"},
			want: "{root}/bin/mariadb-install-db --no-defaults --auth-root-authentication-method=normal --basedir={root} --lc-messages-dir={root}/share/mysql --a=1" + places},
		{version: "10.11.19-MariaDB", files: in("share/mysql", sql10, "bin/mariadb-install-db", "share/mysql/english/errmsg.sys"),
			want:  "{root}/bin/mysqld --no-defaults --bootstrap --basedir={root} --lc-messages-dir={root}/share/mysql --a=1" + places + bootstrapEnd + " --enforce-storage-engine=",
			stdin: in("share/mysql", sql10)},
		{version: "11.8.3-MariaDB", files: in("share/mariadb", sql11, "share/mysql/english/errmsg.sys"),
			want:  "{root}/bin/mysqld --no-defaults --bootstrap --basedir={root} --lc-messages-dir={root}/share/mysql --skip-ssl --a=1" + places + bootstrapEnd + " --enforce-storage-engine=",
			stdin: in("share/mariadb", sql11)},
	} {
		t.Run(c.version+" "+strings.Join(c.launcher, " "), func(t *testing.T) {
			id, err := ParseVersion(c.version)
			if err != nil {
				t.Fatal(err)
			}
			binary := fakeTree(t, c.files...)
			root := filepath.Dir(filepath.Dir(binary))
			spec := Spec{Mysqld: binary, Launcher: c.launcher, DefaultsFile: c.defaults}
			tr := findTree(binary, "")
			p := testPlaces("/site", tr)
			cmd, err := initCommand(id, spec, tr, p, true, []option{{"--a=1", fromPlan}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.ReplaceAll(strings.Join(cmd.Argv, " "), root, "{root}"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			var stdin []string
			for _, path := range cmd.StdinFiles {
				stdin = append(stdin, strings.TrimPrefix(path, root+"/"))
			}
			if !slices.Equal(stdin, c.stdin) {
				t.Errorf("reads %q, want %q", stdin, c.stdin)
			}
			if SupportFor(id).Note == "not supported" {
				t.Error("said to be not supported")
			}
		})
	}
}

func testPlaces(dir string, tr tree) places {
	s := &Site{dir: dir, tree: tr}
	p := s.places()
	p["user"] = "root"
	return p
}

func TestInitCommandRefuses(t *testing.T) {
	old, _ := ParseVersion("4.1.22")
	if _, err := initCommand(old, Spec{}, tree{}, places{}, false, nil, nil); err == nil {
		t.Error("MySQL 4.1 was taken")
	}
	maria, _ := ParseVersion("10.11.1-MariaDB")
	binary := fakeTree(t, "share/mysql_system_tables.sql") // incomplete
	_, err := initCommand(maria, Spec{Mysqld: binary}, findTree(binary, ""), places{}, false, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "basedir:") || !strings.Contains(err.Error(), "share/mysql") {
		t.Errorf("a tree without SQL files: %v", err)
	}
}

// fakeMysqld is a MySQL 8 that writes down how it was called and, when
// initialising, does what the given shell text does in its data directory.
func fakeMysqld(t *testing.T, initialise string) string {
	t.Helper()
	return script(t, `case "$*" in
*--version*) echo "mysqld  Ver 8.0.36 for Linux on x86_64 (MySQL Community Server - GPL)"; exit;;
esac
for a; do case "$a" in --datadir=*) cd "${a#--datadir=}";; esac; done
echo "$*" > ../argv
`+initialise)
}

func TestInitialiseChecksSystemTables(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"good":    {"echo x > mysql.ibd; echo x > ibdata1", ""},
		"nothing": {"", "no system tables"},
		"empty":   {"echo x > ibdata1; : > mysql.ibd", "it is empty"},
		"refused": {`echo "2024-01-01T00:00:00Z 0 [ERROR] [MY-000067] [Server] unknown variable 'query_cache_size=0'." >&2; exit 1`, "refused option: query_cache_size (from the plan's options)"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := Spec{Name: "fake", Mysqld: fakeMysqld(t, c.text), Options: []string{"query-cache-size=0"}}
			s, err := Open(context.Background(), spec, filepath.Join(t.TempDir(), "site"))
			if err != nil {
				t.Fatal(err)
			}
			err = s.Initialise(context.Background())
			if c.want == "" {
				if err != nil || !s.Initialised() {
					t.Errorf("%v, initialised %t", err, s.Initialised())
				}
				argv, err := os.ReadFile(filepath.Join(s.dir, "argv"))
				if err != nil || !strings.HasPrefix(string(argv), "--no-defaults --initialize-insecure ") {
					t.Errorf("called with %s (%v)", argv, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), s.initLog()) {
				t.Errorf("%v; want %q and the log's path", err, c.want)
			}
			if s.Initialised() {
				t.Error("counts as initialised")
			}
		})
	}
}
