package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"opcost/perfctl"
	"opcost/perfctl/report"
)

func TestFits(t *testing.T) {
	need := perfctl.Need{Starts: 1, Disk: 1000e6}
	for _, c := range []struct {
		free          int64
		warns, refuse bool
	}{{2000e6, false, false}, {1000e6, false, false}, {900e6, true, false}, {600e6, false, true}} {
		warning, err := fits(need, c.free, "/data")
		if (warning != "") != c.warns || (err != nil) != c.refuse {
			t.Errorf("%d free: %q, %v", c.free, warning, err)
		}
		if err != nil {
			for _, want := range []string{"1000 MB", "600 MB", "/data", "--work"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in %v", want, err)
				}
			}
		}
	}
	if w, err := fits(perfctl.Need{}, 0, "/data"); w != "" || err != nil {
		t.Errorf("nothing to measure on a full disk: %q, %v", w, err)
	}
}

func TestWriteNeed(t *testing.T) {
	need := perfctl.Need{Starts: 3, Time: 3 * time.Hour, Screen: 2 * time.Hour, Disk: 550e6,
		Parts:  []perfctl.NeedPart{{What: "load", Number: 2, Time: 30 * time.Second}, {What: "start under valgrind", Number: 1, Time: 5 * time.Minute}},
		Copies: []perfctl.NeedCopy{{Version: "a", Copies: 2, Bytes: 131e6}}}
	var b bytes.Buffer
	if err := writeNeed(&b, report.Table, need, 80e9, "/d"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"time  about 3.0 h\n", "2 loads 30 s, 1 start under valgrind 5 min\n", "disk  about 550 MB of 80 GB free in /d\n", "a: 2 copies of 131 MB\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	b.Reset()
	need.Budget = time.Hour
	if err := writeNeed(&b, report.Table, need, 80e9, "/d"); err != nil || !strings.Contains(b.String(), "about 2.0 h for two starts of every cell; then up to the budget of 60 min") {
		t.Errorf("%v %s", err, b.String())
	}
	if w := overBudget(need); !strings.Contains(w, "2.0 h") || !strings.Contains(w, "60 min") {
		t.Errorf("warning %q", w)
	}
	need.Budget = 3 * time.Hour
	if w := overBudget(need); w != "" {
		t.Errorf("warning %q", w)
	}
	if err := writeNeed(&b, report.CSV, need, 1, "/d"); err == nil {
		t.Error("CSV was taken")
	}
}

// The estimate makes nothing, and says what is left of a plan.
func TestEstimateCommand(t *testing.T) {
	lacking(t, "mariadbd")
	dir := t.TempDir()
	plan := filepath.Join(dir, "p.yaml")
	if err := os.WriteFile(plan, []byte(twoQuick+"repeats: 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	estimate := func() (need struct {
		Schema int   `json:"schema"`
		Starts int   `json:"starts"`
		Time   int64 `json:"time_ns"`
		Disk   int64 `json:"disk_bytes"`
		Free   int64 `json:"free_bytes"`
	}) {
		t.Helper()
		o := start(t, dir, "run", plan, "--estimate", "--out", "none/yet", "--format", "json").wait()
		if err := json.Unmarshal([]byte(o.stdout), &need); err != nil || o.code != 0 {
			t.Fatalf("exit %d, %v: %s%s", o.code, err, o.stdout, o.stderr)
		}
		return need
	}
	n := estimate()
	if n.Schema != 1 || n.Starts != 4 || n.Time < int64(time.Second) || n.Time > int64(5*time.Minute) || n.Disk < 50e6 || n.Free <= 0 {
		t.Errorf("%+v", n)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("the estimate made a folder")
	}
	if o := opcost(t, "run", plan, "--estimate", "--format", "csv"); o.code != exitUsage || !strings.Contains(o.stderr, "prints table and json") {
		t.Errorf("exit %d: %s", o.code, o.stderr)
	}
}
