package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"opcost/perfctl/result"
)

// The fault tests have something go wrong around the real program and a real
// server, and look at what a user then has: docs/faults.md.

// faulty is a folder in which a plan is measured and something goes wrong.
type faulty struct {
	t   *testing.T
	dir string
	env []string
	// args of opcost run, beside the plan and its folder of results.
	args []string
}

// fault makes the folder. The test takes its turn beside others.
func fault(t *testing.T, plan string, programs ...string) *faulty {
	t.Helper()
	long(t)
	t.Parallel()
	lacking(t, append([]string{"mariadbd"}, programs...)...)
	return &faulty{t: t, dir: testDir(t, plan)}
}

// shadow puts a shell script in front of a program of that name; $real in it is
// the program.
func (f *faulty) shadow(name, script string) {
	f.t.Helper()
	real, err := exec.LookPath(name)
	if err != nil {
		f.t.Fatal(err)
	}
	bin := filepath.Join(f.dir, "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		f.t.Fatal(err)
	}
	text := fmt.Sprintf("#!/bin/sh\nreal=%s here=%s\n%s\nexec $real \"$@\"\n", real, f.dir, script)
	if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o700); err != nil {
		f.t.Fatal(err)
	}
	f.env = []string{"PATH=" + bin + ":" + os.Getenv("PATH")}
}

// without has PATH hold all programs but these.
func (f *faulty) without(names ...string) {
	f.t.Helper()
	hidden := map[string]bool{}
	for _, n := range names {
		hidden[n] = true
	}
	var path []string
	for i, folder := range filepath.SplitList(os.Getenv("PATH")) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // as a shell does
		}
		copied := filepath.Join(f.dir, fmt.Sprintf("path%d", i))
		if err := os.Mkdir(copied, 0o700); err != nil {
			f.t.Fatal(err)
		}
		for _, e := range entries {
			if hidden[e.Name()] {
				continue
			}
			if err := os.Symlink(filepath.Join(folder, e.Name()), filepath.Join(copied, e.Name())); err != nil {
				f.t.Fatal(err)
			}
		}
		path = append(path, copied)
	}
	f.env = []string{"PATH=" + strings.Join(path, ":")}
}

// start measures the plan into out.
func (f *faulty) start() *command {
	f.t.Helper()
	return startIn(f.t, f.dir, f.env, nil, append([]string{"run", "plan.yaml", "--out", "out"}, f.args...)...)
}

// ends waits for the end, and wants the exit status, these words on stderr, and
// nothing alive or lying about.
func (f *faulty) ends(c *command, code int, says ...string) outcome {
	f.t.Helper()
	o := c.wait()
	if o.code != code {
		f.t.Errorf("exit %d, want %d", o.code, code)
	}
	for _, want := range says {
		if !strings.Contains(o.stderr, want) {
			f.t.Errorf("stderr does not say %q", want)
		}
	}
	nothingAlive(f.t, f.dir)
	if f.t.Failed() {
		f.t.Logf("stderr:\n%s\nstdout:\n%s", o.stderr, o.stdout)
	}
	nothingLeft(f.t, f.dir, "out")
	return o
}

// again measures what is missing, without the fault: all of it is there then.
func (f *faulty) again(plan ...string) {
	f.t.Helper()
	f.env = nil
	o := f.start().wait()
	if o.code != exitDone {
		f.t.Errorf("the same command again: exit %d\n%s", o.code, o.stderr)
	}
	for id, text := range kept(f.t, f.dir, "out") {
		if !complete(f.t, text) {
			f.t.Errorf("%s is not complete after the same command again", id)
		}
	}
}

// reported is a metric as `opcost report` has it.
type reported struct {
	Value         *float64
	State, Reason string
	Remedy        string
}

// row gives the metrics of one number of clients.
func (f *faulty) row(clients int) map[string]reported {
	f.t.Helper()
	o := start(f.t, f.dir, "report", "out", "--format", "json").wait()
	var got struct {
		Rows []struct {
			Clients int
			Metrics map[string]reported
		}
	}
	if err := json.Unmarshal([]byte(o.stdout), &got); err != nil {
		f.t.Fatalf("%v: %s%s", err, o.stderr, o.stdout)
	}
	for _, r := range got.Rows {
		if r.Clients == clients {
			return r.Metrics
		}
	}
	f.t.Fatalf("no row of %d clients in\n%s", clients, o.stdout)
	return nil
}

// whole: the metrics have values that were counted over whole windows.
func (f *faulty) whole(row map[string]reported, metrics ...string) {
	f.t.Helper()
	for _, name := range metrics {
		if m := row[name]; m.Value == nil || *m.Value <= 0 || m.State != string(result.OK) {
			f.t.Errorf("%s is %+v, want a value", name, m)
		}
	}
}

// absent: the metric has no value, and says why.
func (f *faulty) absent(row map[string]reported, name string, why ...string) {
	f.t.Helper()
	m, there := row[name]
	if !there || m.Value != nil {
		f.t.Errorf("%s is %+v, want a state without a value", name, m)
	}
	for _, w := range why {
		if !strings.Contains(m.Reason+" "+m.Remedy, w) {
			f.t.Errorf("%s: %q (%s) does not say %q", name, m.Reason, m.Remedy, w)
		}
	}
}

// runs are the records by their number of clients.
func (f *faulty) runs() map[int]result.Run {
	f.t.Helper()
	runs := map[int]result.Run{}
	for _, text := range kept(f.t, f.dir, "out") {
		var r result.Run
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			f.t.Fatal(err)
		}
		runs[r.Clients] = r
	}
	return runs
}

// process waits for the one process of a program, whose command line has a word.
func (f *faulty) process(c *command, program, word string) found {
	f.t.Helper()
	var one found
	eventually(f.t, fmt.Sprintf("%s ... %s runs", program, word), func() bool {
		select {
		case <-c.ended:
			f.t.Fatalf("it ended: %s\n%s", c.stderr.text(), c.stdout.text())
		default:
		}
		for _, p := range named(alive(f.t, f.dir), program) {
			if strings.Contains(p.line, word) {
				one = p
				return true
			}
		}
		return false
	})
	return one
}

// hit sends a signal to a process of the test's.
func (f *faulty) hit(p found, sig syscall.Signal) {
	f.t.Helper()
	if err := syscall.Kill(p.pid, sig); err != nil {
		f.t.Fatalf("%s: %v", p.line, err)
	}
}
