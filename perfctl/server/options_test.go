package server

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"opcost/testbed/casefiles"
)

func TestParseOptions(t *testing.T) {
	got, err := parseOptions([]string{"skip-log-bin", " --innodb_io_capacity=100 ", "performance_schema"}, fromPlan)
	want := []string{"--skip-log-bin", "--innodb_io_capacity=100", "--performance_schema"}
	if err != nil || !slices.Equal(texts(got), want) {
		t.Errorf("%v %v", got, err)
	}
	for _, bad := range []string{"", " ", "-O", "-u root"} {
		if _, err := parseOptions([]string{bad}, fromPlan); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestCheckOptions(t *testing.T) {
	for text, want := range map[string]string{
		"--datadir=/var/lib/mysql":           "leave it out",
		"--loose_datadir=/x":                 "leave it out",
		"--SOCKET=/x":                        "leave it out",
		"--pid_file=/x":                      "leave it out",
		"--user=mysql":                       "leave it out",
		"--daemonize":                        "leave it out",
		"--defaults-extra-file=/x":           "leave it out",
		"--wsrep_sst_auth=sst:geheim":        "process list",
		"--ssl-passphrase=x":                 "process list",
		"--disconnect_on_expired_password=1": "",
		"--validate_password=OFF":            "", // a plugin's name, not a secret
		"--default_password_lifetime=0":      "",
		"--skip-networking":                  "",
		"--skip-name-resolve":                "",
		"--innodb-buffer-pool-size=1G":       "",
		"--performance-schema":               "",
		"--log-bin=mysql-bin":                "",
		"--default-authentication-plugin":    "",
	} {
		err := checkOptions([]option{{text, fromPlan}})
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want %q", text, err, want)
		case want != "" && strings.Contains(err.Error(), "geheim"):
			t.Errorf("%s: the message shows the secret: %v", text, err)
		}
	}
}

func TestParsePrintDefaults(t *testing.T) {
	// As MariaDB 10.11 prints it; a value may hold blanks.
	out := "/usr/sbin/mariadbd would have been started with the following arguments:\n--user=mysql --sql_mode=A,B --log_error=/x y/z --skip-networking \n"
	got := parsePrintDefaults(out, "f")
	want := []option{{"--user=mysql", "f"}, {"--sql_mode=A,B", "f"}, {"--log_error=/x y/z", "f"}, {"--skip-networking", "f"}}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for _, empty := range []string{"", "mysqld would have been started with the following arguments:\n\n"} {
		if got := parsePrintDefaults(empty, "f"); got != nil {
			t.Errorf("%q from %q", got, empty)
		}
	}
}

func TestRelocate(t *testing.T) {
	options := []option{
		{"--innodb_log_group_home_dir=/big/txlogs", "my.cnf"},
		{"--innodb-data-home-dir=", "my.cnf"},
		{"--log_bin=/big/binlogs/bl", "my.cnf"},
		{"--relay-log=relay", "my.cnf"},
		{"--general-log-file=/a/b.log", "my.cnf"},
		{"--general_log_file=c.log", fromPlan}, // the last one is read
	}
	extra, notes, err := relocate(options, "/site/data")
	want := []string{"--innodb-log-group-home-dir=/site/data", "--log-bin=/site/data/bl"}
	if err != nil || !slices.Equal(extra, want) || len(notes) != 2 || !strings.Contains(notes[0], "my.cnf") {
		t.Errorf("%v\n%v\n%v", extra, notes, err)
	}
	if _, _, err := relocate([]option{{"--innodb_data_file_path=/big/ibdata1:1G", "my.cnf"}}, "/site/data"); err == nil {
		t.Error("a data file elsewhere was taken")
	}
}

func TestCheckDefaultsFile(t *testing.T) {
	options := []option{{"--user=mysql", "my.cnf"}}
	if err := checkDefaultsFile(options, "root"); err == nil || !strings.Contains(err.Error(), "my.cnf sets user=mysql") {
		t.Errorf("%v", err)
	}
	if err := checkDefaultsFile(options, ""); err != nil {
		t.Errorf("not root: the server ignores the line with a warning: %v", err)
	}
}

// TestServerArgs has the whole command line of one start, in its order: the
// defaults file first, the private places last, so that they win.
func TestServerArgs(t *testing.T) {
	p := places{"basedir": "/opt/m", "share": "/opt/m/share", "data": "/s/data", "tmp": "/s/tmp", "socket": "/t/o/mysqld.sock", "log": "/s/log/1.err", "port": "4000", "user": "root"}
	given := []option{{"--performance-schema=ON", fromPlan}}
	moved := []string{"--log-bin=/s/data/bl"}
	private := " --datadir=/s/data --tmpdir=/s/tmp --socket=/t/o/mysqld.sock --pid-file=/s/tmp/mysqld.pid --log-error=/s/log/1.err"
	for _, c := range []struct {
		version string
		spec    Spec
		holds   map[When]bool
		want    string
	}{
		{"8.0.36", Spec{DefaultsFile: "/x/my.cnf"}, map[When]bool{SocketOnly: true, WithoutTLS: true},
			"--defaults-file=/x/my.cnf --basedir=/opt/m --lc-messages-dir=/opt/m/share --secure-file-priv=NULL --mysqlx=OFF --performance-schema=ON --log-bin=/s/data/bl" + private + " --skip-networking"},
		{"5.1.73", Spec{}, map[When]bool{SocketOnly: true, AsRoot: true},
			"--no-defaults --basedir=/opt/m --language=/opt/m/share/english/ --performance-schema=ON --log-bin=/s/data/bl" + private + " --skip-networking --user=root"},
		{"11.8.3-MariaDB", Spec{}, map[When]bool{WithTCP: true, WithoutTLS: true},
			"--no-defaults --basedir=/opt/m --lc-messages-dir=/opt/m/share --skip-ssl --performance-schema=ON --log-bin=/s/data/bl" + private + " --bind-address=127.0.0.1 --port=4000 --skip-name-resolve"},
		{"11.8.3-MariaDB", Spec{}, map[When]bool{SocketOnly: true},
			"--no-defaults --basedir=/opt/m --lc-messages-dir=/opt/m/share --performance-schema=ON --log-bin=/s/data/bl" + private + " --skip-networking"},
	} {
		id, err := ParseVersion(c.version)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(serverArgs(id, c.spec, p, c.holds, given, moved), " "); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.version, got, c.want)
		}
	}
}

func TestSettingsHaveReasons(t *testing.T) {
	for _, s := range Settings {
		if s.Why == "" || s.When == "" || !strings.HasPrefix(s.Option, "--") {
			t.Errorf("%+v", s)
		}
	}
}

func TestWrapArgv(t *testing.T) {
	valgrind := func(argv []string) []string { return append([]string{"valgrind"}, argv...) }
	for _, c := range []struct{ launcher, want string }{
		{"", "valgrind mysqld --x"},
		{"numactl -N 0", "numactl -N 0 valgrind mysqld --x"},
		{"/r/lib/ld-linux-x86-64.so.2 --library-path /r/lib", "valgrind /r/lib/ld-linux-x86-64.so.2 --library-path /r/lib mysqld --x"},
		{"taskset 1 /r/ld-2.31.so", "taskset 1 valgrind /r/ld-2.31.so mysqld --x"},
		{"/lib64/ld64.so.2 --library-path /r", "valgrind /lib64/ld64.so.2 --library-path /r mysqld --x"},
	} {
		if got := strings.Join(wrapArgv(strings.Fields(c.launcher), []string{"mysqld", "--x"}, valgrind), " "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.launcher, got, c.want)
		}
	}
}

// TestPublishedDefaultsFile reads the configuration that a published benchmark
// really used through the server's own --print-defaults: its data, redo log and
// binary log lie in folders of that author's machine.
func TestPublishedDefaultsFile(t *testing.T) {
	published := filepath.Join(casefiles.Folder(t, "07-mysql-status"), "mytools", "my.cnf.mariadb-11.4")
	casefiles.Used(t, casefiles.Compared, published)
	text, err := os.ReadFile(published)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "my.cnf")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "site")
	s, err := Open(testContext(t), Spec{Mysqld: mariadbd(t), DefaultsFile: file}, dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"--innodb-data-home-dir=" + dir + "/data", "--innodb-log-group-home-dir=" + dir + "/data", "--log-bin=" + dir + "/data/bl"}
	if !slices.Equal(s.moved, want) {
		t.Errorf("got %q\nwant %q", s.moved, want)
	}
	// and its tmpdir and datadir are not used
	if len(s.Notes) != 5 || !strings.Contains(strings.Join(s.Notes, "\n"), "datadir=/data/m/my/data of "+file+" is not used") {
		t.Errorf("notes: %q", s.Notes)
	}
}
