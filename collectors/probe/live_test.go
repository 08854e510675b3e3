package probe

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const roleEnv = "OPCOST_TEST_ROLE"

// TestMain lets the test binary be somebody else who asks.
func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) == "ask" {
		if err := json.NewEncoder(os.Stdout).Encode(Ask(context.Background())); err != nil {
			os.Exit(3)
		}
		return
	}
	os.Exit(m.Run())
}

func needPerf(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("perf"); err != nil {
		if os.Getenv("OPCOST_TEST_ALL") == "1" {
			t.Fatal("OPCOST_TEST_ALL=1, but there is no perf on PATH")
		}
		t.Skip("no perf on PATH: apt-get install linux-perf")
	}
}

// What is said of this machine is what its own tools say.
func TestLiveAsk(t *testing.T) {
	needPerf(t)
	start := time.Now()
	c := Ask(t.Context())
	t.Logf("asked in %v", time.Since(start))
	said := func(name string, args ...string) string {
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return strings.TrimSpace(string(out))
	}
	if got := said("uname", "-r"); c.Kernel != got {
		t.Errorf("kernel %q, uname says %q", c.Kernel, got)
	}
	if got := said("perf", "--version"); got != "perf version "+c.Perf.Version {
		t.Errorf("perf %q, it says %q", c.Perf.Version, got)
	}
	if got := said("getconf", "_NPROCESSORS_ONLN"); got != strconv.Itoa(c.CPUs) {
		t.Errorf("%d CPUs, getconf says %s", c.CPUs, got)
	}
	if c.User.UID != os.Geteuid() || c.Host.MemoryKB == 0 || c.Host.Load1 < 0 {
		t.Errorf("%+v %+v", c.User, c.Host)
	}
	if e := c.Perf.Events["task-clock"]; !e.OK {
		t.Errorf("task-clock: %+v", e)
	}
	for name, e := range c.Perf.Events {
		if !e.OK && e.Reason == "" {
			t.Errorf("%s neither works nor says why", name)
		}
	}
	if c.Perf.PMU.OK == (c.Perf.Counters == 0) {
		t.Errorf("PMU %+v with %d counters", c.Perf.PMU, c.Perf.Counters)
	}
	t.Logf("PMU %+v, %d counters", c.Perf.PMU, c.Perf.Counters)
	if !c.Perf.PMU.OK && (c.Perf.PMU.Reason == "" || c.Perf.PMU.Remedy == "") {
		t.Errorf("PMU: %+v", c.Perf.PMU)
	}
}

// The kernel's own way and perf's agree on whether there is a PMU.
func TestLiveSelfTestAgreesWithPerf(t *testing.T) {
	needPerf(t)
	n, err := kernelCounter{}.instructions(shortLoop)
	works := Ask(t.Context()).Perf.Events["instructions:u"].OK
	if (err == nil && n > 0) != works {
		t.Errorf("perf_event_open: %d instructions, %v; perf counts them: %v", n, err, works)
	}
}

// The machinery of groups on events that every kernel has.
func TestLiveGroupOfSoftwareEvents(t *testing.T) {
	onOwnThread(func() {
		attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_TASK_CLOCK}
		g, err := openGroup(attr, 3)
		if err != nil {
			t.Errorf("open: %v", err)
			return
		}
		defer g.close()
		ns, always, err := g.count(longLoop)
		if err != nil || !always || ns < 1000 {
			t.Errorf("%d ns, always %v, %v", ns, always, err)
		}
	})
}

// Nobody may not count the kernel: perf makes context-switches user-only, in
// silence, and that must not become a 0.
func TestLiveUnprivileged(t *testing.T) {
	needPerf(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can become nobody")
	}
	dir, err := os.MkdirTemp("", "opcost-probe-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	exe := filepath.Join(dir, "ask")
	self, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(exe, self, 0o755)
	}
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = []string{roleEnv + "=ask", "PATH=" + os.Getenv("PATH"), "TMPDIR=/tmp"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	cmd.Stderr = os.Stderr
	cmd.Dir = "/"
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var c Caps
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatal(err)
	}
	if c.User.UID != 65534 || c.User.Perfmon || c.User.Ptrace {
		t.Fatalf("%+v", c.User)
	}
	if c.Paranoid < 2 {
		t.Skipf("kernel.perf_event_paranoid is %d: everyone may count the kernel", c.Paranoid)
	}
	if e := c.Perf.Events["context-switches"]; e.OK || e.Name != "context-switches:u" || !strings.Contains(e.Remedy, "perf_event_paranoid=1") {
		t.Errorf("context-switches: %+v", e)
	}
	if e := c.Perf.Events["instructions:k"]; e.OK || e.Remedy == "" {
		t.Errorf("instructions:k: %+v", e)
	}
	if e := c.Perf.Events[SyscallEvent]; e.OK || !strings.Contains(e.Remedy, "/sys/kernel/tracing") {
		t.Errorf("%s: %+v", SyscallEvent, e)
	}
	if e := c.Perf.Events["task-clock"]; !e.OK {
		t.Errorf("task-clock: %+v", e)
	}
}
