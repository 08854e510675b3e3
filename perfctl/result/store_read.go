package result

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Codes of the warnings of [Read]; each names a run that was left out.
const (
	CodeUnfinished = "run_unfinished" // a folder without run.json: the run did not come to its end
	CodeUnreadable = "run_unreadable" // not a regular file, too big, half-written, no record
	CodeSchema     = "run_schema"     // written by a newer opcost
	CodeChanged    = "run_changed"    // valid, and not what was written
	CodeInvalid    = "run_invalid"    // breaks a rule of the record
)

// maxRun bounds run.json; one is a few kB.
const maxRun = 16 << 20

// Read gives the runs in results folders, or in single runs' folders, sorted by
// time of start and then id. A run that cannot be trusted is named in a warning
// and left out. The error is for a folder that holds no results at all: a new
// results folder without runs is none. Of a folder with many runs an index is
// kept in it, where it may be written.
func Read(dirs ...string) ([]Run, []Warning, error) { return ReadOnly(nil, dirs...) }

// ReadOnly is Read without the readings that keep does not ask for by their
// name; nil keeps all. Twenty thousand runs have millions of them.
func ReadOnly(keep func(reading string) bool, dirs ...string) ([]Run, []Warning, error) {
	return readAll(keep, nil, dirs)
}

// readAll reads folders, and with packed what was read goes there too, whole.
func readAll(keep func(reading string) bool, packed *Packed, dirs []string) ([]Run, []Warning, error) {
	var sorted []*Run
	var warnings []Warning
	seen, shared := map[string]bool{}, newShared()
	for _, dir := range dirs {
		places, err := placesIn(dir)
		if err != nil {
			return nil, nil, err
		}
		places = slices.DeleteFunc(places, func(p place) bool {
			was := seen[p.real]
			seen[p.real] = true
			return was // named twice, in whatever way
		})
		answers, x := fromIndex(dir, places, keep, shared, packed != nil)
		if packed != nil && x != nil {
			packed.of[dir] = x.whole()
		}
		for i := range answers {
			if w := answers[i].warn; w != nil {
				warnings = append(warnings, *w)
			} else {
				sorted = append(sorted, &answers[i].run)
			}
		}
	}
	slices.SortStableFunc(sorted, func(a, b *Run) int {
		return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.ID, b.ID))
	})
	var runs []Run
	if len(sorted) > 0 {
		runs = make([]Run, len(sorted)) // growing bit by bit moves thousands of them each time
	}
	for i, r := range sorted {
		runs[i] = *r
	}
	return runs, warnings, nil
}

// answer is a run, or why there is none.
type answer struct {
	run  Run
	warn *Warning
}

// only leaves out the readings that are not asked for.
func (r *Run) only(keep func(reading string) bool) {
	for _, p := range r.Passes {
		for i := range p.Windows {
			w := &p.Windows[i]
			n := 0
			for i := range w.Readings {
				if keep(w.Readings[i].Name) {
					n++
				}
			}
			kept := make([]Reading, 0, n)
			for _, x := range w.Readings {
				if keep(x.Name) {
					kept = append(kept, x)
				}
			}
			w.Readings = kept
		}
	}
}

// place is where a run should be.
type place struct {
	dir, path string
	real      string // path without symbolic links, where it can be told
}

// realPath is the path without symbolic links, or the path where that fails.
func realPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

func placesIn(dir string) ([]place, error) {
	if _, err := os.Lstat(filepath.Join(dir, runFile)); err == nil {
		return []place{{dir, dir, realPath(dir)}}, nil
	}
	entries, err := os.ReadDir(filepath.Join(dir, runsDir))
	if err != nil {
		st, serr := os.Stat(dir)
		_, merr := os.Lstat(filepath.Join(dir, markFile))
		switch {
		case errors.Is(serr, fs.ErrNotExist):
			return nil, fmt.Errorf("results: %s does not exist; name the folder given to `opcost run --out`", dir)
		case serr != nil:
			return nil, fmt.Errorf("results: %w", serr)
		case !st.IsDir():
			return nil, fmt.Errorf("results: %s is not a folder; name the one given to `opcost run --out`", dir)
		case errors.Is(err, fs.ErrNotExist) && merr == nil:
			return nil, nil
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("results: there are none in %s; name the folder given to `opcost run --out`", dir)
		}
		return nil, fmt.Errorf("results: %w", err)
	}
	var places []place
	runs := realPath(filepath.Join(dir, runsDir))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") { // what desktops and editors leave
			continue
		}
		p := place{dir, filepath.Join(dir, runsDir, e.Name()), filepath.Join(runs, e.Name())}
		if e.Type()&fs.ModeSymlink != 0 {
			p.real = realPath(p.path)
		}
		places = append(places, p)
	}
	return places, nil
}

// readPlaces reads the run.json of some places on all CPUs, as decoding is the
// work, puts them into an index where one is made, and leaves out the readings
// that are not asked for.
func readPlaces(places []place, answers []answer, some []int, made *indexMaker, keep func(reading string) bool, shared *shared) {
	each(len(some), func() func(int) {
		buffer := new([]byte)
		return func(n int) {
			p := places[some[n]]
			before, ok := stampOf(filepath.Join(p.path, runFile))
			run, warn := readRun(p.path, buffer)
			run.Dir, run.Path = p.dir, p.path
			shared.share(&run)
			if made != nil && warn == nil && ok {
				if after, ok := stampOf(filepath.Join(p.path, runFile)); ok && after == before { // else it changed meanwhile
					made.add(p.path, before, &run)
				}
			}
			if keep != nil {
				run.only(keep)
			}
			answers[some[n]] = answer{run, warn}
		}
	})
}

// readRun reads one run's folder, in a buffer that may be used again (nil: none).
func readRun(dir string, buffer *[]byte) (Run, *Warning) {
	path := filepath.Join(dir, runFile)
	warn := func(code, format string, args ...any) (Run, *Warning) {
		return Run{}, &Warning{Code: code, Text: path + ": " + fmt.Sprintf(format, args...)}
	}
	text, err := readRegular(path, buffer)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return warn(CodeUnfinished, "there is none: the run did not come to its end; `opcost run` with the same plan and folder measures it again")
	case err != nil:
		return warn(CodeUnreadable, "%v", err)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return warn(CodeUnreadable, "%v", err)
	}
	run, w := decode(filepath.Base(abs), text)
	if w != nil {
		return warn(w.Code, "%s", w.Text)
	}
	return run, nil
}

// readRegular reads a record's file; see [readRegularUpTo].
func readRegular(path string, buffer *[]byte) ([]byte, error) {
	return readRegularUpTo(path, maxRun, buffer)
}

// readRegularUpTo reads a file that is one: a FIFO would block, a link may lead
// anywhere. With a buffer the text is good until that is used again.
func readRegularUpTo(path string, most int64, buffer *[]byte) (text []byte, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, unix.ELOOP):
		return nil, errors.New("it is a symbolic link, not a file")
	case errors.Is(err, unix.ENOTDIR):
		return nil, errors.New("what should be the run's folder is a file")
	case errors.Is(err, unix.ENXIO):
		return nil, errors.New("it is not a regular file")
	case err != nil:
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case st.Size() > most:
		return nil, fmt.Errorf("it has %d MiB, and a record has at most %d", st.Size()>>20, most>>20)
	}
	if buffer == nil {
		buffer = new([]byte)
	}
	text = slices.Grow((*buffer)[:0], int(st.Size())+512)
	defer func() { *buffer = text }()
	for {
		n, err := f.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		switch {
		case err == io.EOF:
			return text, nil
		case err != nil:
			return text, err
		case int64(len(text)) > most:
			return text, fmt.Errorf("it grows beyond %d MiB", most>>20)
		case len(text) == cap(text):
			text = slices.Grow(text, len(text))
		}
	}
}

// IsFolder tells a results folder of opcost by its mark.
func IsFolder(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, markFile))
	return err == nil && info.Mode().IsRegular()
}
