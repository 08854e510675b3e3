package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// limited runs the program behind a shell that sets limits first.
func limited(t *testing.T, dir, limits string, args ...string) outcome {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return startArgv(t, dir, nil, nil, append([]string{"sh", "-c", limits + ` && exec "$0" "$@"`, path}, args...)...).wait()
}

// TestFaultFewFiles: a plan that needs more open files than a program may have
// here is refused before anything is started.
func TestFaultFewFiles(t *testing.T) {
	lacking(t, "mariadbd")
	dir := testDir(t, "")
	text := strings.Replace(small, "clients: [1]", "clients: [4, 250]", 1) + oneVersion + "duration: 100ms\nrepeats: 1\ncounters: none\n"
	if err := os.WriteFile(filepath.Join(dir, "plan.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := limited(t, dir, "ulimit -n 256", "run", "plan.yaml", "--out", "out")
	if o.code != exitUsage || o.stdout != "" || strings.Contains(o.stderr, "initialise") {
		t.Errorf("exit %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	said(t, "run", o.stderr, "a program may have 256 files open here (ulimit -n)", "the plan needs 378", "ulimit -n 1024")
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("a results folder was made")
	}
	o = limited(t, dir, "ulimit -n 24", "attach", "--pid", "1")
	if o.code != exitUsage {
		t.Errorf("attach: exit %d", o.code)
	}
	said(t, "attach", o.stderr, "is no MySQL or MariaDB server") // few files, and yet the right reason
}

// TestFaultFewFilesEnough measures with as few open files as the check lets pass.
func TestFaultFewFilesEnough(t *testing.T) {
	f := fault(t, oneVersion+"duration: 500ms\nrepeats: 1\ncounters: auto\nprofile: true\n", "perf")
	noValgrind(f)
	o := limited(t, f.dir, fmt.Sprintf("export PATH=%s:$PATH; ulimit -n %d", filepath.Join(f.dir, "bin"), leastFiles+1), "run", "plan.yaml", "--out", "out")
	if o.code != exitDone {
		t.Errorf("exit %d\n%s", o.code, o.stderr)
	}
	f.whole(f.row(1), "qps", "cpu_us_per_query", "task_clock_us_per_query")
	nothingAlive(t, f.dir)
}

// TestFaultNoTemporary: without a place for temporary files nothing is begun.
func TestFaultNoTemporary(t *testing.T) {
	lacking(t, "mariadbd")
	dir := testDir(t, oneVersion+"duration: 100ms\nrepeats: 1\ncounters: none\n")
	full := filepath.Join(dir, "full")
	smallDisk(t, full, "64k")
	fillUp(t, full, 0)
	file := filepath.Join(dir, "plan.yaml")
	for tmp, why := range map[string]string{
		filepath.Join(dir, "none"): "does not exist",
		file:                       "is not a folder",
		full:                       "is on a disk that is full",
	} {
		for _, args := range [][]string{{"run", "plan.yaml", "--out", "out"}, {"attach"}} {
			o := startIn(t, dir, []string{"TMPDIR=" + tmp}, nil, args...).wait()
			if o.code != exitUsage || o.stdout != "" {
				t.Errorf("%s: exit %d\n%s%s", args[0], o.code, o.stdout, o.stderr)
			}
			said(t, args[0], o.stderr, "the folder for temporary files, "+tmp, why, "set TMPDIR to one with room")
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("a results folder was made")
	}
	holdsOnly(t, full, "filler")
}

// TestFaultLongTemporary: where a socket's path would be too long among the
// temporary files, it is elsewhere.
func TestFaultLongTemporary(t *testing.T) {
	f := fault(t, oneVersion+"duration: 200ms\nrepeats: 1\ncounters: none\n")
	deep := filepath.Join(f.dir, strings.Repeat("d", 120))
	if err := os.Mkdir(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	f.env = []string{"TMPDIR=" + deep}
	f.ends(f.start(), exitDone)
	f.whole(f.row(1), "qps", "cpu_us_per_query")
	holdsOnly(t, deep)
}

// TestFaultNoHome: what looks for files of the user does without.
func TestFaultNoHome(t *testing.T) {
	counted := filepath.Join(t.TempDir(), "counted")
	if o := inProcess("import", importFile(t, "box_dop1/qps.abs.tsv", importTable), "--out", counted); o.code != exitDone {
		t.Fatal(o.stderr)
	}
	dir := testDir(t, oneVersion+"duration: 100ms\nrepeats: 1\ncounters: none\n")
	const unset = "unset HOME XDG_STATE_HOME"
	if o := limited(t, dir, unset, "report", counted); o.code != exitDone || o.stderr != "" || !strings.Contains(o.stdout, "5,235") {
		t.Errorf("report: exit %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	o := limited(t, dir, unset, "run", "plan.yaml", "--noise-floor")
	if o.code != exitUsage || strings.Contains(o.stderr, "initialise") {
		t.Errorf("noise floor: exit %d\n%s", o.code, o.stderr)
	}
	said(t, "noise floor", o.stderr, "neither XDG_STATE_HOME nor HOME is set", "--noise FILE")
}

// TestFaultNoHomeMeasured: run and attach need no home.
func TestFaultNoHomeMeasured(t *testing.T) {
	f := fault(t, oneVersion+"duration: 200ms\nrepeats: 1\ncounters: auto\n")
	noValgrind(f)
	o := limited(t, f.dir, "unset HOME XDG_STATE_HOME; export PATH="+filepath.Join(f.dir, "bin")+":$PATH", "run", "plan.yaml", "--out", "out")
	if o.code != exitDone {
		t.Errorf("run: exit %d\n%s", o.code, o.stderr)
	}
	f.whole(f.row(1), "qps", "cpu_us_per_query")
	s := attachable(t)
	s.load(t, 1, time.Minute)
	parseLive(t, limited(t, f.dir, "unset HOME", s.attach("--duration", "500ms", "--format", "json")...))
}

// TestFaultHiddenProcesses attaches as a user to whom /proc hides the server's
// process: it says so, and as whom to run.
func TestFaultHiddenProcesses(t *testing.T) {
	long(t)
	lacking(t, "mariadbd", "unshare", "setpriv", "sysbench")
	hide := []string{"unshare", "--mount", "--", "sh", "-c", `mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid nobody --regid nogroup --clear-groups -- "$@"`, "sh"}
	if out, err := exec.Command(hide[0], append(hide[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("processes cannot be hidden here: %v: %s", err, out)
	}
	s := attachable(t)
	s.load(t, 1, time.Minute)
	o := behind(t, nil, hide, "attach", "--pid", fmt.Sprint(s.PID()), "--no-login")
	if o.code != exitUsage || o.stdout != "" {
		t.Errorf("by pid: exit %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	said(t, "by pid", o.stderr, "hidepid", "run opcost as root or as the server's user")
}
