package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"opcost/perfctl/result"
)

// small begins a plan that is measured in seconds. The last lines of a test's
// plan say how many repeats, and who counts.
const small = `options: [innodb-buffer-pool-size=32M, innodb-log-file-size=8M, skip-log-bin]
workloads: [point-query]
rows: 500
clients: [1]
warmup: 0s
`

// testDir makes a folder with a plan in it; for commands that are run there.
// Its name has no links, and is short enough for sockets.
func testDir(t *testing.T, text string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	writePlan(t, dir, text)
	t.Cleanup(func() { // what a failed test has let live must not outlive it
		for _, p := range alive(t, dir) {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
	})
	return dir
}

func writePlan(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "plan.yaml"), []byte(small+text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// kept reads the record of each run that has one, by its id.
func kept(t *testing.T, dir, out string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, out, "runs", "*", "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(filepath.Dir(f))] = string(text)
	}
	return texts
}

// complete tells of a run's record whether the run need not be made again.
func complete(t *testing.T, text string) bool {
	t.Helper()
	var r result.Run
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	return r.Complete()
}

// table is `opcost report`, as the JSON that the design fixes.
type table struct {
	Rows []struct {
		Version string `json:"version"`
		Metrics map[string]struct {
			Value *float64 `json:"value"`
			N     int      `json:"n"`
			State string   `json:"state"`
		} `json:"metrics"`
	} `json:"rows"`
}

// wantTable checks that a report has each version's values from all starts.
func wantTable(t *testing.T, dir, out string, versions, starts int, metrics ...string) {
	t.Helper()
	o := start(t, dir, "report", out, "--format", "json").wait()
	if o.code != exitDone || strings.Contains(o.stderr, "warning:") {
		t.Fatalf("report: exit %d, %s", o.code, o.stderr)
	}
	var got table
	if err := json.Unmarshal([]byte(o.stdout), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Rows) != versions {
		t.Errorf("%d rows, want %d", len(got.Rows), versions)
	}
	for _, row := range got.Rows {
		for _, name := range metrics {
			if m := row.Metrics[name]; m.Value == nil || *m.Value <= 0 || m.N != starts || m.State != "ok" {
				t.Errorf("%s: %s is %+v, want a value from %d starts", row.Version, name, m, starts)
			}
		}
	}
}

func inTime(limit time.Duration, is func() bool) bool {
	for until := time.Now().Add(limit); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		if is() {
			return true
		}
	}
	return false
}
