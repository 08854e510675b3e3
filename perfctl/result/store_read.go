package result

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

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
// results folder without runs is none.
func Read(dirs ...string) ([]Run, []Warning, error) {
	var all []place
	seen := map[string]bool{}
	for _, dir := range dirs {
		places, err := placesIn(dir)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range places {
			real, err := filepath.EvalSymlinks(p.path)
			if err == nil && seen[real] {
				continue // named twice, in whatever way
			}
			seen[real] = true
			all = append(all, p)
		}
	}
	runs, warnings := readAll(all)
	slices.SortStableFunc(runs, func(a, b Run) int {
		return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.ID, b.ID))
	})
	return runs, warnings, nil
}

// place is where a run should be.
type place struct{ dir, path string }

func placesIn(dir string) ([]place, error) {
	if _, err := os.Lstat(filepath.Join(dir, runFile)); err == nil {
		return []place{{dir, dir}}, nil
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
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") { // what desktops and editors leave
			places = append(places, place{dir, filepath.Join(dir, runsDir, e.Name())})
		}
	}
	return places, nil
}

// readAll reads runs on all CPUs: decoding is the work.
func readAll(places []place) ([]Run, []Warning) {
	type answer struct {
		run  Run
		warn *Warning
	}
	answers := make([]answer, len(places))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(places)) {
		wg.Go(func() {
			for i := range next {
				run, warn := readRun(places[i].path)
				run.Dir, run.Path = places[i].dir, places[i].path
				share(&run)
				answers[i] = answer{run, warn}
			}
		})
	}
	for i := range places {
		next <- i
	}
	close(next)
	wg.Wait()

	var runs []Run
	var warnings []Warning
	for _, a := range answers {
		if a.warn != nil {
			warnings = append(warnings, *a.warn)
			continue
		}
		runs = append(runs, a.run)
	}
	return runs, warnings
}

// readRun reads one run's folder.
func readRun(dir string) (Run, *Warning) {
	path := filepath.Join(dir, runFile)
	warn := func(code, format string, args ...any) (Run, *Warning) {
		return Run{}, &Warning{Code: code, Text: path + ": " + fmt.Sprintf(format, args...)}
	}
	text, err := readRegular(path)
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

// readRegular reads a file that is one: a FIFO would block, a link may lead
// anywhere.
func readRegular(path string) (text []byte, err error) {
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
	case st.Size() > maxRun:
		return nil, fmt.Errorf("it has %d MiB, and a record has at most %d", st.Size()>>20, maxRun>>20)
	}
	text = make([]byte, 0, st.Size()+512)
	for {
		n, err := f.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		switch {
		case err == io.EOF:
			return text, nil
		case err != nil:
			return nil, err
		case len(text) > maxRun:
			return nil, fmt.Errorf("it grows beyond %d MiB", maxRun>>20)
		case len(text) == cap(text):
			text = slices.Grow(text, len(text))
		}
	}
}
