package perfstat

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"opcost/collectors"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

func parseAnyCSV(r io.Reader) (Counts, []result.Warning, error) { return ParseCSV(r, "") }

const roleEnv = "OPCOST_TEST_ROLE"

// TestMain lets the test binary play a process to be measured, or one that
// measures and is killed.
func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "spinner":
		spinner()
	case "measurer":
		measurer()
	default:
		os.Exit(m.Run())
	}
}

// spinner does what each line of its input says, in threads of its own, and
// answers when all have ended: "3 100" is three threads of 100 ms CPU each,
// "0 5000" is 5,000 turns of a loop.
func spinner() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var threads, ms int
		if _, err := fmt.Sscan(in.Text(), &threads, &ms); err != nil {
			os.Exit(3)
		}
		if threads == 0 {
			runtime.KeepAlive(loop(ms))
		}
		var wg sync.WaitGroup
		for range threads {
			wg.Go(func() {
				runtime.LockOSThread() // never unlocked: the thread ends, the next is new
				spinThread(time.Duration(ms) * time.Millisecond)
			})
		}
		wg.Wait()
		fmt.Println("done")
	}
}

//go:noinline
func loop(turns int) uint64 {
	x := uint64(88172645463325252)
	for range turns {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

func spinThread(d time.Duration) {
	for cpuClock(unix.CLOCK_THREAD_CPUTIME_ID) < d {
	}
}

func cpuClock(id int32) time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(id, &ts); err != nil {
		panic(err)
	}
	return time.Duration(ts.Nano())
}

// processClock is another process's CPU time, threads that ended included
// (clock_getcpuclockid(3)).
func processClock(t testing.TB, pid int) time.Duration {
	t.Helper()
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|2), &ts); err != nil {
		t.Fatal(err)
	}
	return time.Duration(ts.Nano())
}

// measurer arms a window on the pid of its last argument, says so, and waits to
// be killed.
func measurer() {
	pid, err := strconv.Atoi(os.Args[len(os.Args)-1])
	if err != nil {
		os.Exit(3)
	}
	path, err := exec.LookPath("perf")
	if err != nil {
		os.Exit(4)
	}
	caps := fakeless(path)
	a, err := New(softSet).Arm(context.Background(), collectors.Target{PID: pid}, caps)
	if err != nil {
		os.Exit(5)
	}
	fmt.Println(a.(*armed).perf.PID())
	select {}
}

// fakeless says of a perf that it can what perf 6 can.
func fakeless(path string) probe.Caps {
	var c probe.Caps
	c.Perf.Path = path
	c.Perf.Ability, c.Perf.Control, c.Perf.JSON = probe.Ability{OK: true}, probe.Ability{OK: true}, probe.Ability{OK: true}
	return c
}

// role starts the test binary in a role, killed with the test. say sends a line
// and gives the answer; an empty line is not sent.
func role(t testing.TB, name string, args ...string) (pid int, say func(string) string) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), roleEnv+"="+name)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	return cmd.Process.Pid, func(s string) string {
		t.Helper()
		if s != "" {
			if _, err := io.WriteString(in, s+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		if !lines.Scan() {
			t.Fatalf("the %s ended: %v", name, lines.Err())
		}
		return lines.Text()
	}
}

// value is a reading's value; the test fails without one.
func value(t testing.TB, rs []result.Reading, name string) float64 {
	t.Helper()
	for _, r := range rs {
		if r.Name == name {
			if r.State != result.OK || r.Value == nil {
				t.Fatalf("%s: %s %s", name, r.State, r.Reason)
			}
			return *r.Value
		}
	}
	t.Fatalf("no reading %s", name)
	return 0
}

func median(ds []time.Duration) time.Duration {
	slices.Sort(ds)
	return ds[len(ds)/2]
}
