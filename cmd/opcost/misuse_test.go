package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"opcost/perfctl/result"
)

func TestMisuse(t *testing.T) {
	for args, want := range map[string]string{
		"repotr x":           `opcost: there is no command repotr, did you mean "report"?` + "\n",
		"zzzzzzzz":           "opcost: there is no command zzzzzzzz\n",
		"doctor x":           "opcost: unexpected argument x\n",
		"report --colour x":  "opcost: unknown flag --colour\n",
		"completion tcsh":    "opcost: <shell> must be one of bash, zsh, fish but got \"tcsh\"\n",
		"report no-such-dir": "opcost: results: no-such-dir does not exist; name the folder given to `opcost run --out`\n",
	} {
		if o := opcost(t, strings.Fields(args)...); o.code != exitUsage || !strings.HasPrefix(o.stderr, want) || o.stdout != "" {
			t.Errorf("opcost %s: exit %d, stdout %q, stderr\n%swant\n%s", args, o.code, o.stdout, o.stderr, want)
		}
	}
}

// TestFailedStart: the log that the message names is there when it is read.
func TestFailedStart(t *testing.T) {
	lacking(t, "mariadbd")
	dir := testDir(t, "versions: [{name: a, mysqld: installed, options: [no-such-option=1]}]\nrepeats: 1\ncounters: none\n")
	o := start(t, dir, "run", "plan.yaml", "--out", "out").wait()
	if o.code != exitIncomplete || !strings.Contains(o.stderr, "refused option: no-such-option") && !strings.Contains(o.stderr, "refused option: no_such_option") {
		t.Fatalf("exit %d, %s", o.code, o.stderr)
	}
	log := filepath.Join(dir, "out", "logs", "a", "initialise.err")
	if !strings.Contains(o.stderr, "its log: "+log+"\n") {
		t.Errorf("names another log than %s:\n%s", log, o.stderr)
	}
	if text, err := os.ReadFile(log); err != nil || !strings.Contains(string(text), "unknown variable") {
		t.Errorf("the log: %v, %s", err, text)
	}
	nothingAlive(t, dir)
	nothingLeft(t, dir, "out")
}

// TestUnknownBase: a version that a plan did not measure is wrong use of report.
func TestUnknownBase(t *testing.T) {
	runs := []result.Run{{Version: "old"}, {Version: "new"}, {Version: "old"}}
	for _, base := range []string{"", "old", "new"} {
		if err := has(runs, base); err != nil {
			t.Errorf("base %q: %v", base, err)
		}
	}
	if err := has(runs, "odl"); err == nil || !strings.Contains(err.Error(), `version "odl"; there are: old, new`) {
		t.Errorf("%v", err)
	}
}
