package host

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"opcost/collectors/child"
	"opcost/perfctl/result"
)

// vmstat gives the absolute counters of `vmstat -s`, by their names there.
func vmstat(t *testing.T) map[string]float64 {
	t.Helper()
	out, _, err := child.Output(t.Context(), "vmstat", "-s")
	if err != nil {
		skip := t.Skipf
		if os.Getenv("OPCOST_TEST_ALL") == "1" {
			skip = t.Fatalf
		}
		skip("no vmstat (apt-get install procps): %v", err)
	}
	m := map[string]float64{}
	for _, l := range regexp.MustCompile(`(?m)^\s*(\d+) (.*)$`).FindAllStringSubmatch(out, -1) {
		m[l[2]], _ = strconv.ParseFloat(l[1], 64)
	}
	return m
}

// TestLive holds a window between two of vmstat's and around two more: its
// differences cannot be outside of theirs.
func TestLive(t *testing.T) {
	var inner [2]map[string]float64
	outer0 := vmstat(t)
	disks0 := diskReads(t)
	got := measure(t, New(), func() {
		inner[0] = vmstat(t)
		for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
		}
		inner[1] = vmstat(t)
	})
	outer1 := vmstat(t)
	for reading, names := range map[string][]string{
		"host_context_switches": {"CPU context switches"},
		"host_interrupts":       {"interrupts"},
		"host_cpu_user_us":      {"non-nice user cpu ticks", "nice user cpu ticks"},
		"host_cpu_system_us":    {"system cpu ticks"},
		"host_cpu_idle_us":      {"idle cpu ticks"},
		"host_cpu_steal_us":     {"stolen cpu ticks"},
	} {
		r := got[reading]
		if r.State != result.OK {
			t.Errorf("%s: %+v", reading, r)
			continue
		}
		unit := 1.0
		if r.Unit == "us" {
			unit = tickUS
		}
		var low, high float64
		for _, n := range names {
			if _, there := outer0[n]; !there {
				t.Fatalf("vmstat -s has no line %q: %v", n, outer0)
			}
			low += unit * (inner[1][n] - inner[0][n])
			high += unit * (outer1[n] - outer0[n])
		}
		if *r.Value < low-0.5 || *r.Value > high+0.5 {
			t.Errorf("%s is %g, vmstat says %g to %g", reading, *r.Value, low, high)
		}
	}
	// The busy loop above was ours.
	if v := got["client_cpu_us"]; v.Value == nil || *v.Value < 50_000 || *v.Value > 5e6 {
		t.Errorf("client_cpu_us: %+v, want about 300 ms", v)
	}
	if r := got["host_reads"]; r.State != result.OK || *r.Value < 0 || *r.Value > diskReads(t)-disks0 {
		t.Errorf("host_reads: %+v, more than /sys/block says", r)
	}
	t.Logf("%+v: %s", *got["host_disks"].Value, got["host_disks"].Reason)
}

// diskReads sums /sys/block/*/stat, loop and dm devices included: no less than
// what the whole disks read.
func diskReads(t *testing.T) float64 {
	t.Helper()
	files, _ := filepath.Glob("/sys/block/*/stat")
	var sum float64
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := strconv.ParseFloat(strings.Fields(string(b))[0], 64)
		sum += n
	}
	return sum
}
