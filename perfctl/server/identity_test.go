package server

import (
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"opcost/testbed/casefiles"
)

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]struct {
		flavor, number, comment string
		debug                   bool
	}{
		"mysqld  Ver 5.0.96 for unknown-linux-gnu on x86_64 (MySQL Community Server (GPL))":                         {MySQL, "5.0.96", "MySQL Community Server (GPL)", false},
		"/opt/5.6/bin/mysqld  Ver 5.6.51-debug-log for Linux on x86_64 (Source distribution)":                       {MySQL, "5.6.51", "Source distribution", true},
		"/usr/sbin/mysqld  Ver 8.0.32-24 for Linux on x86_64 (Percona Server (GPL), Release 24, Revision e5c6e9d2)": {MySQL, "8.0.32", "Percona Server (GPL), Release 24, Revision e5c6e9d2", false},
		"mysqld  Ver 9.7.0 for Linux on x86_64 (MySQL Community Server - GPL)\n":                                    {MySQL, "9.7.0", "MySQL Community Server - GPL", false},
		"/usr/sbin/mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)":             {MariaDB, "10.11.19", "Debian 12", false},
		"./mariadbd  Ver 11.8.3-MariaDB-debug for Linux on x86_64 (Source distribution)":                            {MariaDB, "11.8.3", "Source distribution", true},
		"5.5.5-10.4.18-MariaDB-cll-lve": {MariaDB, "10.4.18", "", false},
		// A real 5.5.5 is not the prefix of anything.
		"5.5.5-m3": {MySQL, "5.5.5", "", false},
	} {
		got, err := ParseVersion(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got.Flavor != want.flavor || got.Number != want.number || got.Comment != want.comment || got.Debug != want.debug {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
	for _, text := range []string{"", "mysqld  Ver ", "bash: mysqld: not found", "Ver 8.0"} {
		if got, err := ParseVersion(text); err == nil {
			t.Errorf("%q was read as %+v", text, got)
		}
	}
}

// TestParseVersionCases reads version strings of real servers, with the
// upstream version each stands for.
func TestParseVersionCases(t *testing.T) {
	path := filepath.Join(casefiles.Folder(t, "07-mysql-status"), "facts", "version-strings.csv")
	casefiles.Used(t, casefiles.Reference, path)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 15 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, row := range rows[1:] {
		want := MySQL
		if strings.HasPrefix(row[1], "MariaDB") {
			want = MariaDB
		}
		got, err := ParseVersion(row[0])
		if err != nil || got.Number != row[2] || got.Flavor != want {
			t.Errorf("%s: got %s %s (%v), want %s %s", row[0], got.Flavor, got.Number, err, want, row[2])
		}
	}
}

func TestAtLeast(t *testing.T) {
	id := Identity{Major: 10, Minor: 4, Patch: 3}
	for _, v := range [][3]int{{10, 4, 3}, {10, 4, 2}, {10, 3, 99}, {9, 9, 9}} {
		if !id.AtLeast(v[0], v[1], v[2]) {
			t.Errorf("10.4.3 is not at least %v", v)
		}
	}
	for _, v := range [][3]int{{10, 4, 4}, {10, 5, 0}, {11, 0, 0}} {
		if id.AtLeast(v[0], v[1], v[2]) {
			t.Errorf("10.4.3 is at least %v", v)
		}
	}
}

func TestIdentify(t *testing.T) {
	// A launcher that talks, a variable that it needs, and a folder whose name
	// lies about the flavor.
	dir := filepath.Join(t.TempDir(), "mariadb-tests")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "mysqld")
	text := "#!/bin/sh\n[ \"$1 $2\" = '--no-defaults --version' ] || exit 9\necho \"warning: odd\" >&2\necho \"$0  Ver $FAKE for Linux on x86_64 (MySQL Community Server - GPL)\"\n"
	if err := os.WriteFile(binary, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	id, err := Identify(testContext(t), binary, []string{"env"}, map[string]string{"FAKE": "8.4.7"})
	if err != nil {
		t.Fatal(err)
	}
	if id.Number != "8.4.7" || id.Flavor != MySQL || id.Path != binary || id.BuildID != "" {
		t.Errorf("%+v", id)
	}
	if _, err := Identify(testContext(t), script(t, "echo cannot open shared object >&2; exit 127\n"), nil, nil); err == nil || !strings.Contains(err.Error(), "cannot open shared object") {
		t.Errorf("a binary that does not run: %v", err)
	}
}

// TestIdentifyInstalled compares the build id with what readelf says.
func TestIdentifyInstalled(t *testing.T) {
	id, err := Identify(testContext(t), mariadbd(t), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if id.Flavor != MariaDB || id.Major < 10 {
		t.Errorf("%+v", id)
	}
	out, err := exec.Command("readelf", "-n", id.Path).Output()
	if err != nil {
		lacking(t, "no readelf (Debian: apt-get install binutils)")
	}
	m := regexp.MustCompile(`Build ID: (\S+)`).FindSubmatch(out)
	if m == nil || string(m[1]) != id.BuildID {
		t.Errorf("build id %q, readelf says %q", id.BuildID, m)
	}
}
