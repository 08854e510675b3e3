package leftover

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestJournal(t *testing.T) {
	work := folders(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(work, link); err != nil {
		t.Fatal(err)
	}
	j, err := Open(link)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(j.Data()) != work || filepath.Dir(j.Sockets()) != os.TempDir() {
		t.Errorf("folders %s and %s", j.Data(), j.Sockets())
	}
	for _, dir := range []string{j.Data(), j.Sockets()} {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, info, err)
		}
	}
	if notes := Clear(work); len(notes) > 0 || !there(j.Data()) || !there(j.Sockets()) {
		t.Errorf("a living run was cleared: %q", notes)
	}
	p := sleeper(t, j.Data()+"/a/data")
	if err := j.Started(p.PID); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(j.Data(), "a", "data", "ibdata1"), "x")
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if alive(p) {
		t.Error("a process that was written down outlived Close")
	}
	empty(t, work, os.TempDir())
	if err := j.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
	if err := j.Started(os.Getpid()); err == nil {
		t.Error("a process could be started after the end")
	}
	if _, err := Open(filepath.Join(work, "none")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// A long TMPDIR leaves no room for a socket's path.
func TestSocketParent(t *testing.T) {
	for dir, want := range map[string]string{"/var/tmp": "/var/tmp", "/" + strings.Repeat("x", 70): "/tmp"} {
		t.Setenv("TMPDIR", dir)
		if got := socketParent(); got != want {
			t.Errorf("%s: %s", dir, got)
		}
		if path := socketParent() + "/opcost-0123456789/s4294967295/mysqld.sock"; len(path) > 107 {
			t.Errorf("%s has %d bytes", path, len(path))
		}
	}
}

// Runs that begin while others look for leftovers are not taken for dead.
func TestOpenAndClearAtOnce(t *testing.T) {
	work := folders(t)
	stop := make(chan struct{})
	var clearing, opening sync.WaitGroup
	for range 2 {
		clearing.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if notes := Clear(work); len(notes) > 0 {
					t.Errorf("cleared a living run: %q", notes)
				}
			}
		})
	}
	for range 4 {
		opening.Go(func() {
			for range 25 {
				j, err := Open(work)
				if err != nil {
					t.Error(err)
					return
				}
				if !there(j.Data()) || !there(j.Sockets()) || !there(j.path) {
					t.Error("a living run has lost a folder")
				}
				if err := j.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	opening.Wait()
	close(stop)
	clearing.Wait()
	empty(t, work, os.TempDir())
}
