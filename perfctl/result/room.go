package result

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// recordRoom is set aside on the disk for a run's record before the run is
// measured: evidence may fill the disk meanwhile, and the record is then kept
// all the same. A record has a few kB.
const recordRoom = 256 << 10

const reservedFile = tempPrefix + runFile + "-reserved"

// Unwritable is why a results folder takes no further runs. Who measures must
// stop: what came next would be measured and lost.
type Unwritable struct {
	Dir string
	Err error
}

func (u *Unwritable) Error() string {
	return fmt.Sprintf("results folder %s takes no more runs: %v; %s, then the same command goes on with what is missing", u.Dir, u.Err, u.remedy())
}

func (u *Unwritable) Unwrap() error { return u.Err }

func (u *Unwritable) remedy() string {
	switch {
	case NoSpace(u.Err):
		return "what is in it is kept; make room on its disk (df -h)"
	case errors.Is(u.Err, unix.EROFS):
		return "what is in it is kept; have its disk mounted for writing"
	case errors.Is(u.Err, errReplaced), errors.Is(u.Err, fs.ErrNotExist):
		return "put it back, and leave it where it is while opcost runs"
	}
	return "mend that"
}

var errReplaced = errors.New("it was removed while it was written to, or another was put in its place")

// NoSpace tells an error that a full disk, or a quota, is the cause of.
func NoSpace(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)
}

// unwritable marks errors of the file system, which the next run would meet too.
// Others are about one run.
func (f *Folder) unwritable(err error) error {
	var no unix.Errno
	if errors.Is(err, errReplaced) || errors.As(err, &no) {
		return &Unwritable{f.dir, err}
	}
	return err
}

// same makes sure that the folder is the one that was locked.
func (f *Folder) same() error {
	locked, err := f.mark.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Lstat(filepath.Join(f.dir, markFile)); err != nil || !os.SameFile(locked, there) {
		return errReplaced
	}
	return nil
}

// reserve sets the room for a run's record aside, where the file system can.
func reserve(run string) error {
	path := filepath.Join(run, reservedFile)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		err = unix.Fallocate(int(file.Fd()), 0, 0, recordRoom)
	}
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		err = nil
	}
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(path)
		return fmt.Errorf("room for its record: %w", err)
	}
	return nil
}

// Release gives back the room of a run that [Folder.Begin] set aside and whose
// record was not written.
func (f *Folder) Release(id string) {
	_ = os.Remove(filepath.Join(f.dir, runsDir, id, reservedFile)) // it is gone when the record is there
}

// Discard removes a run, complete or not, that can be had again.
func (f *Folder) Discard(id string) error {
	if !runID.MatchString(id) {
		return fmt.Errorf("run %q: its id does not do as a folder's name", id)
	}
	if err := f.same(); err != nil {
		return err
	}
	run := filepath.Join(f.dir, runsDir, id)
	if err := os.Remove(filepath.Join(run, runFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(run)
}
