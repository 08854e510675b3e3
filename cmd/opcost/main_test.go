package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"
)

// TestMain removes the program that the tests built.
func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := builtIn(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

var builtIn = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "opcost-cmd-") })

// built is the program itself, built once for all tests: signals and kills are
// about whole processes.
var built = sync.OnceValues(func() (string, error) {
	dir, err := builtIn()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "opcost")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// outcome is how a command ended.
type outcome struct {
	code           int // exit status; -1: a signal ended it
	stdout, stderr string
}

// opcost runs the program to its end.
func opcost(t *testing.T, args ...string) outcome {
	t.Helper()
	return start(t, t.TempDir(), args...).wait()
}

// lacking skips a live test on a machine without what it needs. Where the
// set-up has installed everything (`make test`), that is a failure.
func lacking(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			if _, err := os.Stat("/usr/sbin/" + p); err == nil {
				continue
			}
			if os.Getenv("OPCOST_TEST_ALL") == "1" {
				t.Fatalf("%s is not installed", p)
			}
			t.Skipf("%s is not installed (testbed/install.sh server perf valgrind)", p)
		}
	}
}

// command is an opcost under way. It runs in a folder of the test, which is how
// what it starts is told from all else on the machine.
type command struct {
	t      *testing.T
	cmd    *exec.Cmd
	dir    string
	stdout watched
	stderr watched
	ended  chan struct{}
}

// tmp is the folder for temporary files of commands that run in dir.
func tmp(dir string) string { return filepath.Join(dir, "tmp") }

func start(t *testing.T, dir string, args ...string) *command {
	t.Helper()
	return startTo(t, dir, nil, args...)
}

// startTo sends stderr to a file, which is how it gets a pipe of the test's.
func startTo(t *testing.T, dir string, stderr *os.File, args ...string) *command {
	t.Helper()
	return startIn(t, dir, nil, stderr, args...)
}

// startIn starts it with more in its environment (NAME=value).
func startIn(t *testing.T, dir string, env []string, stderr *os.File, args ...string) *command {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return startArgv(t, dir, env, stderr, append([]string{path}, args...)...)
}

// startArgv starts it, or another build of it, or a program that becomes it.
func startArgv(t *testing.T, dir string, env []string, stderr *os.File, argv ...string) *command {
	t.Helper()
	if err := os.MkdirAll(tmp(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	c := &command{t: t, cmd: exec.Command(argv[0], argv[1:]...), dir: dir, ended: make(chan struct{})}
	c.cmd.Dir, c.cmd.Env = dir, append(append(os.Environ(), "TMPDIR="+tmp(dir), "NO_COLOR=1"), env...)
	c.cmd.WaitDelay = 10 * time.Second // an orphan that holds the pipe must not hang the test
	c.cmd.Stdout, c.cmd.Stderr = &c.stdout, &c.stderr
	if stderr != nil {
		c.cmd.Stderr = stderr
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = c.cmd.Wait() // its end is in the ProcessState
		close(c.ended)
	}()
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		<-c.ended
	})
	return c
}

func (c *command) signal(sig syscall.Signal) {
	c.t.Helper()
	if err := c.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		c.t.Fatal(err)
	}
}

// patience is far more than anything takes, on a busy machine too.
const patience = 3 * time.Minute

func (c *command) wait() outcome {
	c.t.Helper()
	select {
	case <-c.ended:
	case <-time.After(patience):
		c.t.Fatalf("%v has not ended within %v; it said:\n%s", c.cmd.Args, patience, c.stderr.text())
	}
	return outcome{c.cmd.ProcessState.ExitCode(), c.stdout.text(), c.stderr.text()}
}

// until waits for a text on stderr.
func (c *command) until(text string) {
	c.t.Helper()
	eventually(c.t, fmt.Sprintf("stderr has %q", text), func() bool {
		select {
		case <-c.ended:
			if !strings.Contains(c.stderr.text(), text) {
				c.t.Fatalf("it ended without saying %q:\n%s", text, c.stderr.text())
			}
		default:
		}
		return strings.Contains(c.stderr.text(), text)
	})
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Fatalf("not within %v: %s", patience, what)
}

// watched is a stream that can be read while it is written to.
type watched struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

var _ io.Writer = (*watched)(nil)

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.Write(p)
}

func (w *watched) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

// found is a process of a test.
type found struct {
	pid   int
	ticks uint64
	line  string
}

// alive are the processes that descend from commands run in dir, found by
// other means than opcost's own: their environment, command line and working
// directory.
func alive(t *testing.T, dir string) []found {
	t.Helper()
	all, err := procfs.AllProcs()
	if err != nil {
		t.Fatal(err)
	}
	var list []found
	for _, p := range all {
		env, _ := p.Environ() // of a process that has just ended: nothing
		args, _ := p.CmdLine()
		cwd, _ := p.Cwd()
		line := strings.Join(args, " ")
		if p.PID == os.Getpid() || !slices.Contains(env, "TMPDIR="+tmp(dir)) && !strings.Contains(line, dir) && !strings.HasPrefix(cwd, dir) {
			continue
		}
		if stat, err := p.Stat(); err == nil && stat.State != "Z" {
			list = append(list, found{p.PID, stat.Starttime, fmt.Sprintf("%s %s", stat.Comm, line)})
		}
	}
	return list
}

// named are those of a program.
func named(list []found, program string) []found {
	return slices.DeleteFunc(slices.Clone(list), func(f found) bool { return !strings.HasPrefix(f.line, program) })
}

// nothingAlive waits until all that descends from the commands in dir is gone.
func nothingAlive(t *testing.T, dir string) {
	t.Helper()
	var list []found
	for range 3000 { // a machine was seen to stand still for longer than what is killed takes to go
		if list = alive(t, dir); len(list) == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("alive after a minute: %+v", list)
}

// nothingLeft looks for what is neither a result nor the test's own.
func nothingLeft(t *testing.T, dir, out string) {
	t.Helper()
	for folder, want := range map[string][]string{filepath.Join(dir, out): {"opcost-results", "plans", "runs", "logs"}, tmp(dir): nil} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !slices.Contains(want, e.Name()) {
				t.Errorf("%s was left in %s", e.Name(), folder)
			}
		}
	}
}
