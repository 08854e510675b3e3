package result

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// ownDir makes a folder, unless it is there. A link to one is refused: we
// remove things in it.
func ownDir(path string) error {
	err := os.Mkdir(path, 0o700)
	if err == nil {
		return nil
	}
	if st, serr := os.Lstat(path); serr == nil && st.IsDir() {
		return nil
	} else if serr == nil {
		return fmt.Errorf("results folder: %s is there and is not a folder", path)
	}
	return fmt.Errorf("results folder: %w", err)
}

const tempPrefix = ".new-"

// replace writes a file so that it is there whole, or not at all, even when the
// machine stops.
func replace(path string, text []byte) error {
	dir, name := filepath.Split(path)
	tmp, err := os.CreateTemp(dir, tempPrefix+name+"-")
	if err != nil {
		return err
	}
	return become(tmp, path, text)
}

// replaceReserved does it in the room of a reserved file, where there is one.
func replaceReserved(reserved, path string, text []byte) error {
	tmp, err := os.OpenFile(reserved, os.O_WRONLY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return replace(path, text)
	}
	if err != nil {
		return err
	}
	return become(tmp, path, text)
}

// become gives a file its text and its name.
func become(tmp *os.File, path string, text []byte) (err error) {
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name()) // the first error is the one to tell
		}
	}()
	_, werr := tmp.Write(text)
	if werr == nil {
		werr = tmp.Truncate(int64(len(text)))
	}
	if werr == nil {
		werr = tmp.Sync()
	}
	if err := errors.Join(werr, tmp.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes the names in a folder last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if slices.ContainsFunc([]error{unix.EINVAL, unix.EOPNOTSUPP}, func(e error) bool { return errors.Is(err, e) }) {
		err = nil // a file system that cannot; nothing to be done
	}
	return errors.Join(err, d.Close())
}
