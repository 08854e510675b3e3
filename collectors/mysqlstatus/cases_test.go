package mysqlstatus

import (
	"compress/gzip"
	"io"
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
		path := filepath.Join(casefiles.Folder(t, "07-mysql-status"), name)
		casefiles.Used(t, casefiles.Compared, path, path+"-defer", "07-mysql-status/"+c.File)
		first := statusOf(t, path) // the file without -defer has the first of the two samples
		b, err := os.ReadFile(path + "-defer")
		if err != nil {
			t.Fatal(err)
		}
		w := window{begin: sample{Values: map[string]string{}, statements: 5}, end: sample{Values: map[string]string{}, statements: 5}}
		for line := range strings.Lines(string(b)) {
			if f := strings.Fields(line); len(f) == 3 {
				w.begin.Values[strings.ToLower(f[0])], w.end.Values[strings.ToLower(f[0])] = f[1], f[2]
				if v := first[strings.ToLower(f[0])]; v != f[1] {
					t.Errorf("%s: %s is %q, and %q in the other file", c.File, f[0], v, f[1])
				}
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

// statusOf reads a text of names and values, as SHOW GLOBAL STATUS gives rows.
func statusOf(t *testing.T, path string) map[string]string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			values[strings.ToLower(name)] = value
		}
	}
	return values
}

// TestOldStatus: MySQL 5.0 has no Queries. What 5 s changed is by eye.
func TestOldStatus(t *testing.T) {
	dir := filepath.Join(casefiles.Folder(t, "07-mysql-status"), "percona-toolkit")
	begin, end := filepath.Join(dir, "mysql-status-001.txt"), filepath.Join(dir, "mysql-status-002.txt")
	casefiles.Used(t, casefiles.Compared, begin, end, filepath.Join(dir, "temp001.mysql-status"))
	w := window{begin: sample{Values: statusOf(t, begin)}, end: sample{Values: statusOf(t, end)}}
	if b := w.begin.Values; b["questions"] != "9518" || b["com_select"] != "2049" || b["uptime"] != "7732" {
		t.Errorf("%s questions, %s selects, %s s", b["questions"], b["com_select"], b["uptime"])
	}
	got := byName(t, w.readings())
	if _, there := got["queries"]; there {
		t.Error("queries were made up")
	}
	want(t, got, map[string]float64{"questions": 0, "aborted_clients": 1, "uptime_begin": 7732, "uptime_end": 7737})
	// The server's uptime went on by 5 s more than the time since FLUSH STATUS did.
	if r := got["aborted_clients"]; r.State != result.Partial {
		t.Errorf("%+v", r)
	}
	// By `grep -P "^(Questions|Uptime)\t"`.
	if s := statusOf(t, filepath.Join(dir, "temp001.mysql-status")); s["questions"] != "8" {
		t.Errorf("%q", s["questions"])
	}
}

// TestMext takes the differences of many samples of a server that another tool
// has taken too.
func TestMext(t *testing.T) {
	dir := filepath.Join(casefiles.Folder(t, "07-mysql-status"), "percona-toolkit")
	in, out := filepath.Join(dir, "pt-mext-pt-130-in.txt.gz"), filepath.Join(dir, "pt-mext-pt-130-out.txt.gz")
	casefiles.Used(t, casefiles.Compared, in)
	casefiles.Used(t, casefiles.Reference, out)
	samples := boxes(unpacked(t, in))
	compared := 0
	for line := range strings.Lines(unpacked(t, out)) {
		f := strings.Fields(line)
		name := strings.ToLower(f[0])
		for i := range len(f) - 2 { // a column a sample, but for the last one
			w := window{begin: sample{Values: samples[i]}, end: sample{Values: samples[i+1]}}
			if _, err := number(w.end.Values[name]); err != nil {
				continue // an empty one is 0 to that tool
			}
			before, errB := strconv.ParseFloat(f[1+i], 64)
			after, errA := strconv.ParseFloat(f[2+i], 64)
			if errA != nil || errB != nil {
				t.Fatal(line)
			}
			compared++
			if isLevel(name) {
				if b, e := level("", name, w.begin), level("", name, w.end); *b.Value != before || *e.Value != after {
					t.Errorf("%s went from %v to %v, and that tool says from %v to %v", name, *b.Value, *e.Value, before, after)
				}
			} else if r, _ := w.counter(name); r.Value == nil || *r.Value != after-before {
				t.Errorf("%s: %+v, want %v", name, r, after-before)
			}
		}
	}
	if compared < 200*27 {
		t.Errorf("only %d differences were compared", compared)
	}
}

func unpacked(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// boxes reads several tables as the mysql client draws them.
func boxes(text string) (samples []map[string]string) {
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 4 {
			continue
		}
		name, value := strings.ToLower(strings.TrimSpace(f[1])), strings.TrimSpace(f[2])
		if name == "variable_name" {
			samples = append(samples, map[string]string{})
			continue
		}
		samples[len(samples)-1][name] = value
	}
	return samples
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
