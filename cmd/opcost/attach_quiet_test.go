package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// behind runs the program behind another (strace, setpriv), in a folder that
// anybody may use.
func behind(t *testing.T, env, argv []string, args ...string) outcome {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "opcost-behind-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "opcost")
	if err := os.WriteFile(own, text, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil { // MkdirTemp's is 0700
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	argv = append(slices.Clone(argv), append([]string{own}, args...)...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "TMPDIR="+dir, "NO_COLOR=1"), env...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

var (
	traceLine = regexp.MustCompile(`^\d+\s+(?:<\.\.\. )?(\w+)\((.*)`)
	forWrite  = regexp.MustCompile(`O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND`)
	firstName = regexp.MustCompile(`^\.new-[0-9a-f]{16}$`) // of a file in the working directory, before it is whole
	quotedArg = regexp.MustCompile(`"([^"]*)"`)
)

// traced has strace watch what opcost and its helpers do to other processes and
// to files, and looks whether the server has noticed anything.
func traced(t *testing.T, s *attachServer) {
	lacking(t, "strace")
	s.load(t, 1, 20*time.Second)
	ctx := context.Background()
	look := func() (vars map[string]string, log string) {
		vars = map[string]string{}
		for _, q := range []string{"SHOW GLOBAL VARIABLES", "SHOW GLOBAL STATUS LIKE 'Aborted%'"} {
			rows, err := s.Control().Query(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rows {
				vars[r[0]] = r[1]
			}
		}
		text, err := os.ReadFile(s.LogPath())
		if err != nil {
			t.Fatal(err)
		}
		return vars, string(text)
	}
	vars, log := look()
	trace := inDir(t, "trace")
	o := behind(t, nil, []string{"strace", "-f", "-qq", "-s", "300", "-o", trace, "-e", "trace=kill,tgkill,tkill,ptrace,process_vm_readv,process_vm_writev,pidfd_open,pidfd_send_signal,openat,execve"},
		s.attach("--duration", "1500ms", "--format", "json", "--profile")...)
	if r := parseLive(t, o); r.Operations == 0 {
		t.Error("nothing was measured")
	}
	vars2, log2 := look()
	if diff := cmp.Diff(vars, vars2); diff != "" {
		t.Errorf("the server's variables:\n%s", diff)
	}
	if log2 != log {
		t.Errorf("the server's log grew: %s", strings.TrimPrefix(log2, log))
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", s.PID()))
	theirs := []string{fmt.Sprint(s.PID()), fmt.Sprintf("-%d", s.PID())}
	for _, e := range tasks {
		theirs = append(theirs, e.Name())
	}
	opened, handles := 0, []string{}
	for line := range strings.Lines(string(text)) {
		m := traceLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		call, first := m[1], strings.TrimSpace(strings.FieldsFunc(m[2]+" ", func(r rune) bool { return r == ',' || r == ')' })[0])
		switch call {
		case "ptrace", "process_vm_readv", "process_vm_writev":
			t.Errorf("traced the server: %s", line)
		case "kill", "tkill", "tgkill":
			if slices.Contains(theirs, first) {
				t.Errorf("a signal: %s", line)
			}
		case "pidfd_open":
			if first == theirs[0] {
				_, fd, _ := strings.Cut(line, " = ")
				handles = append(handles, strings.TrimSpace(fd))
			}
		case "pidfd_send_signal":
			if slices.Contains(handles, first) {
				t.Errorf("a signal: %s", line)
			}
		case "openat":
			path := quotedArg.FindStringSubmatch(line)
			if strings.Contains(line, fmt.Sprintf("/proc/%d/", s.PID())) {
				opened++
			}
			if path == nil || !forWrite.MatchString(line) {
				continue
			}
			if _, err := os.Lstat(path[1]); strings.HasPrefix(path[1], "/tmp/perf-vdso.so-") && err != nil {
				continue // perf script's own, and gone
			}
			if strings.HasPrefix(path[1], "opcost-profile-") || firstName.MatchString(path[1]) {
				continue // what was asked for, in the working directory
			}
			if p := path[1]; !strings.Contains(p, "opcost-behind-") && p != "/dev/null" && !strings.HasPrefix(p, "/dev/pts/") && p != "/dev/tty" {
				t.Errorf("opened to be written: %s", line)
			}
		}
	}
	if opened == 0 || len(handles) == 0 {
		t.Errorf("strace saw %d files of the server opened and %d handles: it did not see what there is", opened, len(handles))
	}
}

// paranoid sets the kernel's limit for a test, where it is another.
func paranoid(t *testing.T, level string) {
	t.Helper()
	const file = "/proc/sys/kernel/perf_event_paranoid"
	before, err := os.ReadFile(file)
	if err != nil {
		t.Skip(err)
	}
	if strings.TrimSpace(string(before)) == level {
		return
	}
	if err := os.WriteFile(file, []byte(level), 0); err != nil {
		t.Skipf("kernel.perf_event_paranoid is %s and cannot be set to %s: %v", before, level, err)
	}
	t.Cleanup(func() {
		if err := os.WriteFile(file, before, 0); err != nil {
			t.Errorf("put kernel.perf_event_paranoid back to %s: %v", before, err)
		}
	})
}

// refusing is a perf as kernels with a paranoid level of 3 and 4 (Debian's and
// Ubuntu's patch) have it for users: nothing can be counted.
const refusing = `#!/bin/sh
case "$1" in
--version|version) echo "perf version 6.1.187"; exit 0 ;;
esac
echo "Error:
Access to performance monitoring and observability operations is limited.
Consider adjusting /proc/sys/kernel/perf_event_paranoid setting (it is LEVEL)" >&2
exit 255
`

// unprivileged: a user who is neither root nor the server's gets each value
// right, or absent with the reason.
func unprivileged(t *testing.T, s *attachServer) {
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	lacking(t, "setpriv")
	s.load(t, 1, 30*time.Second)
	for _, level := range []string{"2", "3", "4"} {
		var env []string
		if level == "2" {
			paranoid(t, level)
		} else {
			dir, err := os.MkdirTemp("", "opcost-fake-")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			if err := os.WriteFile(filepath.Join(dir, "perf"), []byte(strings.ReplaceAll(refusing, "LEVEL", level)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
		}
		before, cpuBefore := switchesByHand(t, s.PID()), schedstats(t, s.PID())
		o := behind(t, env, []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"},
			"attach", "--pid", fmt.Sprint(s.PID()), "--no-login", "--duration", "1s", "--format", "json")
		most, mostCPU := switchesByHand(t, s.PID())-before, schedstats(t, s.PID())-cpuBefore
		var r liveReport
		if err := json.Unmarshal([]byte(o.stdout), &r); err != nil || o.code != exitDone || len(r.Rows) != 1 {
			t.Fatalf("level %s: exit %d, %v: %s", level, o.code, err, o.stderr)
		}
		for name, v := range r.Rows[0].Metrics {
			if (v.Value == nil) == (v.State == "ok") || v.Value == nil && v.Reason == "" {
				t.Errorf("level %s: %s is neither a value nor absent with a reason: %+v", level, name, v)
			}
		}
		// The window is a part of what the test itself has read around it.
		if got := r.metric(t, "context_switches_per_query") * r.Seconds; got <= 0 || got > most {
			t.Errorf("level %s: %v context switches, at most %v", level, got, most)
		}
		if got := r.metric(t, "cpu_us_per_query") * r.Seconds; got <= 0 || got > 1.01*mostCPU {
			t.Errorf("level %s: %v us of CPU, at most %v", level, got, mostCPU)
		}
		for _, name := range []string{"instructions_per_query", "read_kb_per_query"} {
			if v := r.Rows[0].Metrics[name]; v.Value != nil && name != "instructions_per_query" || v.Value == nil && v.Reason == "" {
				t.Errorf("level %s: %s: %+v", level, name, v)
			}
		}
	}
}

// switchesByHand are those of all threads.
func switchesByHand(t *testing.T, pid int) (n float64) {
	t.Helper()
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		for line := range strings.Lines(string(text)) {
			var one float64
			if _, count, is := strings.Cut(line, "voluntary_ctxt_switches:"); is {
				if _, err := fmt.Sscan(count, &one); err != nil {
					t.Fatal(err)
				}
				n += one
			}
		}
	}
	return n
}
