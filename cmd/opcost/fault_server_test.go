package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"opcost/perfctl/result"
)

// two is a plan of two cells on each start of the server.
func two(rest string) string {
	return strings.Replace(small, "clients: [1]", "clients: [1, 2]", 1) + oneVersion + rest
}

// write replaces the plan by one that is given whole.
func (f *faulty) write(plan string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, "plan.yaml"), []byte(plan), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// server is the running server; one that is being initialised has no socket.
func (f *faulty) server(c *command) found { return f.process(c, "mariadbd", "--socket=") }

// TestFaultServerKilledInWarmup: the start is lost, and the next one is measured,
// from restored data.
func TestFaultServerKilledInWarmup(t *testing.T) {
	f := fault(t, "")
	f.write(strings.Replace(small, "warmup: 0s", "warmup: 3s", 1) + oneVersion + "duration: 500ms\nrepeats: 2\ncounters: none\n")
	c := f.start()
	c.until("warm up")
	time.Sleep(500 * time.Millisecond)
	f.hit(f.server(c), syscall.SIGKILL)
	o := f.ends(c, exitIncomplete, "point-query, 1 client: client 1 of 1: ", "it had ended before it was stopped: signal: killed", "its log: ", "restore the data")
	if runs := kept(t, f.dir, "out"); len(runs) != 1 || !strings.Contains(o.stdout, "point-query") {
		t.Errorf("%d runs, want that of the second start, and a table", len(runs))
	}
	f.whole(f.row(1), "qps", "cpu_us_per_query")
	f.again()
	wantTable(t, f.dir, "out", 1, 2, "qps", "cpu_us_per_query")
}

// TestFaultServerKilledInWindow: what was measured before stands, the window is
// partial with what the client knows of it.
func TestFaultServerKilledInWindow(t *testing.T) {
	f := fault(t, "")
	f.write(two("duration: 3s\nrepeats: 1\ncounters: none\n"))
	c := f.start()
	c.until("2 clients: window 1 of 1")
	time.Sleep(1500 * time.Millisecond)
	f.hit(f.server(c), syscall.SIGKILL)
	f.ends(c, exitIncomplete, "point-query, 2 clients: the load ended before the window's 3s", "the server has ended: signal: killed")
	f.whole(f.row(1), "qps", "cpu_us_per_query")
	row := f.row(2)
	if m := row["qps"]; m.Value == nil || m.State != string(result.Partial) || !strings.Contains(m.Reason, "the load ended before the window's 3s") {
		t.Errorf("qps of the window that was cut short: %+v", m)
	}
	// The process has taken its clock along, unless we are the faster.
	if m := row["cpu_us_per_query"]; m.State == string(result.OK) || m.Reason == "" {
		t.Errorf("CPU/query of a process that was killed: %+v", m)
	}
	w := f.runs()[2].Passes[0].Windows[0]
	if seconds := float64(w.DurationNS) / 1e9; w.State != result.Partial || seconds < 0.5 || seconds > 2.9 || w.Ops.N() == 0 {
		t.Errorf("window: %s, %.1f s, %d operations", w.State, seconds, w.Ops.N())
	}
	f.again()
	f.whole(f.row(2), "qps", "cpu_us_per_query")
}

// TestFaultServerKilledBeforeOthers: the cells that the start was to measure yet
// are named.
func TestFaultServerKilledBeforeOthers(t *testing.T) {
	f := fault(t, "")
	f.write(two("duration: 2s\nrepeats: 1\ncounters: none\n"))
	c := f.start()
	c.until("1 client: window 1 of 1")
	time.Sleep(time.Second)
	f.hit(f.server(c), syscall.SIGKILL)
	f.ends(c, exitIncomplete, "point-query, 1 client: ", "not measured on this start: point-query (2 clients); the same command measures them")
	f.again()
	f.whole(f.row(1), "qps", "cpu_us_per_query")
	f.whole(f.row(2), "qps", "cpu_us_per_query")
}

// TestFaultServerKilledInProfile: the window before the sampled one stands.
func TestFaultServerKilledInProfile(t *testing.T) {
	f := fault(t, sampled, "perf")
	c := f.start()
	c.until("profile (2s)")
	f.process(c, "perf", " record ")
	time.Sleep(time.Second)
	f.hit(f.server(c), syscall.SIGKILL)
	f.ends(c, exitIncomplete, "profile: ", "signal: killed")
	f.whole(f.row(1), "qps", "cpu_us_per_query")
	if run := f.runs()[1]; run.Complete() || run.Passes[0].State != result.OK || run.Passes[1].State == result.OK {
		t.Errorf("passes: %+v", run.Passes)
	}
}

// TestFaultServerKilledUnderValgrind: the counting start stands.
func TestFaultServerKilledUnderValgrind(t *testing.T) {
	f := fault(t, oneVersion+"duration: 500ms\nrepeats: 1\ncounters: callgrind\n", "valgrind")
	c := f.start()
	server := f.process(c, "", "--tool=callgrind")
	c.until("window 1 of 1 (")
	eventually(t, "the window under callgrind", func() bool { return strings.Contains(c.stderr.text(), "operations)") })
	f.hit(server, syscall.SIGKILL)
	f.ends(c, exitIncomplete, "signal: killed")
	row := f.row(1)
	f.whole(row, "qps", "cpu_us_per_query")
	f.absent(row, "instructions_per_query")
	f.again()
	f.whole(f.row(1), "qps", "instructions_per_query")
}

// TestFaultServerHangs stops the server with a signal that it cannot see, in the
// warm-up, in the window, and under valgrind.
func TestFaultServerHangs(t *testing.T) {
	says := []string{"hangs: it has used no CPU at all for 30s; it is stopped by a signal: kill -CONT "}
	t.Run("in the warm-up", func(t *testing.T) {
		f := fault(t, "")
		f.write(strings.Replace(small, "warmup: 0s", "warmup: 5s", 1) + oneVersion + "duration: 500ms\nrepeats: 1\ncounters: none\n")
		c := f.start()
		c.until("warm up")
		time.Sleep(500 * time.Millisecond)
		f.hit(f.server(c), syscall.SIGSTOP)
		f.ends(c, exitIncomplete, says...)
		f.again()
	})
	t.Run("in the window", func(t *testing.T) {
		f := fault(t, "")
		f.write(two("duration: 3s\nrepeats: 1\ncounters: none\n"))
		c := f.start()
		c.until("2 clients: window 1 of 1")
		time.Sleep(time.Second)
		f.hit(f.server(c), syscall.SIGSTOP)
		f.ends(c, exitIncomplete, says...)
		f.whole(f.row(1), "qps", "cpu_us_per_query")
		if m := f.row(2)["qps"]; m.Value == nil || m.State != string(result.Partial) || !strings.Contains(m.Reason, "still under way") {
			t.Errorf("qps of the window that hung: %+v", m)
		}
	})
	t.Run("under valgrind", func(t *testing.T) {
		f := fault(t, oneVersion+"duration: 500ms\nrepeats: 1\ncounters: callgrind\n", "valgrind")
		c := f.start()
		server := f.process(c, "", "--tool=callgrind")
		eventually(t, "the window under callgrind", func() bool { return strings.Contains(c.stderr.text(), "operations)") })
		f.hit(server, syscall.SIGSTOP)
		f.ends(c, exitIncomplete, says...)
		row := f.row(1)
		f.whole(row, "qps", "cpu_us_per_query")
		f.absent(row, "instructions_per_query")
	})
}

// TestFaultServerGoesOn: a server that was stopped for a while, as by a debugger,
// and goes on within the window, costs nothing but time.
func TestFaultServerGoesOn(t *testing.T) {
	f := fault(t, oneVersion+"duration: 3s\nrepeats: 1\ncounters: none\n")
	c := f.start()
	c.until("window 1 of 1")
	time.Sleep(time.Second)
	server := f.server(c)
	f.hit(server, syscall.SIGSTOP)
	time.Sleep(time.Second)
	f.hit(server, syscall.SIGCONT)
	f.ends(c, exitDone)
	f.whole(f.row(1), "qps", "cpu_us_per_query")
	// The time it stood still is in the qps: the check of steadiness says so.
	if o := start(t, f.dir, "report", "out").wait(); !strings.Contains(o.stdout+o.stderr, "stood still") && !strings.Contains(o.stdout+o.stderr, "thirds of the window") {
		t.Errorf("the report does not say that the load was not steady:\n%s%s", o.stdout, o.stderr)
	}
}

// TestFaultServerFull: it has fewer connections than the plan has clients.
func TestFaultServerFull(t *testing.T) {
	f := fault(t, "")
	plan := strings.Replace(small, "clients: [1]", "clients: [1, 20]", 1) +
		"versions: [{name: a, mysqld: installed, options: [max-connections=10]}]\nduration: 500ms\nrepeats: 1\ncounters: none\n"
	f.write(plan)
	f.ends(f.start(), exitIncomplete, "point-query, 20 clients: client 1", "of 20: connect to unix", "Too many connections",
		"the server's max-connections must be larger than the number of clients")
	f.whole(f.row(1), "qps", "cpu_us_per_query")
	if runs := f.runs(); len(runs) != 1 {
		t.Errorf("%d runs", len(runs))
	}
}

// ownStart is a version b whose server is a script: fault, in shell, is what its
// second start does, the first after the load.
func (f *faulty) ownStart(fault string) {
	f.t.Helper()
	base := filepath.Join(f.dir, "base")
	if err := os.MkdirAll(filepath.Join(base, "sbin"), 0o700); err != nil {
		f.t.Fatal(err)
	}
	for _, folder := range []string{"bin", "share"} { // of the server whose files these are
		if err := os.Symlink("/usr/"+folder, filepath.Join(base, folder)); err != nil {
			f.t.Fatal(err)
		}
	}
	text := `#!/bin/sh
case " $* " in *' --socket='*)
	echo start >>DIR/starts
	if [ $(wc -l <DIR/starts) = 2 ]; then FAULT; fi;;
esac
exec /usr/sbin/mariadbd "$@"
`
	path := filepath.Join(base, "sbin", "mariadbd")
	if err := os.WriteFile(path, []byte(strings.NewReplacer("DIR", f.dir, "FAULT", fault).Replace(text)), 0o700); err != nil {
		f.t.Fatal(err)
	}
	f.write(small + "versions: [{name: a, mysqld: installed}, {name: b, mysqld: " + path + "}]\nduration: 500ms\nrepeats: 1\ncounters: none\n")
}

// TestFaultServerStart: one that crashes and one that hangs at its start; the
// other version is measured.
func TestFaultServerStart(t *testing.T) {
	for name, c := range map[string]struct {
		fault string
		says  []string
	}{
		"crashes": {"echo 'mysqld got signal 11 ;' >&2; kill -SEGV $$", []string{"did not start: it ended after", "segmentation fault", "got signal 11"}},
		"hangs":   {"exec sleep 600", []string{"did not start: before it accepted a connection: the server (pid ", "has used no CPU at all for 30s"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := fault(t, "")
			f.ownStart(c.fault)
			f.ends(f.start(), exitIncomplete, append(c.says, "server b did not start", "its log: "+filepath.Join(f.dir, "out", "logs", "b"))...)
			f.whole(f.row(1), "qps", "cpu_us_per_query")
			if runs := kept(t, f.dir, "out"); len(runs) != 1 {
				t.Errorf("%d runs", len(runs))
			}
			f.again()
			wantTable(t, f.dir, "out", 2, 1, "qps", "cpu_us_per_query")
		})
	}
}

// TestFaultServerHangsAtShutdown: what was measured is on disk before.
func TestFaultServerHangsAtShutdown(t *testing.T) {
	f := fault(t, oneVersion+"duration: 500ms\nrepeats: 2\ncounters: none\n")
	c := f.start()
	c.until("window 1 of 1")
	server := f.server(c)
	log := filepath.Join(f.dir, "out", "logs", "a", "server-002.err") // the first was for the load
	eventually(t, "it shuts down", func() bool {
		text, _ := os.ReadFile(log)
		return strings.Contains(string(text), "shutdown")
	})
	f.hit(server, syscall.SIGSTOP)
	f.ends(c, exitIncomplete, fmt.Sprintf("it (pid %d) did not shut down within 1m0s and was killed", server.pid), "its log: "+log, "restore the data")
	wantTable(t, f.dir, "out", 1, 2, "qps", "cpu_us_per_query")
}
