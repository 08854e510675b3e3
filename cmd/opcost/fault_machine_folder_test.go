package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFaultReadOnly: results that cannot be written are refused before anything
// is started, new and begun ones.
func TestFaultReadOnly(t *testing.T) {
	lacking(t, "mariadbd")
	dir := testDir(t, oneVersion+"duration: 100ms\nrepeats: 1\ncounters: none\n")
	disk := filepath.Join(dir, "disk")
	smallDisk(t, disk, "1m")
	if o := inProcess("import", importFile(t, "box_dop1/qps.abs.tsv", importTable), "--out", filepath.Join(disk, "begun")); o.code != exitDone {
		t.Fatal(o.stderr)
	}
	if err := os.Mkdir(filepath.Join(disk, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("", disk, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--out", "disk/new"}, {"--out", "disk/empty"}, {"--out", "disk/begun"}, {"--out", "out", "--work", "disk"}} {
		o := start(t, dir, append([]string{"run", "plan.yaml"}, args...)...).wait()
		if o.code != exitUsage || o.stdout != "" || strings.Contains(o.stderr, "initialise") {
			t.Errorf("%v: exit %d\n%s%s", args, o.code, o.stdout, o.stderr)
		}
		said(t, strings.Join(args, " "), o.stderr, args[len(args)-1], "read-only")
	}
	if o := inProcess("import", importFile(t, "box_dop1/qps.abs.tsv", importTable), "--out", filepath.Join(disk, "imported")); o.code != exitUsage {
		t.Errorf("import: exit %d, %s", o.code, o.stderr)
	}
	if o := inProcess("report", filepath.Join(disk, "begun"), "--noise", "none"); o.code != exitDone || !strings.Contains(o.stdout, "5,235") {
		t.Errorf("what is there can be read: exit %d\n%s%s", o.code, o.stdout, o.stderr)
	}
}

// TestFaultTwoRuns: of two with one folder the second is refused, and the first
// is not disturbed.
func TestFaultTwoRuns(t *testing.T) {
	f := fault(t, oneVersion+"duration: 3s\nrepeats: 1\ncounters: none\n")
	c := f.start()
	c.until("window 1 of")
	o := f.start().wait()
	if o.code != exitUsage || o.stdout != "" || strings.Contains(o.stderr, "initialise") {
		t.Errorf("the second: exit %d\n%s", o.code, o.stderr)
	}
	said(t, "the second", o.stderr, "results folder out: another opcost is writing to it", "wait for it, or name another folder")
	o = inProcess("import", importFile(t, "box_dop1/qps.abs.tsv", importTable), "--out", filepath.Join(f.dir, "out"))
	if o.code != exitUsage {
		t.Errorf("import: exit %d", o.code)
	}
	said(t, "import", o.stderr, "another opcost is writing to it")
	f.ends(c, exitDone)
	f.whole(f.row(1), "qps", "cpu_us_per_query")
	for id, text := range kept(t, f.dir, "out") {
		if !complete(t, text) {
			t.Errorf("%s is not complete", id)
		}
	}
}

// TestFaultResultsRemoved: the folder goes, or another is put in its place, while
// a window is measured. Nothing is written to what is there then, and no further
// start is made.
func TestFaultResultsRemoved(t *testing.T) {
	for name, remove := range map[string]func(out string) error{
		"removed": os.RemoveAll,
		"moved":   func(out string) error { return os.Rename(out, out+"-moved") },
		"replaced": func(out string) error {
			if err := os.Rename(out, out+"-moved"); err != nil {
				return err
			}
			return os.Mkdir(out, 0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := fault(t, oneVersion+"duration: 2s\nrepeats: 3\ncounters: none\n")
			f.args = []string{"--work", "."}
			c := f.start()
			c.until("r00-a-point-query-c1-count: point-query, 1 client: window 1 of")
			if err := remove(filepath.Join(f.dir, "out")); err != nil {
				t.Fatal(err)
			}
			o := c.wait()
			if o.code != exitIncomplete || strings.Contains(o.stderr, "r01-") {
				t.Errorf("exit %d\n%s", o.code, o.stderr)
			}
			said(t, name, o.stderr, "results folder out takes no more runs: ", "it was removed while it was written to, or another was put in its place", "leave it where it is")
			nothingAlive(t, f.dir)
			holdsOnly(t, f.dir, "plan.yaml", "tmp", "out", "out-moved")
			holdsOnly(t, tmp(f.dir))
			if entries, _ := os.ReadDir(filepath.Join(f.dir, "out")); len(entries) > 0 {
				t.Errorf("it was written to: %v", entries)
			}
		})
	}
}
