package result

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"
)

// A results folder looks like this:
//
//	DIR/opcost-results           marks the folder as ours; locked while it is written to
//	DIR/plans/NAME.HASH.yaml     the plans that were measured, as they were written
//	DIR/runs/ID/run.json         one run, see [Run]
//	DIR/runs/ID/evidence/        the raw outputs of its windows
//	DIR/logs/VERSION/            the servers' logs
//
// A run is there when its run.json is: that file appears whole, or not at all.
const (
	markFile    = "opcost-results"
	runsDir     = "runs"
	plansDir    = "plans"
	runFile     = "run.json"
	evidenceDir = "evidence"
	logsDir     = "logs"
)

const markText = "A results folder of opcost, layout 1. `opcost report` prints what it holds.\n"

// Folder is a results folder that is being written to.
type Folder struct {
	dir  string
	mark *os.File // holds the lock
}

// Create makes a results folder (mode 0700), or opens one for more runs. It
// refuses a folder that holds other things, and one that another opcost is
// writing to.
func Create(dir string) (*Folder, error) {
	if err := makeDir(dir); err != nil {
		return nil, err
	}
	if err := refuseForeign(dir); err != nil {
		return nil, err
	}
	mark, err := os.OpenFile(filepath.Join(dir, markFile), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	f := &Folder{dir: dir, mark: mark}
	if err := f.take(); err != nil {
		return nil, errors.Join(err, mark.Close())
	}
	return f, nil
}

// makeDir makes the folder, where it is not there.
func makeDir(dir string) error {
	st, err := os.Stat(dir)
	_, there := os.Lstat(dir)
	switch {
	case err == nil && !st.IsDir():
		return fmt.Errorf("results folder %s: it is a file; name a folder that is new or empty", dir)
	case errors.Is(err, fs.ErrNotExist) && there == nil:
		return fmt.Errorf("results folder %s: it is a symbolic link that leads nowhere", dir)
	case err == nil && st.Mode().Perm()&0o002 != 0:
		return fmt.Errorf("results folder %s: every user of this machine may write to it; chmod o-w %s, or name a new folder", dir, dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("results folder: %w", err)
	}
	return nil
}

// refuseForeign lets an empty folder pass, and one with our mark.
func refuseForeign(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("results folder: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() == markFile && e.Type().IsRegular() {
			return nil
		}
		names = append(names, e.Name())
	}
	if len(names) == 0 {
		return nil
	}
	more := ""
	if len(names) > 3 {
		names, more = names[:3], ", ..."
	}
	return fmt.Errorf("results folder %s: it holds other things (%s%s) and no file %s; name a folder that is new or empty",
		dir, strings.Join(names, ", "), more, markFile)
}

// take locks the folder and brings its parts into being. The kernel drops the
// lock when we end, however we end.
func (f *Folder) take() error {
	if err := unix.Flock(int(f.mark.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			return fmt.Errorf("results folder %s: another opcost is writing to it; wait for it, or name another folder", f.dir)
		}
		// A file system without locks: go on, as one process is the usual case.
		if !errors.Is(err, unix.ENOLCK) && !errors.Is(err, unix.EOPNOTSUPP) {
			return fmt.Errorf("results folder %s: lock: %w", f.dir, err)
		}
	}
	text := make([]byte, len(markText)+1)
	n, _ := f.mark.ReadAt(text, 0) // short, at the end of the file
	switch {
	case n == 0:
		if _, err := f.mark.WriteAt([]byte(markText), 0); err != nil {
			return fmt.Errorf("results folder: %w", err)
		}
	case string(text[:n]) != markText:
		return fmt.Errorf("results folder %s: %s is not of this version of opcost; name another folder", f.dir, markFile)
	}
	for _, sub := range []string{runsDir, plansDir} {
		if err := ownDir(filepath.Join(f.dir, sub)); err != nil {
			return err
		}
	}
	// A plan's copy that was being written when an opcost was killed; nobody
	// else writes here.
	left, err := filepath.Glob(filepath.Join(escapeGlob(f.dir), plansDir, tempPrefix+"*"))
	if err != nil {
		return fmt.Errorf("results folder: %w", err)
	}
	for _, path := range left {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("results folder: %w", err)
		}
	}
	return syncDir(f.dir)
}

// Dir is the folder's path, as it was given.
func (f *Folder) Dir() string { return f.dir }

// Close gives the folder free for others.
func (f *Folder) Close() error { return f.mark.Close() }

// Logs makes the folder for the logs of a version's servers, and gives its path.
func (f *Folder) Logs(version string) (string, error) {
	if !runID.MatchString(version) {
		return "", fmt.Errorf("version %q: its name does not do as a folder's", version)
	}
	logs := filepath.Join(f.dir, logsDir)
	for _, dir := range []string{logs, filepath.Join(logs, version)} {
		if err := ownDir(dir); err != nil {
			return "", err
		}
	}
	return filepath.Join(logs, version), nil
}

// runID is what does as a folder's name everywhere.
var runID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+=-]{0,199}$`)

// Begin makes the run's folder with room for its record, and gives the path of
// the empty folder for its evidence. What an earlier attempt left that did not
// come to its end is removed; a complete run, and one that cannot be read, is
// refused. An [Unwritable] is an error that every other run would meet too.
func (f *Folder) Begin(id string) (evidence string, err error) {
	if !runID.MatchString(id) {
		return "", fmt.Errorf("run %q: its id does not do as a folder's name", id)
	}
	run := filepath.Join(f.dir, runsDir, id)
	evidence = filepath.Join(run, evidenceDir)
	if err := f.begin(run, id, evidence); err != nil {
		return "", f.unwritable(err)
	}
	return evidence, nil
}

func (f *Folder) begin(run, id, evidence string) (err error) {
	if err := f.same(); err != nil {
		return err
	}
	if err := ownDir(run); err != nil {
		return err
	}
	if err := f.clear(run, id); err != nil {
		return err
	}
	if err := reserve(run); err != nil {
		_ = os.Remove(run) // it is empty; else it would look like a run
		return fmt.Errorf("run %s: %w", id, err)
	}
	if err := os.Mkdir(evidence, 0o700); err != nil {
		f.Release(id)
		_ = os.Remove(run)
		return fmt.Errorf("run %s: %w", id, err)
	}
	return nil
}

// clear removes an earlier attempt: only what is known to be one.
func (f *Folder) clear(run, id string) error {
	path := filepath.Join(run, runFile)
	if _, err := os.Lstat(path); err == nil {
		old, w := readRun(run, nil)
		switch {
		case w != nil:
			return fmt.Errorf("run %s cannot be written, as what is there cannot be read: %s; move %s away", id, w.Text, run)
		case old.Complete():
			return fmt.Errorf("run %s is in %s already", id, f.dir)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("run %s: %w", id, err)
	}
	left, err := filepath.Glob(filepath.Join(escapeGlob(run), tempPrefix+"*"))
	if err != nil {
		return fmt.Errorf("run %s: %w", id, err)
	}
	// run.json goes first: a run without evidence must not look like one.
	for _, p := range append([]string{path}, append(left, filepath.Join(run, evidenceDir))...) {
		if err := os.RemoveAll(p); err != nil {
			return fmt.Errorf("run %s: remove what an earlier attempt left: %w", id, err)
		}
	}
	return nil
}

func escapeGlob(path string) string {
	return regexp.MustCompile(`[*?\[\\]`).ReplaceAllString(path, `\$0`)
}

// Write puts a run on disk, for good when it returns. Its folder is that of
// [Folder.Begin]. A run that [Read] would refuse is not written. An [Unwritable]
// is an error that every other run would meet too.
func (f *Folder) Write(run Run) error {
	if err := check(run); err != nil {
		return fmt.Errorf("run %s is not written: %w", run.ID, err)
	}
	text, err := encode(run)
	if err != nil {
		return fmt.Errorf("run %s: %w", run.ID, err)
	}
	return f.unwritable(f.write(run.ID, text))
}

func (f *Folder) write(id string, text []byte) error {
	if err := f.same(); err != nil {
		return err
	}
	dir := filepath.Join(f.dir, runsDir, id)
	if err := ownDir(dir); err != nil {
		return err
	}
	path := filepath.Join(dir, runFile)
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("run %s is in %s already", id, f.dir)
	}
	if err := replaceReserved(filepath.Join(dir, reservedFile), path, text); err != nil {
		return fmt.Errorf("run %s: %w", id, err)
	}
	return syncDir(filepath.Join(f.dir, runsDir)) // the run's folder may be new
}

var planHash = regexp.MustCompile(`^[0-9a-f]{8,64}$`)

// WritePlan keeps a copy of the plan beside the runs. Name is that of its file.
func (f *Folder) WritePlan(name string, text []byte, hash string) error {
	if !planHash.MatchString(hash) {
		return fmt.Errorf("plan %s: %q is not a hash", name, hash)
	}
	base := filepath.Base(name)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	base = regexp.MustCompile(`[^A-Za-z0-9_+-]+`).ReplaceAllString(base, "-")
	base = strings.TrimLeft(base[:min(len(base), 100)], "-")
	if base == "" {
		base = "plan"
	}
	if err := replace(filepath.Join(f.dir, plansDir, base+"."+hash+".yaml"), text); err != nil {
		return fmt.Errorf("plan %s: %w", name, err)
	}
	return nil
}
