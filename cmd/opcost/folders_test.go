package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFolders: what cannot be used is said in words, and nothing is made.
func TestFolders(t *testing.T) {
	lacking(t, "mariadbd")
	dir := testDir(t, "versions: [{name: a, mysqld: installed}]\nrepeats: 1\ncounters: none\n")
	for _, link := range [][2]string{{"nowhere", "dangling"}, {"plan.yaml", "to-file"}} {
		if err := os.Symlink(link[0], filepath.Join(dir, link[1])); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		"--work none":       "--work none does not exist: give a folder",
		"--work plan.yaml":  "--work plan.yaml is not a folder",
		"--out plan.yaml":   "results folder plan.yaml: it is a file",
		"--out to-file":     "results folder to-file: it is a file",
		"--out dangling":    "results folder dangling: it is a symbolic link that leads nowhere",
		"--out plan.yaml/x": "results folder",
	} {
		o := start(t, dir, append([]string{"run", "plan.yaml"}, strings.Fields(args)...)...).wait()
		if o.code != exitUsage || !strings.Contains(o.stderr, want) || strings.Contains(o.stderr, "results: ") {
			t.Errorf("%s: exit %d, %s", args, o.code, o.stderr)
		}
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "none"))
	if err := folders(""); err == nil || !strings.Contains(err.Error(), "does not exist: set TMPDIR") {
		t.Errorf("TMPDIR: %v", err)
	}
	t.Setenv("TMPDIR", dir)
	if err := folders(dir); err != nil {
		t.Error(err)
	}
}

// TestReportDamaged: records that are there and cannot be used are no "not yet".
func TestReportDamaged(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"out/plans", "out/runs/cut", "out/runs/unfinished"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	o := start(t, dir, "report", "out").wait()
	if o.code != exitIncomplete || !strings.Contains(o.stderr, "no run has been measured yet") {
		t.Errorf("unfinished: exit %d, %s", o.code, o.stderr)
	}
	if err := os.WriteFile(filepath.Join(dir, "out/runs/cut/run.json"), []byte(`{"schema":1,"id":"cu`), 0o600); err != nil {
		t.Fatal(err)
	}
	o = start(t, dir, "report", "out").wait()
	if o.code != exitIncomplete || !strings.Contains(o.stderr, "ends too soon") || !strings.Contains(o.stderr, "none of the records can be used (1 ") {
		t.Errorf("damaged: exit %d, %s", o.code, o.stderr)
	}
}
