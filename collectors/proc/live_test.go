package proc

import (
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"opcost/collectors"
	"opcost/collectors/child"
	"opcost/collectors/internal/testserver"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// measure is one window of a real process.
func measure(t *testing.T, target collectors.Target, load func()) map[string]result.Reading {
	t.Helper()
	a, err := New().Arm(t.Context(), target, probe.Caps{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	load()
	if err := a.End(t.Context()); err != nil {
		t.Log(err)
	}
	rs, err := a.Close()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]result.Reading{}
	for _, r := range rs {
		out[r.Name] = r
	}
	return out
}

func value(t *testing.T, rs map[string]result.Reading, name string, st result.State) float64 {
	t.Helper()
	r := rs[name]
	if r.State != st || r.Value == nil {
		t.Fatalf("%s: %+v, want state %s", name, r, st)
	}
	return *r.Value
}

func TestLiveServer(t *testing.T) {
	s := testserver.Start(t, "--thread-cache-size=0")
	target := s.Target(t)
	conn := s.Control(t)
	target.ConnTIDs, target.ConnTIDsReason = []int{testserver.ThreadOf(t, conn)}, ""

	t.Run("clocks agree", func(t *testing.T) {
		rs := measure(t, target, func() { conn.Exec(t, "select benchmark(40000000, 1+1)") })
		clock, sum := value(t, rs, "cpu_us", result.OK), value(t, rs, "schedstat_cpu_us", result.OK)
		conn, rest := value(t, rs, "cpu_connection_us", result.OK), value(t, rs, "cpu_background_us", result.OK)
		ticks := value(t, rs, "cpu_user_us", result.OK) + value(t, rs, "cpu_system_us", result.OK)
		t.Logf("process clock %.0f us, schedstat %+.3f%%, ticks %.0f us; connection %.0f, background %.0f us", clock, 100*(sum/clock-1), ticks, conn, rest)
		if clock < 100_000 {
			t.Fatalf("only %.0f us of CPU: the load was too short to compare clocks", clock)
		}
		if math.Abs(sum/clock-1) > 0.005 {
			t.Errorf("process clock %.0f us, sum of schedstat %.0f us: more than 0.5%% apart", clock, sum)
		}
		if math.Abs(ticks-clock) > 2*tickUS {
			t.Errorf("ticks say %.0f us, process clock %.0f us", ticks, clock)
		}
		// The background sleeps but for what InnoDB does each second.
		if conn < 0.9*clock || rest > 0.1*clock {
			t.Errorf("of %.0f us the connection has %.0f and the background %.0f", clock, conn, rest)
		}
		files, _ := filepath.Glob(filepath.Join(target.Evidence, "w0-proc.json"))
		if len(files) != 1 {
			t.Error("no evidence was written")
		}
	})

	t.Run("thread ends", func(t *testing.T) {
		other := s.Control(t)
		other.Exec(t, "select 1")
		before := threads(t, s.PID)
		rs := measure(t, target, func() {
			other.Exec(t, "select benchmark(20000000, 1+1)")
			_ = other.DB.Close() // thread_cache_size is 0: its thread ends
			for len(threads(t, s.PID)) >= len(before) {
				time.Sleep(time.Millisecond)
			}
		})
		clock := value(t, rs, "cpu_us", result.OK)
		sum := value(t, rs, "schedstat_cpu_us", result.Partial)
		value(t, rs, "context_switches", result.Partial)
		if ended := value(t, rs, "threads_ended", result.OK); ended < 1 {
			t.Errorf("%g threads ended, want 1 or more", ended)
		}
		if clock < 50_000 || sum > clock/2 {
			t.Errorf("the process clock has %.0f us and the remaining threads %.0f us; want the ended thread's CPU in the first alone", clock, sum)
		}
		value(t, rs, "cpu_background_us", result.OK)
		value(t, rs, "context_switches_connection", result.OK)
	})
}

func threads(t *testing.T, pid int) procfs.Procs {
	t.Helper()
	ts, err := procfs.AllThreads(pid)
	if err != nil {
		t.Fatal(err)
	}
	return ts
}

// TestLiveSwitches makes dd block N times: it copies a pipe byte by byte, and
// each byte comes only once it sleeps.
func TestLiveSwitches(t *testing.T) {
	const n = 500
	if _, err := exec.LookPath("dd"); err != nil {
		testserver.Lacks(t, "no dd on PATH: apt-get install coreutils")
	}
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p, err := child.Start(child.Spec{Argv: []string{"dd", "if=/dev/fd/3", "of=/dev/fd/4", "bs=1", "status=none"},
		ExtraFiles: []*os.File{theirIn, theirOut}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(syscall.SIGKILL, time.Second)
	theirIn.Close()
	theirOut.Close()
	asleep := func() {
		for state(t, p.PID()) != "S" {
			time.Sleep(50 * time.Microsecond)
		}
	}
	roundTrip := func() {
		asleep()
		if _, err := ourOut.Write([]byte{1}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(ourIn, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	roundTrip() // dd has started
	asleep()
	rs := measure(t, collectors.Target{PID: p.PID(), ConnTIDs: []int{p.PID()}}, func() {
		for range n {
			roundTrip()
		}
		asleep()
	})
	got := value(t, rs, "context_switches_voluntary", result.OK)
	t.Logf("%d round trips: %g voluntary, %g involuntary switches", n, got, value(t, rs, "context_switches_involuntary", result.OK))
	// One more can come from each page or lock that dd waits for.
	if got < n || got > 1.02*n {
		t.Errorf("%g voluntary switches, want %d", got, n)
	}
	if value(t, rs, "context_switches_connection", result.OK) != value(t, rs, "context_switches", result.OK) ||
		value(t, rs, "context_switches_background", result.OK) != 0 {
		t.Error("the only thread is the connection's, and has not all switches")
	}
	// One byte in and one out each; a few reads more while dd starts are before the window.
	if calls := value(t, rs, "write_calls", result.OK); calls != n {
		t.Errorf("%g write calls, want %d", calls, n)
	}
	if kb := value(t, rs, "read_chars_kb", result.OK); kb != n/1024.0 {
		t.Errorf("%g kB by read calls, want %g", kb, n/1024.0)
	}
}

func state(t *testing.T, pid int) string {
	t.Helper()
	p, err := procfs.NewProc(pid)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return s.State
}

// TestLiveZombie ends a process whose parent does not reap it.
func TestLiveZombie(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pid")
	p, err := child.Start(child.Spec{Argv: []string{"sh", "-c", `sleep 600 & echo $! >"$0.new"; mv "$0.new" "$0"; exec sleep 600`, name}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(syscall.SIGTERM, time.Second)
	var text []byte
	for len(text) == 0 {
		time.Sleep(time.Millisecond)
		text, _ = os.ReadFile(name)
	}
	zombie, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for comm(t, zombie) != "sleep" || comm(t, p.PID()) != "sleep" {
		time.Sleep(time.Millisecond)
	}
	rs := measure(t, collectors.Target{PID: zombie}, func() {
		if err := syscall.Kill(zombie, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		for state(t, zombie) != "Z" {
			time.Sleep(time.Millisecond)
		}
	})
	value(t, rs, "cpu_us", result.Partial)
	if r := rs["context_switches"]; r.State != result.Failed || !strings.Contains(r.Reason, "zombie") {
		t.Errorf("%+v, want failed: zombie", r)
	}
}

func comm(t *testing.T, pid int) string {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}
