package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"opcost/perfctl/result"
)

// folders refuses, before anything is started, folders that a run cannot use.
// Work is "" where the results folder serves.
func folders(work string) error {
	if why := unfit(os.TempDir()); why != "" {
		return fmt.Errorf("the folder for temporary files, %s, %s: set TMPDIR to one with room that this user may write to", os.TempDir(), why)
	}
	if work == "" {
		return nil
	}
	if why := unfit(work); why != "" {
		return fmt.Errorf("--work %s %s: give a folder on the disk that is meant", work, why)
	}
	return nil
}

// unfit says why files cannot be made in a folder; "" when they can.
func unfit(dir string) string {
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	case err != nil:
		return "cannot be reached: " + err.Error()
	case !st.IsDir():
		return "is not a folder"
	}
	switch err := takesFiles(dir); {
	case err == nil:
		return ""
	case errors.Is(err, unix.EROFS):
		return "is on a disk that is mounted read-only"
	case result.NoSpace(err):
		return "is on a disk that is full"
	default:
		return "cannot be written to: " + err.Error()
	}
}

// takesFiles writes as much to a folder as a small output has.
func takesFiles(dir string) error {
	f, err := os.CreateTemp(dir, ".opcost-room-")
	if err != nil {
		return err
	}
	removed := os.Remove(f.Name()) // first, so that nothing is left however we end
	_, err = f.Write(make([]byte, 64<<10))
	return errors.Join(err, removed, f.Close())
}
