package result

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

const writeTo = "OPCOST_TEST_WRITE_TO"

// TestMain lets this program be the other process of TestKilledWhileWriting.
func TestMain(m *testing.M) {
	if dir := os.Getenv(writeTo); dir != "" {
		fmt.Fprintln(os.Stderr, "writer:", writeForever(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func writeForever(dir string) error {
	f, err := Create(dir)
	for i := 0; err == nil; i++ {
		id := fmt.Sprintf("p%d-%d", os.Getpid(), i)
		var evidence string
		if evidence, err = f.Begin(id); err != nil {
			break
		}
		if err = os.WriteFile(filepath.Join(evidence, "w0"), []byte("raw"), 0o600); err != nil {
			break
		}
		err = f.Write(aRun(id, 5))
	}
	return err
}

// A process that is killed at any moment leaves whole runs, at most one that is
// unfinished, and a folder that the next one can write to.
func TestKilledWhileWriting(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "results")
	before, unfinished := 0, 0
	const rounds = 8
	for round := range rounds {
		p, err := os.StartProcess(exe, []string{exe}, &os.ProcAttr{
			Env:   append(os.Environ(), writeTo+"="+dir),
			Files: []*os.File{nil, os.Stderr, os.Stderr},
			Sys:   &syscall.SysProcAttr{Setpgid: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := p.Wait()
			ended <- err
		}()
		for count(t, dir) <= before+unfinished+3 { // it is well under way
			select {
			case err := <-ended:
				t.Fatalf("the writer ended by itself: %v", err)
			case <-time.After(time.Millisecond):
			}
		}
		time.Sleep(time.Duration(round) * 700 * time.Microsecond)
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		runs, warnings := mustRead(t, dir)
		for _, w := range warnings {
			if w.Code != CodeUnfinished {
				t.Errorf("round %d: %v", round, w)
			}
		}
		if len(runs) < before+1 || len(warnings) > round+1 {
			t.Errorf("round %d: %d runs after %d, %d unfinished", round, len(runs), before, len(warnings))
		}
		before, unfinished = len(runs), len(warnings)
	}
	t.Logf("%d runs, %d unfinished after %d kills", before, unfinished, rounds)
}

// count is of the run folders so far.
func count(t *testing.T, dir string) int {
	entries, err := os.ReadDir(filepath.Join(dir, runsDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return len(entries)
}
