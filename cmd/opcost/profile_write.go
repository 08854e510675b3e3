package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"golang.org/x/term"
)

// writing are the flags of commands that write a file.
type writing struct {
	Out   string `help:"The file to write; - is stdout. Default: stdout, if that is no terminal." placeholder:"FILE"`
	Force bool   `help:"Write over the file if it is there."`
}

// write makes the file whole or not at all. A device or a pipe is written to, not
// replaced by a file; of a symbolic link, what it leads to is replaced.
func (o writing) write(con console, fill func(io.Writer) error) error {
	if o.Out == "" || o.Out == "-" {
		if f, ok := con.out.(*os.File); ok && o.Out == "" && term.IsTerminal(int(f.Fd())) {
			return usageError{errors.New("stdout is a terminal: give --out FILE")}
		}
		return fill(con.out)
	}
	path := o.Out
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	switch info, err := os.Lstat(path); {
	case err == nil && info.IsDir():
		return usageError{fmt.Errorf("--out %s is a folder: give the name of a file", o.Out)}
	case err == nil && !info.Mode().IsRegular() && info.Mode()&os.ModeSymlink == 0:
		return into(path, os.O_WRONLY, fill)
	case err == nil && !o.Force:
		return usageError{fmt.Errorf("%s is there already: give another --out, or --force to write over it", o.Out)}
	}
	part := filepath.Join(filepath.Dir(path), fmt.Sprintf(".opcost-%016x", rand.Uint64()))
	if err := into(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fill); err != nil {
		if !errors.Is(err, os.ErrExist) {
			_ = os.Remove(part)
		}
		return fmt.Errorf("--out %s: %w", o.Out, err)
	}
	return os.Rename(part, path)
}

func into(path string, flags int, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(fill(f), f.Close())
}
