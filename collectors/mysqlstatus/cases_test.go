package mysqlstatus

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"opcost/perfctl/result"
	"opcost/testbed/casefiles"
)

// TestRealDifferences takes two samples of real servers and the differences
// that the index says.
func TestRealDifferences(t *testing.T) {
	pairs := 0
	for _, c := range casefiles.Index(t, "07-mysql-status") {
		name, two := strings.CutSuffix(strings.Fields(c.File)[0], "-defer")
		if !two || !strings.HasSuffix(name, "mysql-status") {
			continue
		}
		pairs++
		b, err := os.ReadFile(filepath.Join(casefiles.Folder(t, "07-mysql-status"), name+"-defer"))
		if err != nil {
			t.Fatal(err)
		}
		w := window{begin: sample{Values: map[string]string{}, statements: 5}, end: sample{Values: map[string]string{}, statements: 5}}
		for line := range strings.Lines(string(b)) {
			if f := strings.Fields(line); len(f) == 3 {
				w.begin.Values[strings.ToLower(f[0])], w.end.Values[strings.ToLower(f[0])] = f[1], f[2]
			}
		}
		got := byName(t, w.readings())
		expected := regexp.MustCompile(`(\w+) \+(\d+)`).FindAllStringSubmatch(c.Expected, -1)
		if len(expected) < 5 {
			t.Fatalf("%s: only %d differences in %q", c.File, len(expected), c.Expected)
		}
		for _, e := range expected {
			v, _ := strconv.ParseFloat(e[2], 64)
			r, there := got[strings.ToLower(e[1])]
			switch {
			case !there && v == 0: // did not move
			case r.Value == nil || *r.Value != v:
				t.Errorf("%s: %s is %+v, want %s", c.File, e[1], r, e[2])
			}
		}
		for name, r := range got {
			if r.State == result.Failed {
				t.Errorf("%s: %s: %s", c.File, name, r.Reason)
			}
		}
	}
	if pairs < 5 {
		t.Errorf("only %d pairs of samples: the index has changed", pairs)
	}
}

// TestLevelsOfRealServers goes through the names of MySQL 5.0 to 5.5 and of a
// Percona server with plug-ins. The right values are our reading of
// the manual, by what a name says: a level is a size, a mean, a maximum,
// something pending, open, running, free or used now.
func TestLevelsOfRealServers(t *testing.T) {
	says := regexp.MustCompile(`^uptime|^open_|^threads_(cached|connected|running)$|_(dirty|free|total|data|unused|used|pending_\w+|avg|max|size|current_waits)$|_connections$|^qcache_(free|total|queries)|_memory$|_length$`)
	counts := regexp.MustCompile(`^com_|_wait_free$|^connections$`)
	files, err := filepath.Glob(filepath.Join(casefiles.Folder(t, "07-mysql-status"), "percona-toolkit", "*status*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no status files: %v", err)
	}
	seen := map[string]bool{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^(\w+)\t+\d+$`).FindAllStringSubmatch(string(b), -1) {
			seen[strings.ToLower(m[1])] = true
		}
	}
	if len(seen) < 250 {
		t.Fatalf("only %d names found in %d files", len(seen), len(files))
	}
	for name := range seen {
		if says.MatchString(name) && !counts.MatchString(name) && !isLevel(name) {
			t.Errorf("%s is taken for a counter", name)
		}
		if regexp.MustCompile(`^(com_|handler_|questions|queries|bytes_|select_|sort_|innodb_rows_|created_|slow_)`).MatchString(name) && isLevel(name) {
			t.Errorf("%s is taken for a level", name)
		}
	}
}
