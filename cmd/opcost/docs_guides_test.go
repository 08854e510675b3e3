package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// followed runs a guide's blocks in a new folder, as a reader would, with the
// real opcost in it, and gives that folder. Other programs are recorders; edit
// changes a block's text.
func followed(t *testing.T, guide string, edit func(string) string, scripts map[string]string) (dir string, opcosts [][]string) {
	t.Helper()
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	dir = recorders(t)
	scripts["bin/opcost"] = notedRun(program)
	for name, text := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	texts, _ := shownCommands(guide, document(t, guide))
	for _, s := range texts {
		s.text = edit(s.text)
		for _, call := range calls(t, dir, s) {
			if n, err := fmt.Sscan(call[0], new(int)); n != 1 || err != nil {
				continue // another program
			}
			opcosts = append(opcosts, call[1:len(call)-1])
			if call[0] != "0" {
				t.Errorf("%s:%d: opcost %s: exit %s: %s", guide, s.line, strings.Join(call[1:len(call)-1], " "), call[0], call[len(call)-1])
			}
		}
	}
	return dir, opcosts
}

// made checks that a guide's commands have left a file that is not empty.
func made(t *testing.T, dir string, files ...string) {
	t.Helper()
	for _, f := range files {
		found, err := filepath.Glob(filepath.Join(dir, f))
		if err != nil || len(found) == 0 {
			t.Errorf("no %s was made", f)
			continue
		}
		if info, err := os.Stat(found[0]); err != nil || info.Size() == 0 {
			t.Errorf("%s is empty", f)
		}
	}
}

// TestDocsGuideLong follows the guide to a regression, with the installed server
// in place of both versions; the guide's plan turns the second one's performance
// schema on.
func TestDocsGuideLong(t *testing.T) {
	long(t)
	lacking(t, "mariadbd", "valgrind", "perf")
	versions := `#!/bin/sh
cat <<END
versions:
  - name: mariadb-10.11
    mysqld: installed
  - name: mariadb-11.8
    mysqld: installed
END
`
	dir, opcosts := followed(t, "docs/guide-regression.md", func(text string) string { return strings.Replace(text, "repeats: 3", "repeats: 2", 1) }, map[string]string{"testbed/versions.sh": versions})
	made(t, dir, "regression.yaml", "opcost-results-regression/runs/*/run.json", "opcost-results-regression/runs/*/evidence/profile.pb.gz", "change.html", "plans/*.yaml", "report.tar.gz")
	for _, command := range []string{"doctor", "run", "compare", "profile"} {
		if !slices.ContainsFunc(opcosts, func(args []string) bool { return args[0] == command }) {
			t.Errorf("opcost %s was not run: %q", command, opcosts)
		}
	}
}

// TestDocsGuideLiveLong follows the guide to a live server on one under load, in
// windows of a second.
func TestDocsGuideLiveLong(t *testing.T) {
	long(t)
	lacking(t, "mariadbd", "sysbench", "perf")
	if _, err := built(); err != nil {
		t.Fatal(err)
	}
	s := attachable(t)
	s.load(t, 2, 2*time.Minute)
	duration, live := regexp.MustCompile(`--duration \w+`), regexp.MustCompile(`opcost attach`)
	edit := func(text string) string {
		text = strings.ReplaceAll(text, "$(pidof mariadbd)", fmt.Sprint(s.PID()))
		text = duration.ReplaceAllString(text, "--duration 1s")
		return live.ReplaceAllString(text, strings.Join(append([]string{"opcost"}, s.attach()...), " "))
	}
	dir, opcosts := followed(t, "docs/guide-live-server.md", edit, map[string]string{})
	made(t, dir, "before.json", "before.pb.gz", "after.pb.gz", "change.html", "attach-*.json")
	if n := len(opcosts); n < 7 {
		t.Errorf("%d commands were run: %q", n, opcosts)
	}
}
