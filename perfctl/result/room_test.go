package result

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// blocks is what a file takes on its disk, in bytes.
func blocks(t *testing.T, path string) int64 {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	return st.Blocks * 512
}

// TestRoomForRecord: it is there from the beginning of a run to its record's
// writing, and no longer.
func TestRoomForRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, id := range []string{"kept", "given-up"} {
		if _, err := f.Begin(id); err != nil {
			t.Fatal(err)
		}
		reserved := filepath.Join(dir, runsDir, id, reservedFile)
		if n := blocks(t, reserved); n != 0 && n < recordRoom { // 0: this file system cannot
			t.Errorf("%s: %d bytes are set aside", id, n)
		}
		if id == "kept" {
			if err := f.Write(aRun(id, 5)); err != nil {
				t.Fatal(err)
			}
			if n := blocks(t, filepath.Join(dir, runsDir, id, runFile)); n > 64<<10 {
				t.Errorf("the record keeps %d bytes of the room", n)
			}
		}
		f.Release(id)
		if _, err := os.Lstat(reserved); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the room is still taken: %v", id, err)
		}
	}
	runs, _, err := Read(dir)
	if err != nil || len(runs) != 1 || runs[0].ID != "kept" {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

// TestFolderReplaced: a folder that was removed, or that another was put in the
// place of, is not written to.
func TestFolderReplaced(t *testing.T) {
	for name, replace := range map[string]func(dir string) error{
		"removed": os.RemoveAll,
		"another": func(dir string) error {
			if err := os.Rename(dir, dir+"-old"); err != nil {
				return err
			}
			other, err := Create(dir)
			return errors.Join(err, other.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "results")
			f, err := Create(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.Begin("first"); err != nil {
				t.Fatal(err)
			}
			if err := replace(dir); err != nil {
				t.Fatal(err)
			}
			_, begin := f.Begin("second")
			for what, err := range map[string]error{"begin": begin, "write": f.Write(aRun("first", 5)), "discard": f.Discard("first")} {
				if !errors.Is(err, errReplaced) {
					t.Errorf("%s: %v", what, err)
				}
			}
			var u *Unwritable
			if !errors.As(begin, &u) || !strings.Contains(begin.Error(), dir) || !strings.Contains(begin.Error(), "leave it where it is") {
				t.Errorf("%v", begin)
			}
			if runs, _, _ := Read(dir); len(runs) > 0 {
				t.Errorf("it was written to: %+v", runs)
			}
		})
	}
}

// TestNewFile: whole or not at all, and what exists is left.
func TestNewFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	write := func(text string, err error) error {
		return NewFile(path, 0o600, func(w io.Writer) error {
			_, werr := io.WriteString(w, text)
			return errors.Join(werr, err)
		})
	}
	if err := write("half", unix.ENOSPC); !NoSpace(err) || !strings.Contains(err.Error(), path+": ") || strings.Contains(err.Error(), tempPrefix) {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if err := write("whole", nil); err != nil {
		t.Fatal(err)
	}
	if err := write("other", nil); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	text, err := os.ReadFile(path)
	if st, serr := os.Stat(path); string(text) != "whole" || err != nil || serr != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%q, %v, %v", text, st, err)
	}
	if err := renameNew(path, path); err == nil {
		t.Error("a name that is taken was taken")
	}
	if err := NewFile(filepath.Join(dir, "none", "f"), 0o600, nil); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), filepath.Join("none", "f")+": ") {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}
