package server

import (
	"encoding/csv"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"opcost/testbed/casefiles"
)

// variablesOf reads a text of names and values, as SHOW VARIABLES gives rows.
func variablesOf(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 2))
	}
	if len(rows) < 200 {
		t.Fatalf("%s: %d rows", path, len(rows))
	}
	return compared(rows)
}

func table(t *testing.T, name string) (header []string, rows [][]string) {
	t.Helper()
	path := filepath.Join(casefiles.Folder(t, "07-mysql-status"), "facts", name)
	casefiles.Used(t, casefiles.Reference, path)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[0], all[1:]
}

// TestSevenServersCases reads the variables of seven real servers. Another reader
// has put into tables which of them has which, and the values of some; two more
// servers of these tables have no file.
func TestSevenServersCases(t *testing.T) {
	servers, presence := table(t, "variable-presence.csv")
	named, values := table(t, "key-variables.csv")
	if strings.Join(servers, ",") != strings.Join(named, ",") || len(servers) != 10 {
		t.Fatalf("the tables are of %q and of %q", servers, named)
	}
	ours := map[string]bool{}
	for _, name := range ComparedVariables {
		ours[name] = true
	}
	n, known, files := 0, 0, 0
	for column, server := range servers[1:] {
		path := filepath.Join(casefiles.Folder(t, "07-mysql-status"), "mytools", "show-variables."+server+".txt")
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		files++
		casefiles.Used(t, casefiles.Compared, path)
		got := variablesOf(t, path)
		for _, row := range presence {
			if _, there := got[row[0]]; ours[row[0]] {
				n++
				if there != (row[1+column] == "1") {
					t.Errorf("%s of %s is there: %v, want %s", row[0], server, there, row[1+column])
				}
			}
		}
		for _, row := range values {
			if want := row[1+column]; ours[row[0]] && want != "<absent>" {
				known++
				if v := got[row[0]]; v != want && !(row[0] == "optimizer_switch" && strings.HasPrefix(v, want)) { // the table cuts it
					t.Errorf("%s of %s is %q, want %q", row[0], server, v, want)
				}
			}
		}
	}
	if files != 7 || n < 7*100 || known < 7*20 {
		t.Errorf("only %d presences and %d values of %d servers were compared", n, known, files)
	}
	t.Logf("%d presences and %d values are right", n, known)
}

// TestOldServersCases reads the variables of MySQL 5.0 to 5.5 and what was built
// from them. The versions are the index's where it says them, and by eye.
func TestOldServersCases(t *testing.T) {
	dir := filepath.Join(casefiles.Folder(t, "07-mysql-status"), "percona-toolkit")
	said := map[string]string{}
	version := regexp.MustCompile(`server ([0-9][^;]*);`)
	for _, c := range casefiles.Index(t, "07-mysql-status") {
		if name, ok := strings.CutSuffix(strings.Fields(c.File)[0], "-status-defer"); ok {
			if m := version.FindStringSubmatch(c.Peculiar); m != nil {
				said[filepath.Base(name)+"-variables"] = m[1]
			}
		}
	}
	if len(said) < 5 {
		t.Fatalf("the index names %d versions", len(said))
	}
	for name, v := range oldServers {
		said[name] = v
	}
	files, err := filepath.Glob(filepath.Join(dir, "*variables*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		casefiles.Used(t, casefiles.Compared, path)
		name := filepath.Base(path)
		want := said[name]
		got := variablesOf(t, path)
		id, err := ParseVersion(got["version"])
		if err != nil || got["version"] != want || id.Flavor != MySQL || !strings.HasPrefix(want, id.Number) {
			t.Errorf("%s is of %q, %+v, %v; want %q", name, got["version"], id, err, want)
		}
		if got["innodb_flush_log_at_trx_commit"] == "" || got["character_set_server"] == "" || got["performance_schema"] != "" && id.AtLeast(5, 5, 3) == false {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// oldServers are versions by eye: `grep -P "^version\t"`.
var oldServers = map[string]string{
	"mysql-variables-001.txt": "5.0.51a-24+lenny2", "mysql-variables-with-semisync.txt": "5.5.21", "percona-server-5.1-variables": "5.1.61rel13.2-log",
	"percona-server-5.5-variables": "5.5.23-rel25.3-log", "temp001.mysql-variables": "5.1.61rel13.2",
}
