package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"opcost/perfctl/result"
)

// onlyPerf is a plan that perf counts for; valgrind is kept out of it by noValgrind.
const onlyPerf = oneVersion + "duration: 500ms\nrepeats: 1\ncounters: auto\n"

func noValgrind(f *faulty) { f.shadow("valgrind", "echo broken >&2; exit 1") }

// inWindow is where a fake perf is asked to count a window (and not by the
// probe, which gives no file), with $out as its output.
const inWindow = `
out= last= kind=$1
for a; do [ "$last" = -o ] && out=$a; last=$a; done
[ -z "$out" ] && kind=question
`

// TestFaultPerf has perf misbehave in a counting window: what it would have
// counted has no value and a reason, and the rest of the window is whole.
func TestFaultPerf(t *testing.T) {
	ack := `ack() { read -r c <&3; printf 'ack\n\0' >&4; }
`
	for _, c := range []struct {
		name   string
		script string
		why    []string
		arming bool         // it cannot even be attached
		state  result.State // then
	}{
		{"hangs at the start", `exec sleep 600`, []string{"did not acknowledge", "no answer within 30s"}, true, result.Failed},
		{"hangs at the window's begin", `ack; exec sleep 600`, []string{"did not acknowledge", "no answer within 10s"}, false, ""},
		{"hangs at the window's end", `trap '' INT; ack; ack; sleep 600`, []string{"hung"}, false, ""},
		{"prints garbage", `trap 'printf "\001\377 what\nis {this\n" >$out; exit 130' INT; ack; ack; ack; while :; do sleep 1; done`, []string{"perf"}, false, ""},
		{"prints nothing", `trap 'exit 130' INT; ack; ack; ack; while :; do sleep 1; done`, []string{"perf left no output"}, false, ""},
		{"may not", `echo Error: >&2; echo 'Access to performance monitoring and observability operations is limited.' >&2; exit 255`,
			[]string{"may not count", "perf_event_paranoid=1"}, true, result.Unsupported},
		{"ends at once", `echo 'it broke' >&2; exit 7`, []string{"exit status 7: it broke"}, true, result.Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := fault(t, onlyPerf, "perf", "valgrind")
			noValgrind(f)
			f.shadow("perf", inWindow+ack+"[ $kind = stat ] && { "+c.script+"; }")
			f.ends(f.start(), exitDone)
			row := f.row(1)
			f.whole(row, "qps", "cpu_us_per_query", "context_switches_per_query")
			if !c.arming {
				f.absent(row, "task_clock_us_per_query", c.why...)
				return
			}
			f.lostPerf(c.state, c.why...)
		})
	}
}

// lostPerf: perf could not be attached. The record says why; so does the report,
// where that is no property of the machine, which `doctor` tells.
func (f *faulty) lostPerf(state result.State, why ...string) {
	f.t.Helper()
	var lost result.Reading
	for _, r := range f.runs()[1].Passes[0].Windows[0].Readings {
		if r.Name == "collector_perfstat" {
			lost = r
		}
	}
	report := start(f.t, f.dir, "report", "out", "--format", "json").wait().stdout
	if lost.State != state || lost.Value != nil || state == result.Failed && !strings.Contains(report, "a window lacks what perfstat counts") {
		f.t.Errorf("perf's place in the record: %+v; the report:\n%s", lost, report)
	}
	for _, w := range why {
		if !strings.Contains(lost.Reason+lost.Remedy, w) {
			f.t.Errorf("%q does not say %q", lost.Reason, w)
		}
	}
}

// TestFaultPerfKilled kills the real perf in the window.
func TestFaultPerfKilled(t *testing.T) {
	f := fault(t, strings.Replace(onlyPerf, "500ms", "3s", 1), "perf", "valgrind")
	noValgrind(f)
	c := f.start()
	c.until("window 1 of 1")
	p := f.process(c, "perf", " -o ")
	time.Sleep(time.Second)
	f.hit(p, syscall.SIGKILL)
	f.ends(c, exitDone)
	row := f.row(1)
	f.whole(row, "qps", "cpu_us_per_query")
	f.absent(row, "task_clock_us_per_query", "ended by a signal: killed")
}

// TestFaultPerfMissing: a machine without perf measures what it can.
func TestFaultPerfMissing(t *testing.T) {
	f := fault(t, onlyPerf, "perf", "valgrind")
	f.without("perf", "valgrind")
	f.ends(f.start(), exitDone)
	row := f.row(1)
	f.whole(row, "qps", "cpu_us_per_query", "context_switches_per_query")
	f.absent(row, "instructions_per_query", "perf is not installed", "valgrind is not installed", "install")

	writePlan(t, f.dir, oneVersion+"duration: 500ms\nrepeats: 1\ncounters: none\nprofile: true\n")
	c := startIn(t, f.dir, f.env, nil, "run", "plan.yaml", "--out", "profiled")
	if o := c.wait(); o.code != exitUsage || !strings.Contains(o.stderr, "perf is not installed") || !strings.Contains(o.stderr, "profile: false") {
		t.Errorf("a profile without perf: exit %d, %s", o.code, o.stderr)
	}
	nothingAlive(t, f.dir)
}

// TestFaultPerfOld: a perf without -j is read as CSV; one without --control
// counts nothing, and says so.
func TestFaultPerfOld(t *testing.T) {
	t.Run("no JSON", func(t *testing.T) {
		f := fault(t, onlyPerf, "perf", "valgrind")
		noValgrind(f)
		f.shadow("perf", "case \" $* \" in *' -j '*) echo '  Error: unknown switch `j'\"'\" >&2; exit 129;; esac")
		f.ends(f.start(), exitDone)
		row := f.row(1)
		f.whole(row, "qps", "cpu_us_per_query", "task_clock_us_per_query")
		if clock, cpu := *row["task_clock_us_per_query"].Value, *row["cpu_us_per_query"].Value; clock < cpu/2 || clock > cpu*2 {
			t.Errorf("by CSV a task-clock of %.1f us a query, by the process clock %.1f", clock, cpu)
		}
		if files, _ := filepath.Glob(filepath.Join(f.dir, "out", "runs", "*", "evidence", "*.perfstat.csv")); len(files) != 1 {
			t.Errorf("perf's output as evidence: %q", files)
		}
	})
	t.Run("no control", func(t *testing.T) {
		f := fault(t, onlyPerf, "perf", "valgrind")
		noValgrind(f)
		f.shadow("perf", "case \" $* \" in *' --control '*) echo '  Error: unknown option `control'\"'\" >&2; exit 129;; esac")
		f.ends(f.start(), exitDone)
		row := f.row(1)
		f.whole(row, "qps", "cpu_us_per_query", "context_switches_per_query")
		f.absent(row, "instructions_per_query")
		if o := startIn(t, f.dir, f.env, nil, "doctor").wait(); !strings.Contains(strings.Join(strings.Fields(o.stdout), " "), "has no stat --control") {
			t.Errorf("doctor does not say what perf lacks:\n%s", o.stdout)
		}
	})
}

// TestFaultPerfDiskFull gives perf's output a disk of its own that is full.
func TestFaultPerfDiskFull(t *testing.T) {
	t.Run("counting", func(t *testing.T) {
		f := fault(t, onlyPerf, "perf", "valgrind")
		disk := filepath.Join(f.dir, "disk")
		smallDisk(t, disk, "64k")
		fillUp(t, disk, 0)
		noValgrind(f)
		f.shadow("perf", inWindow+"[ $kind = stat ] && ln -s $here/disk/output $out")
		f.ends(f.start(), exitDone)
		row := f.row(1)
		f.whole(row, "qps", "cpu_us_per_query")
		f.absent(row, "task_clock_us_per_query", "perf")
	})
	t.Run("sampling", func(t *testing.T) {
		f := fault(t, sampled, "perf")
		disk := filepath.Join(f.dir, "disk")
		smallDisk(t, disk, "64k")
		fillUp(t, disk, 8<<10)
		f.shadow("perf", inWindow+"[ $kind = record ] && ln -s $here/disk/output $out")
		f.ends(f.start(), exitIncomplete, "profile: ")
		f.lostProfile(result.Failed)
	})
}

// TestFaultValgrindMissing: a plan that wants nothing else is refused at once.
func TestFaultValgrindMissing(t *testing.T) {
	f := fault(t, oneVersion+"duration: 500ms\nrepeats: 1\ncounters: callgrind\n", "perf", "valgrind")
	f.without("valgrind")
	o := f.ends(f.start(), exitUsage, "counters: callgrind: valgrind is not installed", "install")
	if strings.Contains(o.stderr, "initialise") {
		t.Errorf("a server was started all the same:\n%s", o.stderr)
	}
}

// sampled is a plan with a profile.
const sampled = oneVersion + "duration: 2s\nrepeats: 1\ncounters: none\nprofile: true\n"

// lostProfile: the counting window stands, and the profile's pass says why there
// is none.
func (f *faulty) lostProfile(state result.State, why ...string) {
	f.t.Helper()
	f.whole(f.row(1), "qps", "cpu_us_per_query")
	run := f.runs()[1]
	if len(run.Passes) != 2 || run.Passes[0].State != result.OK || run.Passes[1].Kind != result.PassProfile || run.Passes[1].State != state {
		f.t.Fatalf("passes: %+v", run.Passes)
	}
	for _, w := range why {
		if !strings.Contains(run.Passes[1].Reason, w) {
			f.t.Errorf("the profile's pass says %q, not %q", run.Passes[1].Reason, w)
		}
	}
}

// TestFaultPerfRecord has perf misbehave while it samples.
func TestFaultPerfRecord(t *testing.T) {
	ack := `ack() { read -r c <&3; printf 'ack\n\0' >&4; }
`
	for _, c := range []struct {
		name   string
		script string
		why    string
	}{
		{"hangs at the start", `exec sleep 600`, "no answer within 30s"},
		{"prints garbage", `trap 'echo what is this >$out; exit 130' INT; ack; ack; ack; while :; do sleep 1; done`, "perf"},
		{"ends at once", `echo 'it broke' >&2; exit 7`, "exit status 7: it broke"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := fault(t, sampled, "perf")
			f.shadow("perf", inWindow+ack+"[ $kind = record ] && { "+c.script+"; }")
			f.ends(f.start(), exitIncomplete, "profile: ", c.why)
			f.lostProfile(result.Failed, c.why)
		})
	}
	t.Run("killed", func(t *testing.T) {
		f := fault(t, sampled, "perf")
		c := f.start()
		c.until("profile (2s)")
		p := f.process(c, "perf", " record ")
		time.Sleep(time.Second)
		f.hit(p, syscall.SIGKILL)
		f.ends(c, exitIncomplete, "profile: ", "ended by a signal: killed")
		f.lostProfile(result.Failed, "ended by a signal: killed")
		f.again()
	})
}
