package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// long skips what takes minutes, but for `make test-long`.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("OPCOST_TEST_LONG") != "1" {
		t.Skip("it takes minutes: `make test-long` (OPCOST_TEST_LONG=1) runs it")
	}
}

func planFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNarrow searches five builds of the installed server, of which the last
// three have performance_schema on. One of the good ones does not start.
func TestNarrow(t *testing.T) {
	long(t)
	lacking(t, "mariadbd", "valgrind")
	path := planFile(t, `
versions:
  - {name: b1, mysqld: mariadbd}
  - {name: b2, mysqld: mariadbd, options: [innodb-stats-auto-recalc=OFF]}
  - {name: b3, mysqld: mariadbd, options: [no-such-option-at-all=1]}
  - {name: b4, mysqld: mariadbd, options: [performance_schema=ON]}
  - {name: b5, mysqld: mariadbd, options: [performance_schema=ON, innodb-stats-auto-recalc=OFF]}
workloads: [point-query]
rows: 1000
clients: [1]
counters: callgrind
warmup: 200ms
operations: 300
`)
	out := filepath.Join(t.TempDir(), "out")
	o := opcost(t, "narrow", path, "--out", out, "--format", "json")
	if o.code != exitDone {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	var n struct {
		Metric string
		Builds []struct {
			Version string
			N       int
			Ratio   *float64
		}
		Answer struct {
			LastGood string `json:"last_good"`
			FirstBad string `json:"first_bad"`
		}
		Broken map[string]string
	}
	if err := json.Unmarshal([]byte(o.stdout), &n); err != nil {
		t.Fatal(err)
	}
	if n.Metric != "instructions_per_query" || n.Answer.FirstBad != "b4" || n.Answer.LastGood != "b2" || !strings.Contains(n.Broken["b3"], "no-such-option") {
		t.Errorf("%s", o.stdout)
	}
	// Again: what is on disk is enough, and no server is started.
	again := opcost(t, "narrow", path, "--out", out, "--format", "json")
	if again.code != exitDone || !strings.Contains(again.stdout, `"b4"`) {
		t.Errorf("exit %d: %s", again.code, again.stderr)
	}
}

func TestNarrowMistakes(t *testing.T) {
	plan := func(more string) string {
		return planFile(t, "versions:\n  - {name: a, mysqld: /bin/true}\n"+more)
	}
	two := "  - {name: b, mysqld: /bin/true}\n"
	for _, c := range []struct {
		want string
		args []string
	}{
		{"at least two versions", []string{plan("workloads: [scan]\nclients: [1]\n")}},
		{"one workload, not 2", []string{plan(two + "workloads: [scan, point-query]\nclients: [1]\n")}},
		{"one number of clients, not 2", []string{plan(two + "workloads: [scan]\nclients: [1, 4]\n")}},
		{"`budget:`", []string{plan(two + "workloads: [scan]\nclients: [1]\nbudget: 1h\n")}},
		{"--starts", []string{plan(two + "workloads: [scan]\nclients: [1]\n"), "--starts=1"}},
		{"--threshold", []string{plan(two + "workloads: [scan]\nclients: [1]\n"), "--threshold=2"}},
	} {
		o := inProcess(append([]string{"narrow"}, c.args...)...)
		if o.code != exitUsage || !strings.Contains(o.stderr, c.want) || o.stdout != "" {
			t.Errorf("%v: exit %d, %q; want %q", c.args, o.code, o.stderr, c.want)
		}
	}
}
