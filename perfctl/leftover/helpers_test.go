package leftover

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test program play a run that is killed, and a process that
// lives for a while.
func TestMain(m *testing.M) {
	if os.Getenv("LEFTOVER_TEST_SLEEPER") != "" {
		time.Sleep(5 * time.Minute)
		return
	}
	if work := os.Getenv("LEFTOVER_TEST_OWNER"); work != "" {
		playOwner(work)
		return
	}
	os.Exit(m.Run())
}

// playOwner opens a journal, starts processes that outlive it, prints both, and
// waits for its end.
func playOwner(work string) {
	j, err := Open(work)
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	name, token := j.Environment()
	start := func(what, dir, argument string, env ...string) int {
		cmd := exec.Command("/proc/self/exe", argument)
		cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "LEFTOVER_TEST_SLEEPER=1"), env...)
		if err := cmd.Start(); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		fmt.Println(what, cmd.Process.Pid)
		return cmd.Process.Pid
	}
	mark := name + "=" + token
	recorded := start("recorded", "/", "--datadir="+j.Data()+"/a/data")
	if err := j.Started(recorded); err != nil {
		fmt.Println("error:", err)
	}
	elsewhere := start("recorded-elsewhere", "/", "--datadir="+j.Data()+"-of-another")
	if err := j.Started(elsewhere); err != nil {
		fmt.Println("error:", err)
	}
	start("marked", j.Data(), "", mark)
	start("marked-server", "/", "--datadir="+j.Data()+"/b/data", mark)
	start("marked-elsewhere", "/", "", mark)
	start("driver", "/", "", j.Variables()...)
	start("visitor", j.Data(), "--datadir="+j.Data()) // somebody's shell
	text, _ := json.Marshal(j.owner)
	fmt.Printf("ready %s\n", text)
	time.Sleep(5 * time.Minute)
}

// dead is a run that playOwner played.
type dead struct {
	cmd   *exec.Cmd
	owner owner
	pids  map[string]process
}

func playedOwner(t *testing.T, work string) dead {
	t.Helper()
	d := dead{cmd: exec.Command(os.Args[0]), pids: map[string]process{}}
	d.cmd.Env = append(os.Environ(), "LEFTOVER_TEST_OWNER="+work)
	d.cmd.Stderr = os.Stderr
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = d.cmd.Process.Kill()
		_ = d.cmd.Wait()
		for _, p := range d.pids {
			if err := kill(p); err != nil {
				t.Error(err)
			}
		}
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		what, rest, _ := strings.Cut(lines.Text(), " ")
		switch what {
		case "error:":
			t.Fatal(rest)
		case "ready":
			if err := json.Unmarshal([]byte(rest), &d.owner); err != nil {
				t.Fatal(err)
			}
			return d
		default:
			var pid int
			if _, err := fmt.Sscan(rest, &pid); err != nil {
				t.Fatal(err)
			}
			d.pids[what] = identified(t, pid)
		}
	}
	t.Fatal("the run that was to be killed ended by itself")
	return d
}

func identified(t *testing.T, pid int) process {
	t.Helper()
	ticks, err := startTicks(pid)
	if err != nil {
		t.Fatal(err)
	}
	return process{pid, ticks}
}

func alive(p process) bool {
	ticks, err := startTicks(p.PID)
	return err == nil && ticks == p.StartTicks
}

// sleeper is a process of the test that names a folder.
func sleeper(t *testing.T, argument string) process {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", argument)
	cmd.Env = append(os.Environ(), "LEFTOVER_TEST_SLEEPER=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := identified(t, cmd.Process.Pid)
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return p
}

// deadOwner writes the journal and makes the folders of a run that is dead: no
// process has its start time.
func deadOwner(t *testing.T, work string, change func(*owner), ps ...process) owner {
	t.Helper()
	o, err := us()
	if err != nil {
		t.Fatal(err)
	}
	name := o.Token[:10]
	o.StartTicks--
	o.Work, o.Data, o.Journal = work, dataPrefix+name, "opcost-"+name+journalSuffix
	o.Sockets = filepath.Join(os.TempDir(), socketsPrefix+name)
	if change != nil {
		change(&o)
	}
	for _, folder := range []string{o.data(), o.Sockets} {
		if err := o.makeFolder(folder); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(folder, "sub", "file"), "x")
	}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range ps {
		line, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		text = append(append(text, '\n'), line...)
	}
	put(t, filepath.Join(work, o.Journal), string(text)+"\n")
	return o
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// folders gives a work folder and makes a private one for temporary files.
func folders(t *testing.T) (work string) {
	t.Helper()
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tmp, err := os.MkdirTemp("", "j") // short enough for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(tmp) })
	t.Setenv("TMPDIR", tmp)
	return work
}

func empty(t *testing.T, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 0 {
			t.Errorf("%s holds %v (%v)", dir, entries, err)
		}
	}
}
