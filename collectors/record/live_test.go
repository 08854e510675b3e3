package record

import (
	"bufio"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"opcost/collectors"
	"opcost/collectors/child"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// TestMain lets the test binary play a process to be sampled.
func TestMain(m *testing.M) {
	if os.Getenv("OPCOST_TEST_ROLE") == "spinner" {
		for {
			spin(time.Hour)
		}
	}
	os.Exit(m.Run())
}

// spinner is a process that uses one CPU, or none.
func spinner(t *testing.T, busy bool) int {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	if busy {
		cmd = exec.Command("/proc/self/exe")
		cmd.Env = append(os.Environ(), "OPCOST_TEST_ROLE=spinner")
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd.Process.Pid
}

// here asks perf itself; the test is skipped where it cannot sample.
func here(t *testing.T) probe.Caps {
	t.Helper()
	caps := probe.Ask(t.Context())
	for _, a := range []probe.Ability{caps.Perf.Ability, caps.Perf.Control} {
		if !a.OK {
			if os.Getenv("OPCOST_TEST_ALL") != "" {
				t.Fatal(a.Reason)
			}
			t.Skip(a.Reason)
		}
	}
	return caps
}

func value(t *testing.T, rs []result.Reading, name string) float64 {
	t.Helper()
	for _, r := range rs {
		if r.Name == name && r.Value != nil {
			return *r.Value
		}
	}
	t.Fatalf("no %s:\n%s%s", name, briefs(rs), reasons(rs))
	return 0
}

// The samples are those of the window: as many, and of as much CPU, as perf
// script and the process's own clock say.
func TestLive(t *testing.T) {
	caps := here(t)
	pid := spinner(t, true)
	target := collectors.Target{PID: pid, Evidence: t.TempDir(), Tag: "profile"}
	a, err := New(Options{Event: ClockEvent}).Arm(t.Context(), target, caps)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond) // not in the window
	if err := a.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	first, _ := child.CPUTime(pid)
	time.Sleep(time.Second)
	last, _ := child.CPUTime(pid)
	if err := a.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	rs, err := a.Close()
	if err != nil {
		t.Fatal(err)
	}
	// A second reader of the same file.
	out, err := exec.Command("perf", "script", "-i", filepath.Join(target.Evidence, DataFile("profile")), "-F", "event,period").Output()
	if err != nil {
		t.Fatal(err)
	}
	var samples, period float64
	for s := bufio.NewScanner(strings.NewReader(string(out))); s.Scan(); {
		f := strings.Fields(s.Text())
		n, err := strconv.ParseFloat(f[0], 64)
		if err != nil || !strings.HasPrefix(f[1], ClockEvent) {
			t.Fatalf("perf script: %q", s.Text())
		}
		samples++
		period += n
	}
	if samples == 0 || value(t, rs, samplesName) != samples || value(t, rs, "profile_cpu_us") != period/1e3 {
		t.Errorf("%ssamples %v, periods %v by perf script", briefs(rs), samples, period)
	}
	cpu := float64(last-first) / 1e3
	if seen := value(t, rs, "profile_cpu_us"); math.Abs(seen/cpu-1) > 0.15 {
		t.Errorf("%v us in samples, %v us by the process's clock", seen, cpu)
	}
}

// A process that does nothing is sampled well, and has no sample.
func TestLiveIdle(t *testing.T) {
	caps := here(t)
	target := collectors.Target{PID: spinner(t, false), Evidence: t.TempDir(), Tag: "profile"}
	a, err := New(Options{CallGraph: DWARF}).Arm(t.Context(), target, caps)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Begin(t.Context()), a.End(t.Context())); err != nil {
		t.Fatal(err)
	}
	if rs, err := a.Close(); err != nil || rs[0].State != result.OK || *rs[0].Value != 0 {
		t.Errorf("%v\n%s%s", err, briefs(rs), reasons(rs))
	}
}

// A process that ends in the window leaves what was sampled, marked partial.
func TestLiveEnds(t *testing.T) {
	caps := here(t)
	pid := spinner(t, true)
	a, err := New(Options{Event: ClockEvent}).Arm(t.Context(), collectors.Target{PID: pid, Evidence: t.TempDir(), Tag: "profile"}, caps)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if err := a.End(t.Context()); err == nil {
		t.Error("the end of a process was not seen")
	}
	rs, err := a.Close()
	if err != nil || rs[0].State != result.Partial || !strings.Contains(rs[0].Reason, "gone") && !strings.Contains(rs[0].Reason, "ended") {
		t.Errorf("%v\n%s%s", err, briefs(rs), reasons(rs))
	}
	if _, err := New(Options{}).Arm(t.Context(), collectors.Target{PID: 1 << 22, Evidence: t.TempDir()}, caps); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("a process that is gone: %v", err)
	}
}
