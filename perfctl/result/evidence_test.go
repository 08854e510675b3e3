package result

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Evidence is read from the run's own folder: nothing that leads elsewhere, and
// nothing that is no file.
func TestEvidence(t *testing.T) {
	run := Run{ID: "r", Path: t.TempDir()}
	if _, err := run.EvidenceFiles(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
	dir := filepath.Join(run.Path, evidenceDir)
	outside := filepath.Join(t.TempDir(), "secret")
	for _, err := range []error{
		os.Mkdir(dir, 0o700), os.Mkdir(filepath.Join(dir, "folder"), 0o700), os.WriteFile(outside, []byte("x"), 0o600), os.WriteFile(filepath.Join(dir, "a.json"), []byte("12345"), 0o600),
		os.Symlink(outside, filepath.Join(dir, "link")), os.Symlink("a.json", filepath.Join(dir, "inside")), syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if names, err := run.EvidenceFiles(); err != nil || !slices.Equal(names, []string{"a.json"}) {
		t.Errorf("%v %v", names, err)
	}
	if path, err := run.EvidenceFile("a.json", 5); err != nil || path != filepath.Join(dir, "a.json") {
		t.Errorf("%s %v", path, err)
	}
	if _, err := run.EvidenceFile("none", 5); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	for name, says := range map[string]string{
		"link": "symbolic link", "inside": "symbolic link", "pipe": "pipe", "folder": "a folder", "../run.json": "no file of its folder", outside: "no file of its folder", "..": "no file", ".": "no file", "": "no file",
	} {
		if _, err := run.EvidenceFile(name, 1<<20); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", name, err, says)
		}
	}
	if _, err := run.EvidenceFile("a.json", 4); err == nil {
		t.Error("one over the limit is given")
	}
	elsewhere := Run{ID: "r", Path: t.TempDir()}
	if err := os.Symlink(dir, filepath.Join(elsewhere.Path, evidenceDir)); err != nil {
		t.Fatal(err)
	}
	if _, err := elsewhere.EvidenceFiles(); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("%v", err)
	}
	if _, err := elsewhere.EvidenceFile("a.json", 1<<20); err == nil {
		t.Error("a file of a folder that is a link")
	}
}

// A results folder that every user may write to is not written into.
func TestCreateOpenToAll(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir); err == nil || !strings.Contains(err.Error(), "chmod o-w") {
		t.Errorf("%v", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// Its logs go into folders of its own, wherever links lead.
	logs := filepath.Join(dir, logsDir)
	if err := os.Symlink(t.TempDir(), logs); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Logs("a"); err == nil {
		t.Error("logs go where a link leads")
	}
	if err := os.Remove(logs); err != nil {
		t.Fatal(err)
	}
	if path, err := f.Logs("a"); err != nil || path != filepath.Join(logs, "a") {
		t.Errorf("%s %v", path, err)
	}
	if _, err := f.Logs("../a"); err == nil {
		t.Error("a name that leads out of the folder")
	}
	for _, path := range []string{logs, filepath.Join(dir, runsDir), filepath.Join(dir, plansDir)} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
}
