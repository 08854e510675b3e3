package leftover

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// Journal is what a run has made outside its results. Its methods may be called
// from several goroutines.
type Journal struct {
	owner owner
	path  string

	mu        sync.Mutex
	file      *os.File // holds the lock
	processes []process
	closed    bool
	err       error
}

// process is a line of a journal.
type process struct {
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"start_ticks"`
}

// Open writes a new journal in the folder work, which must exist, and then
// makes the run's two folders.
func Open(work string) (*Journal, error) {
	for {
		j, err := open(work)
		if !errors.Is(err, errTaken) {
			return j, err
		}
	}
}

// errTaken: another opcost, looking for what dead runs left, saw the new
// journal while it was still empty. Its name is used up; the next is random too.
var errTaken = errors.New("it was taken by another opcost")

func open(work string) (*Journal, error) {
	o, err := us()
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if o.Work, err = filepath.Abs(work); err == nil {
		// Servers name their folders without links, and are looked for by name.
		o.Work, err = filepath.EvalSymlinks(o.Work)
	}
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	name := o.Token[:10]
	o.Data, o.Sockets = dataPrefix+name, filepath.Join(socketParent(), socketsPrefix+name)
	o.Journal = "opcost-" + name + journalSuffix
	j := &Journal{owner: o, path: filepath.Join(o.Work, o.Journal)}
	if err := j.create(); err != nil {
		return nil, fmt.Errorf("journal %s: %w", j.path, err)
	}
	for _, folder := range []string{j.Data(), j.Sockets()} {
		if err := o.makeFolder(folder); err != nil {
			return nil, errors.Join(fmt.Errorf("folder for the servers' data: %w", err), j.Close())
		}
	}
	return j, nil
}

// create writes the journal's first line, and locks it: the kernel drops the
// lock when this process ends, however it ends.
func (j *Journal) create() error {
	f, err := os.OpenFile(j.path, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	j.file = f
	// No lock can be had on some network file systems. The owner's pid and
	// start time stand in for it there.
	if err := lock(f); errors.Is(err, syscall.EWOULDBLOCK) {
		return errors.Join(errTaken, f.Close())
	} else if err != nil && !noLocks(err) {
		return errors.Join(err, f.Close(), os.Remove(j.path))
	}
	if err := j.line(j.owner); err != nil {
		return errors.Join(err, f.Close(), os.Remove(j.path))
	}
	if err := errors.Join(f.Sync(), syncDir(j.owner.Work)); err != nil {
		return errors.Join(err, f.Close(), os.Remove(j.path))
	}
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Lstat(j.path); err != nil || !os.SameFile(mine, there) {
		return errors.Join(errTaken, f.Close())
	}
	return nil
}

// line appends a line by one write, which a kill does not cut.
func (j *Journal) line(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = j.file.Write(append(text, '\n'))
	return err
}

// Data is the folder for the servers' data, on the disk of the folder work.
func (j *Journal) Data() string { return j.owner.data() }

// Sockets is a folder whose path is short enough for sockets in it, and in one
// more folder below it.
func (j *Journal) Sockets() string { return j.owner.Sockets }

// Environment is a variable that every program of the run must have in its
// environment: what forks away from us can be told by it.
func (j *Journal) Environment() (name, value string) { return tokenVariable, j.owner.Token }

// Variables are for the environment of a program that has no business in the
// data folder, as one that drives a load: by them all that it starts is found,
// wherever it runs.
func (j *Journal) Variables() []string {
	return []string{tokenVariable + "=" + j.owner.Token, folderVariable + "=" + j.owner.data()}
}

const (
	tokenVariable  = "OPCOST_RUN_TOKEN"
	folderVariable = "OPCOST_RUN_FOLDER"
)

// Started writes down a process that the run has started. One that has ended
// already needs no line.
func (j *Journal) Started(pid int) error {
	ticks, err := startTicks(pid)
	if err != nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return errors.New("the run is being ended")
	}
	p := process{pid, ticks}
	j.processes = append(j.processes, p)
	if err := j.line(p); err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	return nil
}

// Close ends the processes of the run that still live, removes its folders, and
// then the journal. It may be called again, and from another goroutine when
// there is no time to wait for the run; the error is what could not be removed.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return j.err
	}
	j.closed = true
	_, j.err = finish(j.owner, j.owner.Work, j.processes, true)
	if j.err == nil {
		j.err = os.Remove(j.path)
	}
	j.err = errors.Join(j.err, j.file.Close())
	return j.err
}

// socketParent is the folder for temporary files, unless a socket's path there
// would be longer than sun_path of man unix.7 allows.
func socketParent() string {
	const longest = 107 - len("/opcost-0123456789/s0123456789/mysqld.sock")
	if dir, err := filepath.Abs(os.TempDir()); err == nil && len(dir) <= longest {
		return dir
	}
	return "/tmp"
}

func lock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

func noLocks(err error) bool {
	return errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS)
}

// syncDir makes the names in a folder last. Some file systems cannot.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EOPNOTSUPP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
