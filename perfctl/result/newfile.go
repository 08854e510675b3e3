package result

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// NewFile makes a file that appears under its name whole, or not at all,
// whatever fails or ends us meanwhile. A file that exists is left as it is
// ([fs.ErrExist]). Errors name the file.
func NewFile(path string, mode fs.FileMode, fill func(io.Writer) error) (err error) {
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "write", Path: path, Err: fs.ErrExist}
	}
	// Not by its name with more in front, which may be too long for one.
	part := filepath.Join(filepath.Dir(path), fmt.Sprintf("%s%016x", tempPrefix, rand.Uint64()))
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return named(path, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part) // the first error is the one to tell
			err = named(path, err)
		}
	}()
	err = fill(f)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := renameNew(part, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// named has an error about the file under its first name tell the final one.
func named(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &fs.PathError{Op: "write", Path: path, Err: err}
}

// renameNew renames a file to a name that is free.
func renameNew(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) {
		return err
	}
	// A file system that cannot: between this look and the renaming another
	// program may take the name.
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}
