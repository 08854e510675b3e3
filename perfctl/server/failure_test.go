package server

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"opcost/testbed/casefiles"
)

// The servers' own words, by version.
func TestRefusedOption(t *testing.T) {
	casefiles.Used(t, casefiles.Compared, "10-problems/query-cache-start-fails")
	for log, want := range map[string]string{
		"2013-01-01 [ERROR] /usr/sbin/mysqld: unknown variable 'innodb_buffer_pool_instance=4'":                                         "innodb_buffer_pool_instance",
		"2024-05-01T10:00:00.123Z 0 [ERROR] [MY-000067] [Server] unknown variable 'query_cache_size=0'.":                                "query_cache_size",
		"2026-01-01 10:00:00 0 [ERROR] mariadbd: unknown option '--skip-frm'":                                                           "skip-frm",
		"mysqld: ambiguous option '--innodb-log-file=1' (innodb_log_file_size, innodb_log_files_in_group)":                              "innodb-log-file",
		"2024-05-01T10:00:00Z 0 [ERROR] [MY-000077] [Server] /usr/sbin/mysqld: Error while setting value 'X' to 'innodb_flush_method'.": "innodb_flush_method",
		"mysqld: option '--datadir' requires an argument":                                                                               "datadir",
		"2026-01-01 [ERROR] Unknown suffix 'q' used for variable 'innodb-buffer-pool-size' (value '1q'). Legal suffix characters":       "innodb-buffer-pool-size",
		"2026-01-01 [ERROR] InnoDB: Cannot open '/x/ibdata1'":                                                                           "",
	} {
		if got := refusedOption(log); got != want {
			t.Errorf("%s: got %q, want %q", log, got, want)
		}
	}
}

func TestErrorLines(t *testing.T) {
	log := "a [Note] x\nb [ERROR] one\nb [ERROR] one\nc [Warning] y\nd [ERROR] two\ne [ERROR] Aborting\n"
	if got := errorLines(log); !slices.Equal(got, []string{"b [ERROR] one", "d [ERROR] two"}) {
		t.Errorf("%q", got)
	}
	if got := errorLines("1\n2\n\n3\n4\n5\n6\n"); !slices.Equal(got, []string{"2", "3", "4", "5", "6"}) {
		t.Errorf("a log without error lines: %q", got)
	}
	if got := errorLines("ld.so: mysqld: error while loading shared libraries: libaio.so.1: cannot open shared object file\nx\n"); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

func TestOrigin(t *testing.T) {
	given := []option{{"--query_cache_size=0", fromPlan}, {"--innodb-x=1", "my.cnf"}, {"--loose-skip-y", fromStart}}
	for name, want := range map[string]string{"query-cache-size": fromPlan, "innodb_x": "my.cnf", "y": fromStart, "z": ""} {
		if got := origin(name, given); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestFailedSaysWhatToDo(t *testing.T) {
	s := &Site{spec: Spec{Name: "new", Mysqld: "/usr/sbin/mysqld"}, Identity: Identity{Flavor: MySQL, Number: "8.0.36"}, file: []option{{"--query-cache-type=0", "/x/my.cnf"}}}
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("[ERROR] [MY-000067] [Server] unknown variable 'query_cache_type=0'.\n[ERROR] [MY-010119] [Server] Aborting\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("it ended")
	err := s.failed("start", cause, path, nil)
	var e *StartError
	if !errors.As(err, &e) || !errors.Is(err, cause) || e.Refused != "query_cache_type" || e.Origin != "/x/my.cnf" {
		t.Errorf("%+v", e)
	}
	for _, want := range []string{"new", "MySQL 8.0.36", "loose_query_cache_type", path, "/x/my.cnf", "unknown variable"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the message lacks %q:\n%v", want, err)
		}
	}
	if err := s.failed("start", cause, path+".none", nil); !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("no log: %v", err)
	}
}

func TestEnforcedProfile(t *testing.T) {
	profiles := "lsb_release (enforce)\n/usr/sbin/mysqld (enforce)\n/usr/sbin/cupsd (enforce)\n"
	if got := enforcedProfile(profiles, "/opt/mysqld"); got != "/usr/sbin/mysqld" {
		t.Errorf("%q", got)
	}
	for _, other := range []string{"", "/usr/sbin/mysqld (complain)\n", "/usr/sbin/cupsd (enforce)\n"} {
		if got := enforcedProfile(other, "/usr/sbin/mysqld"); got != "" {
			t.Errorf("%q from %q", got, other)
		}
	}
	for _, log := range []string{"[ERROR] InnoDB: Operating system error number 13 in a file operation.", "mysqld: Can't create/write to file (Errcode: 13 - Permission denied)", "(OS errno 13 - Permission denied)"} {
		if !permissionDenied(log) {
			t.Errorf("not seen in %q", log)
		}
	}
}
