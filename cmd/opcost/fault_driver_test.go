package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"opcost/perfctl/result"
)

const bySysbench = oneVersion + "duration: 3s\nrepeats: 1\ncounters: none\ndriver: sysbench\n"

// inDriver waits for the window of a driver's load.
func (f *faulty) inDriver(c *command, program string) found {
	f.t.Helper()
	c.until("window 1 of 1")
	p := f.process(c, program, "")
	time.Sleep(time.Second)
	return p
}

// partialRun: the run is on disk, marked with why it is not whole.
func (f *faulty) partialRun(why string) {
	f.t.Helper()
	run := f.runs()[1]
	if run.Complete() || len(run.Passes) != 1 || run.Passes[0].State != result.Partial || !strings.Contains(run.Passes[0].Reason, why) {
		f.t.Errorf("passes: %+v", run.Passes)
	}
}

// TestFaultDriverKilled: sysbench is killed in the window.
func TestFaultDriverKilled(t *testing.T) {
	f := fault(t, bySysbench, "sysbench")
	c := f.start()
	f.hit(f.inDriver(c, "sysbench"), syscall.SIGKILL)
	f.ends(c, exitIncomplete, "the driver ended before the window did", "driver sysbench failed: signal: killed", "driver-load-sysbench.out")
	f.partialRun("signal: killed")
	if m := f.row(1)["cpu_us_per_query"]; m.Value == nil || m.State != string(result.Partial) {
		t.Errorf("CPU/query of the window: %+v", m)
	}
	f.again()
}

// TestFaultDriverHangs: sysbench is stopped in the window; it does not end when
// it should, so the window is not what it seems.
func TestFaultDriverHangs(t *testing.T) {
	f := fault(t, bySysbench, "sysbench")
	c := f.start()
	f.hit(f.inDriver(c, "sysbench"), syscall.SIGSTOP)
	f.ends(c, exitIncomplete, "driver sysbench did not end by itself within 30s of its time and was stopped")
	f.partialRun("did not end by itself")
}

// TestFaultDriverServer: the server is killed under a driver.
func TestFaultDriverServer(t *testing.T) {
	f := fault(t, bySysbench, "sysbench")
	c := f.start()
	f.inDriver(c, "sysbench")
	f.hit(f.server(c), syscall.SIGKILL)
	f.ends(c, exitIncomplete, "operations at the window's end: ", "it had ended before it was stopped: signal: killed")
	if runs := f.runs(); len(runs) != 0 {
		t.Errorf("without the server nobody knows how many operations there were: %+v", runs)
	}
	f.again()
}

// TestFaultDriverGarbage: sysbench runs, and reports nonsense.
func TestFaultDriverGarbage(t *testing.T) {
	f := fault(t, bySysbench, "sysbench")
	f.shadow("sysbench", `case " $* " in *" run "*) $real "$@" >/dev/null; printf '\001\377 what is this\n'; exit 0;; esac`)
	f.ends(f.start(), exitIncomplete, "sysbench's report of load")
	f.partialRun("sysbench's report of load")
}

// TestFaultDriverEarly: it ends before it was told to, without an error.
func TestFaultDriverEarly(t *testing.T) {
	f := fault(t, bySysbench, "sysbench")
	f.shadow("sysbench", `for a; do shift; case $a in --time=*) a=--time=2;; esac; set -- "$@" "$a"; done`)
	f.ends(f.start(), exitIncomplete, "the driver ended before the window did")
	f.partialRun("the driver ended before the window did")
}

// TestFaultDriverMissing: nothing is started for a driver that is not there.
func TestFaultDriverMissing(t *testing.T) {
	f := fault(t, bySysbench, "sysbench")
	f.without("sysbench")
	c := f.start()
	if o := c.wait(); o.code == exitDone || !strings.Contains(o.stderr, "there is no sysbench here: install it (on Debian: apt-get install sysbench)") || strings.Contains(o.stderr, "initialise") {
		t.Errorf("exit %d: %s", o.code, o.stderr)
	}
	nothingAlive(t, f.dir)
	nothingLeft(t, f.dir, "out")
}

// TestFaultSlapKilled: mysqlslap is killed in the window.
func TestFaultSlapKilled(t *testing.T) {
	const plan = "duration: 3s\nrepeats: 1\ncounters: none\ndriver: mysqlslap\n"
	f := fault(t, "", "mariadb-slap")
	f.write(strings.Replace(small, "point-query", "update-one-index", 1) + oneVersion + plan)
	c := f.start()
	f.hit(f.inDriver(c, "mariadb-slap"), syscall.SIGKILL)
	f.ends(c, exitIncomplete, "the driver ended before the window did", "driver mysqlslap failed: signal: killed")
	f.partialRun("signal: killed")
}

// TestFaultCommand: a command that never connects, and one whose client dies.
func TestFaultCommand(t *testing.T) {
	const plan = oneVersion + "duration: 3s\nrepeats: 1\ncounters: none\n"
	t.Run("hangs", func(t *testing.T) {
		f := fault(t, plan+"driver: {command: 'sleep 600; : {seconds}'}\n")
		f.ends(f.start(), exitIncomplete, "the driver made 0 of 1 connections within 1m0s")
		if runs := f.runs(); len(runs) != 0 {
			t.Errorf("%+v", runs)
		}
	})
	t.Run("dies", func(t *testing.T) {
		f := fault(t, plan+"driver: {command: \"while :; do echo 'SELECT 1;'; done | mariadb --no-defaults -S {socket} -u {user} {database} >/dev/null; : {seconds}; exit 5\"}\n", "mariadb")
		c := f.start()
		f.hit(f.inDriver(c, "mariadb "), syscall.SIGKILL)
		f.ends(c, exitIncomplete, "the driver ended before the window did", "driver command failed: exit status 5")
		f.partialRun("exit status 5")
	})
}

// TestFaultAttach has a live server hang in the window, and refuse us because all
// its connections are taken.
func TestFaultAttach(t *testing.T) {
	long(t)
	t.Parallel()
	lacking(t, "mariadbd", "sysbench", "perf")
	s := attachable(t)
	t.Run("hangs", func(t *testing.T) {
		s.load(t, 1, 90*time.Second)
		c := begun(t, s, "20s", 4500*time.Millisecond)
		if err := syscall.Kill(s.PID(), syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = syscall.Kill(s.PID(), syscall.SIGCONT) }()
		keptPart(t, c.wait(), "the server has not answered for 30s")
	})
	t.Run("perf killed", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Skip("only root counts system calls")
		}
		stop := s.load(t, 1, 60*time.Second)
		defer stop()
		dir := t.TempDir()
		c := start(t, dir, s.attach("--duration", "4s", "--syscalls", "--format", "json")...)
		c.until("measuring")
		f := &faulty{t: t, dir: dir}
		p := f.process(c, "perf", " -o ")
		time.Sleep(time.Second)
		f.hit(p, syscall.SIGKILL)
		o := c.wait()
		if o.code != exitDone || !strings.Contains(o.stdout, "ended by a signal: killed") || !strings.Contains(o.stdout, `"cpu_us_per_query"`) {
			t.Errorf("exit %d: %s%s", o.code, o.stdout, o.stderr)
		}
		nothingAlive(t, dir)
	})
	t.Run("full", func(t *testing.T) {
		if _, err := s.Control().Query(t.Context(), "SET GLOBAL max_connections = 10"); err != nil {
			t.Fatal(err)
		}
		defer s.load(t, 9, 60*time.Second)()
		defer s.load(t, 1, 60*time.Second)() // the one that is kept for administrators
		oneLine(t, opcost(t, "attach", "--pid", fmt.Sprint(s.PID()), "--user", "root"), exitUsage, "Too many connections", "extra_port")
	})
}
