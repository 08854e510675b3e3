package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"opcost/testbed/figures"
)

// The estimate against a real run of the demonstration plan. On a machine that
// others use meanwhile the time says little, so the limits are wide; the figures
// are printed.
func TestBenchEstimate(t *testing.T) {
	if os.Getenv("OPCOST_BENCH") == "" {
		t.Skip("it runs the demonstration, for minutes: `make bench`, or OPCOST_BENCH=1, runs it")
	}
	lacking(t, "mariadbd", "valgrind", "perf")
	plan, err := filepath.Abs("../../examples/demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var need struct {
		Time time.Duration `json:"time_ns"`
		Disk int64         `json:"disk_bytes"`
	}
	o := start(t, dir, "run", plan, "--estimate", "--out", "out", "--format", "json").wait()
	if err := json.Unmarshal([]byte(o.stdout), &need); err != nil {
		t.Fatalf("%v: %s%s", err, o.stdout, o.stderr)
	}
	began := time.Now()
	c := start(t, dir, "run", plan, "--out", "out", "--noise", "none")
	most := int64(0)
	for done := false; !done; {
		select {
		case <-c.ended:
			done = true
		case <-time.After(300 * time.Millisecond):
			most = max(most, onDisk(filepath.Join(dir, "out")))
		}
	}
	took := time.Since(began)
	if o := c.wait(); o.code != 0 {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	time, disk := float64(took)/float64(need.Time), float64(most)/float64(need.Disk)
	figures.Say(t, figures.Figure{Name: "demonstration: time taken over time estimated", Limit: "a factor of 2.5", Met: math.Abs(math.Log(time)) <= math.Log(2.5),
		Seen: fmt.Sprintf("%.2f (%.0f s)", time, took.Seconds())})
	figures.Say(t, figures.Figure{Name: "demonstration: disk used over disk estimated", Limit: "a factor of 1.3", Met: math.Abs(math.Log(disk)) <= math.Log(1.3),
		Seen: fmt.Sprintf("%.2f (%d MB)", disk, most/1e6)})
	if math.Abs(math.Log(disk)) > math.Log(1.3) {
		t.Errorf("the disk is off by more than 30%%")
	}
	if d := math.Abs(math.Log(time)); d > math.Log(2.5) {
		t.Errorf("the time is off by a factor of %.1f", math.Exp(d))
	}
}

// onDisk is what a folder takes (as du says). What vanishes meanwhile is left out.
func onDisk(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := e.Info(); err == nil {
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				sum += st.Blocks * 512
			}
		}
		return nil
	})
	return sum
}
