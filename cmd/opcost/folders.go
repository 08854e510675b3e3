package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// folders refuses, before anything is started, folders that a run cannot use.
// Work is "" where the results folder serves.
func folders(work string) error {
	if why := unfit(os.TempDir()); why != "" {
		return fmt.Errorf("the folder for temporary files, %s, %s: set TMPDIR to one that this user may write to", os.TempDir(), why)
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
	switch err := unix.Access(dir, unix.W_OK|unix.X_OK); {
	case errors.Is(err, unix.EROFS):
		return "is on a disk that is mounted read-only"
	case err != nil:
		return "cannot be written to: " + err.Error()
	}
	return ""
}
