package result

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// EvidenceFiles names the files of a run's evidence; without a folder of it the
// error is [fs.ErrNotExist]. A results folder may come from elsewhere, so what is
// no regular file (a link, a pipe) is left out, and a folder that is a link is an
// error.
func (r Run) EvidenceFiles() (names []string, err error) {
	entries, err := r.EvidenceEntries()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// EvidenceEntries is all that is in the folder of a run's evidence, what is no
// file included: for those who tell what they leave out. Errors are those of
// [Run.EvidenceFiles].
func (r Run) EvidenceEntries() ([]fs.DirEntry, error) {
	dir, err := r.evidence()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, r.unreadable(err)
	}
	return entries, nil
}

// EvidenceFile is the path of a file of a run's evidence, by its name; one that
// is not there is [fs.ErrNotExist]. A name or a link that leads elsewhere, what
// is no file, and a file of more than `most` bytes are errors.
func (r Run) EvidenceFile(name string, most int64) (path string, err error) {
	dir, err := r.evidence()
	if err != nil {
		return "", err
	}
	if name == "." || name != filepath.Base(name) || !filepath.IsLocal(name) {
		return "", fmt.Errorf("run %s: evidence %q is no file of its folder", r.ID, name)
	}
	path = filepath.Join(dir, name)
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("run %s: evidence %q is not a file but %s, and is not read", r.ID, name, kindOf(info.Mode()))
	case info.Size() > most:
		return "", fmt.Errorf("run %s: evidence %q has %d MiB, and up to %d are read", r.ID, name, info.Size()>>20, most>>20)
	}
	return path, nil
}

// evidence is the folder of a run's evidence.
func (r Run) evidence() (string, error) {
	if r.Path == "" {
		return "", fs.ErrNotExist
	}
	dir := filepath.Join(r.Path, evidenceDir)
	info, err := os.Lstat(dir)
	if err != nil {
		return "", r.unreadable(err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("run %s: its folder of evidence is not one but %s, and is not read", r.ID, kindOf(info.Mode()))
	}
	return dir, nil
}

// unreadable names the run in place of the path, as pages and bundles show it.
func (r Run) unreadable(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("run %s: its evidence cannot be read: %w", r.ID, err)
}

func kindOf(m fs.FileMode) string {
	switch m.Type() {
	case fs.ModeSymlink:
		return "a symbolic link"
	case fs.ModeDir:
		return "a folder"
	case 0:
		return "a file"
	}
	return "a device, socket or pipe"
}
