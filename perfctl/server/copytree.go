package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// errNoReflink is a file system that cannot share blocks between files.
var errNoReflink = errors.New("the file system cannot share blocks between files (reflink): XFS made with reflink=1 and btrfs can")

// copier copies one file's content and gives the bytes it copied or shared.
type copier func(to, from *os.File, size int64) (int64, error)

// copyTree copies folders, plain files and links; sockets and pipes of a
// server that ended are left out. The destination must not exist.
func copyTree(ctx context.Context, to, from string, copyContent copier) (int64, error) {
	var total int64
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			return os.Mkdir(target, info.Mode().Perm())
		case entry.Type() == fs.ModeSymlink:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case entry.Type().IsRegular():
			n, err := copyFile(target, path, info, copyContent)
			total += n
			return err
		}
		return nil
	})
	return total, err
}

func copyFile(to, from string, info fs.FileInfo, copyContent copier) (int64, error) {
	in, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return 0, err
	}
	n, err := copyContent(out, in, info.Size())
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		err = fmt.Errorf("copy %s to %s: %w", from, to, err)
	}
	return n, err
}

// reflink shares the blocks (FICLONE, man ioctl_ficlone).
func reflink(to, from *os.File, size int64) (int64, error) {
	err := unix.IoctlFileClone(int(to.Fd()), int(from.Fd()))
	switch err {
	case nil:
		return size, nil
	case unix.EOPNOTSUPP, unix.EXDEV, unix.EINVAL, unix.ENOTTY, unix.ENOSYS:
		return 0, errNoReflink
	}
	return 0, err
}

// copySparse copies the parts of a file that hold data and leaves its holes
// (SEEK_DATA, man lseek): preallocated and compressed tablespaces keep their
// size on disk.
func copySparse(to, from *os.File, size int64) (int64, error) {
	var copied, at int64
	for at < size {
		begin, err := unix.Seek(int(from.Fd()), at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			break // a hole to the end
		}
		end := size
		switch {
		case errors.Is(err, unix.EINVAL): // a file system without holes
			begin = at
		case err != nil:
			return copied, err
		default:
			if end, err = unix.Seek(int(from.Fd()), begin, unix.SEEK_HOLE); err != nil {
				return copied, err
			}
		}
		if _, err := from.Seek(begin, io.SeekStart); err != nil {
			return copied, err
		}
		if _, err := to.Seek(begin, io.SeekStart); err != nil {
			return copied, err
		}
		n, err := io.CopyN(to, from, end-begin)
		copied += n
		if err != nil {
			return copied, err
		}
		at = end
	}
	return copied, to.Truncate(size)
}
