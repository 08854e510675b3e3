package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"opcost/perfctl/result"
)

// threeStarts has windows long enough for a disk to get full in.
const threeStarts = oneVersion + "duration: 4s\nrepeats: 3\ncounters: none\n"

// stopsAtOnce: the second of three starts met a full disk. What was measured is
// kept and shown, the third is not begun.
func (f *faulty) stopsAtOnce(o outcome) map[string]string {
	f.t.Helper()
	if strings.Contains(o.stderr, "r02-") || !strings.Contains(o.stdout, "qps") {
		f.t.Errorf("it went on, or printed no table:\n%s\n%s", o.stderr, o.stdout)
	}
	runs := kept(f.t, f.dir, "out")
	if len(runs) != 2 {
		f.t.Fatalf("%d runs are kept, want the whole one and the one that was cut short", len(runs))
	}
	for id, text := range runs {
		if whole := strings.HasPrefix(id, "r00"); complete(f.t, text) != whole {
			f.t.Errorf("%s: complete %v\n%s", id, !whole, text)
		}
	}
	return runs
}

// TestFaultDiskFullResults fills the disk of the results in a window: run.json,
// evidence and logs cannot be written. The record of that window has room set
// aside, nothing further is measured, and with room again the rest is.
func TestFaultDiskFullResults(t *testing.T) {
	f := fault(t, threeStarts)
	smallDisk(t, filepath.Join(f.dir, "out"), "8m")
	f.args = []string{"--work", "."}
	c := f.start()
	c.until("r01-a-point-query-c1-count: point-query, 1 client: window 1 of")
	free := fillUp(t, filepath.Join(f.dir, "out", "logs"), 0)
	o := f.ends(c, exitIncomplete, "the disk of out (the results) is full", "make room there", "the same command then goes on with what is missing")
	runs := f.stopsAtOnce(o)

	// As long as it is full, the same command is refused before a server starts.
	o = f.start().wait()
	if o.code != exitIncomplete || strings.Contains(o.stderr, "start the server") {
		t.Errorf("again on the full disk: exit %d\n%s", o.code, o.stderr)
	}
	said(t, "again on the full disk", o.stderr, "full")
	free()
	f.again()
	for id, text := range kept(t, f.dir, "out") {
		if strings.HasPrefix(id, "r00") && text != runs[id] {
			t.Errorf("%s was measured again", id)
		}
	}
}

// TestFaultDiskFullData fills the disk of the servers' data: in a window, and
// while the data are made.
func TestFaultDiskFullData(t *testing.T) {
	f := fault(t, threeStarts)
	f.replan("point-query", "update-index")
	work := filepath.Join(f.dir, "work")
	smallDisk(t, work, "400m")
	f.args = []string{"--work", "work"}
	c := f.start()
	c.until("a: initialise and load")
	free := fillUp(t, work, 0)
	full := []string{"the disk of work (the servers' data) is full", "make room there", "--work DIR on another disk"}
	f.ends(c, exitIncomplete, append(full, "no run has been measured yet")...)
	if n := len(kept(t, f.dir, "out")); n != 0 {
		t.Errorf("%d runs of no data", n)
	}
	holdsOnly(t, work, "filler")

	free()
	c = f.start()
	c.until("r01-a-update-index-c1-count: update-index, 1 client: window 1 of")
	free = fillUp(t, work, 0)
	o := f.ends(c, exitIncomplete, full...)
	f.stopsAtOnce(o)
	holdsOnly(t, work, "filler")
	free()
	f.again()
}

// replan changes a word of the plan.
func (f *faulty) replan(old, new string) {
	f.t.Helper()
	path := filepath.Join(f.dir, "plan.yaml")
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o600)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// TestFaultDiskFullAttach has no room for the files of an attach: the tables are
// printed all the same.
func TestFaultDiskFullAttach(t *testing.T) {
	long(t)
	lacking(t, "mariadbd", "perf", "sysbench")
	full := filepath.Join(t.TempDir(), "full")
	smallDisk(t, full, "64k")
	fillUp(t, full, 0)
	s := attachable(t)
	s.load(t, 1, time.Minute)
	baseline, profile := filepath.Join(full, "baseline.json"), filepath.Join(full, "profile.pb.gz")
	o := opcost(t, s.attach("--duration", "1s", "--baseline", baseline, "--profile", "--profile-out", profile)...)
	if o.code != exitIncomplete || !strings.Contains(o.stdout, "CPU/query") {
		t.Errorf("exit %d, and printed\n%s", o.code, o.stdout)
	}
	said(t, "attach", o.stderr, baseline, profile, "no space left on device", "make room")
	holdsOnly(t, full, "filler")
}

// TestFaultDiskFullProfile fills the results' disk while a window is sampled:
// what was counted before is kept, and there is no half of a profile.
func TestFaultDiskFullProfile(t *testing.T) {
	f := fault(t, oneVersion+"duration: 4s\nrepeats: 1\ncounters: none\nprofile: true\n", "perf")
	smallDisk(t, filepath.Join(f.dir, "out"), "8m")
	f.args = []string{"--work", "."}
	c := f.start()
	c.until("1 client: profile (4s)")
	free := fillUp(t, filepath.Join(f.dir, "out", "logs"), 0)
	f.ends(c, exitIncomplete, "the disk of out (the results) is full")
	for id, text := range kept(t, f.dir, "out") {
		if !strings.Contains(text, `"kind":"count"`) || complete(t, text) {
			t.Errorf("%s lacks its counting pass, or counts as complete: %s", id, text)
		}
		if halves, _ := filepath.Glob(filepath.Join(f.dir, "out", "runs", id, "evidence", result.ProfileFile)); len(halves) > 0 {
			t.Errorf("a profile on a full disk: %q", halves)
		}
	}
	f.whole(f.row(1), "qps", "cpu_us_per_query")
	free()
	f.again()
}
