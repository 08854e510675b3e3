package corpus

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"opcost/testbed/casefiles"
)

// folders are those that hold files, with the readers of what is in them.
var folders = []struct{ name, reader string }{
	{"01-perf-stat", "`perf stat`: JSON, CSV and text; sysbench beside it"},
	{"02-perf-script", "`perf script`, folded stacks"},
	{"03-perf-data", "`perf.data`, through perf"},
	{"04-load-tools", "sysbench, mysqlslap, `.met` files"},
	{"05-vmstat-iostat", "vmstat, iostat"},
	{"06-procfs", "/proc of processes, threads and the machine; cgroups"},
	{"07-mysql-status", "status and variables of servers, versions"},
	{"08-callgrind", "callgrind"},
	{"09-small-datum", "Small Datum's tables"},
	{"10-problems", "the causes of public reports"},
}

// share is what became of the cases of a folder.
type share struct {
	compared, refused, reference int
	unclaimed                    []string
	failed                       []string
}

func (s share) claimed() int { return s.compared + s.refused + s.reference + len(s.failed) }

// TestShare adds up what the tests of the readers have recorded. A case that no
// test looked at, and that is not named as unclaimed, is a failure.
func TestShare(t *testing.T) {
	record := os.Getenv("OPCOST_CORPUS")
	if record == "" {
		t.Skip("`make corpus` runs this, behind the tests that it adds up")
	}
	used := readRecord(t, record)
	var table strings.Builder
	table.WriteString("| folder | what is read | pass | compared with right values | refused, with a clear error | files of right values | not claimed |\n|---|---|---:|---:|---:|---:|---:|\n")
	unused := maps.Clone(unclaimed)
	var reasons []string
	for _, folder := range folders {
		s := shareOf(t, folder.name, used)
		fmt.Fprintf(&table, "| %s | %s | %d of %d | %d | %d | %d | %d |\n", folder.name, folder.reader, s.claimed()-len(s.failed), s.claimed(), s.compared, s.refused, s.reference, len(s.unclaimed))
		for _, f := range s.failed {
			t.Errorf("%s", f)
		}
		by := map[string]int{}
		for _, name := range s.unclaimed {
			prefix := reasonOf(name)
			by[prefix]++
			delete(unused, prefix)
		}
		for _, prefix := range slices.Sorted(maps.Keys(by)) {
			reasons = append(reasons, fmt.Sprintf("- `%s` (%d): %s.\n", prefix, by[prefix], unclaimed[prefix]))
		}
	}
	for name := range unused {
		t.Errorf("%s is named as unclaimed and is not there, or is read", name)
	}
	fmt.Printf("\n%s\nNot claimed, by what the names begin with:\n\n%s\n", table.String(), strings.Join(reasons, ""))
	if doc := os.Getenv("OPCOST_CORPUS_DOC"); doc != "" {
		write(t, doc, table.String(), strings.Join(reasons, ""))
	}
}

// shareOf goes through a folder's files, and what its index names without one.
func shareOf(t *testing.T, folder string, used map[string]map[casefiles.Use]string) (s share) {
	t.Helper()
	dir := casefiles.Folder(t, folder)
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == filepath.Join(dir, "index.json") {
			return err
		}
		rel, err := filepath.Rel(filepath.Dir(dir), path)
		names = append(names, rel)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range casefiles.Index(t, folder) {
		if c.Path == "" && c.File != "" && !strings.Contains(c.File, "{") && !strings.Contains(c.File, "(+") { // names of several files
			names = append(names, folder+"/"+c.File)
		}
	}
	for _, name := range names {
		uses := used[name]
		_, compared := uses[casefiles.Compared]
		_, refused := uses[casefiles.Refused]
		_, reference := uses[casefiles.Reference]
		failed := ""
		for _, f := range uses {
			if f != "" {
				failed = f
			}
		}
		switch {
		case failed != "":
			s.failed = append(s.failed, name+": failed in "+failed)
		case reference:
			s.reference++
		case refused: // some are read, and not imported
			s.refused++
		case compared:
			s.compared++
		case reasonOf(name) != "":
			s.unclaimed = append(s.unclaimed, name)
		default:
			s.failed = append(s.failed, name+": no test looks at it")
		}
	}
	return s
}

func reasonOf(name string) (longest string) {
	for prefix := range unclaimed {
		if strings.HasPrefix(name, prefix) && len(prefix) > len(longest) {
			longest = prefix
		}
	}
	return longest
}

// readRecord gives for each case and use the test that failed, "" for none.
func readRecord(t *testing.T, path string) map[string]map[casefiles.Use]string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("run the readers' tests first (make corpus): %v", err)
	}
	used := map[string]map[casefiles.Use]string{}
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		f := strings.Split(s.Text(), "\t")
		if len(f) != 4 {
			t.Fatalf("%s: %q", path, s.Text())
		}
		use, outcome, name, test := casefiles.Use(f[0]), f[1], f[2], f[3]
		if used[name] == nil {
			used[name] = map[casefiles.Use]string{}
		}
		switch {
		case outcome != "passed":
			used[name][use] = test
		case used[name][use] == "":
			used[name][use] = ""
		}
	}
	return used
}

const (
	begin = "<!-- made by make corpus -->\n"
	end   = "<!-- end -->\n"
)

// write puts the table and the reasons into the document, between its marks.
func write(t *testing.T, path, table, reasons string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, part := range []string{table, reasons} {
		before, rest, ok := strings.Cut(text, begin)
		_, after, ended := strings.Cut(rest, end)
		if !ok || !ended {
			t.Fatalf("%s lacks its marks", path)
		}
		// The marks of a part that is written are hidden from the next one's search.
		text = before + "\x00" + part + "\x01" + after
	}
	text = strings.NewReplacer("\x00", begin, "\x01", end).Replace(text)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
