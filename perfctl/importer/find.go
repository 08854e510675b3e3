package importer

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"opcost/perfctl/result"
)

const (
	maxFiles = 20_000
	maxDepth = 8
	maxSize  = 64 << 20 // a file's bytes, uncompressed
)

var errTooLong = fmt.Errorf("it has more than %d MiB, as no output that is read here; import a part of it", maxSize>>20)

// source is a file to be read.
type source struct {
	path string
	name string // its base name, without .gz
	dir  string // its folder, absolute
	// set names what belongs together: the folder's files, or those of it that
	// begin alike (inmem_o.qps.abs, inmem_o.met).
	set  string
	time time.Time
}

// find lists the files at path: itself, or those in the folder and below, in
// order of their names. Links within a folder are not followed.
func find(path string) ([]source, []result.Warning, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, nil, fmt.Errorf("import: %w", err)
	}
	if st.Mode().IsRegular() {
		s, err := sourceOf(path, st)
		return []source{s}, nil, err
	}
	if !st.IsDir() {
		return nil, nil, fmt.Errorf("import: %s is neither a file nor a folder", path)
	}
	if result.IsFolder(path) {
		return nil, nil, fmt.Errorf("import: %s holds results of opcost already; `opcost report %s` prints them", path, path)
	}
	var (
		found []source
		ws    []result.Warning
	)
	root, err := filepath.EvalSymlinks(path) // WalkDir would not enter a link
	if err != nil {
		return nil, nil, fmt.Errorf("import: %w", err)
	}
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		shown := filepath.Join(path, strings.TrimPrefix(p, root))
		switch {
		case err != nil && p == root:
			return err
		case err != nil:
			ws = append(ws, result.Warning{Code: CodeFailed, Text: fmt.Sprintf("%s cannot be read: %v", shown, err)})
			return nil
		case d.IsDir() && strings.Count(strings.TrimPrefix(p, root), string(filepath.Separator)) > maxDepth:
			ws = append(ws, result.Warning{Code: CodeSkipped, Text: fmt.Sprintf("%s is left out: it is more than %d folders deep", shown, maxDepth)})
			return fs.SkipDir
		case d.IsDir() && result.IsFolder(p) && p != root:
			ws = append(ws, result.Warning{Code: CodeSkipped, Text: fmt.Sprintf("%s is left out: it holds results of opcost already", shown)})
			return fs.SkipDir
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			ws = append(ws, result.Warning{Code: CodeSkipped, Text: fmt.Sprintf("%s is left out: it is no regular file (links are not followed)", shown)})
			return nil
		case len(found) >= maxFiles:
			return fmt.Errorf("%s holds more than %d files; import its folders one by one", path, maxFiles)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		s, err := sourceOf(p, info)
		s.path = shown
		found = append(found, s)
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("import: %w", err)
	}
	return found, ws, nil
}

func sourceOf(path string, st fs.FileInfo) (source, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return source{}, fmt.Errorf("import: %w", err)
	}
	s := source{path: path, name: strings.TrimSuffix(filepath.Base(path), ".gz"), dir: filepath.Dir(abs), time: st.ModTime()}
	s.set = filepath.Join(s.dir, setOf(s.name))
	return s, nil
}

// text reads the file, compressed or not.
func (s source) text() ([]byte, error) {
	f, err := os.OpenFile(s.path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO that took its place does not block
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	} else if st.Size() > maxSize {
		return nil, errTooLong
	}
	var r io.Reader = f
	magic := make([]byte, 2)
	if n, _ := f.ReadAt(magic, 0); n == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		r = z
	}
	b, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	switch {
	case err != nil:
		return nil, err
	case len(b) > maxSize:
		return nil, errTooLong
	case len(bytes.TrimSpace(b)) == 0:
		return nil, errors.New("it is empty")
	}
	return b, nil
}
