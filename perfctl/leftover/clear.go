package leftover

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Clear looks for runs that were killed, by their journals in the folder work
// and by their folders for sockets among the temporary files, and ends and
// removes what they left. It gives a line for people about each run that it
// found dead: what was cleared, or why something is left alone. Runs that are
// alive are not mentioned.
func Clear(work string) []string {
	var notes []string
	for _, path := range journals(work) {
		if note := clearJournal(path); note != "" {
			notes = append(notes, note)
		}
	}
	for _, folder := range orphans() {
		if note := clearOrphan(folder); note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// journals are those in the folder, and those that folders for sockets lead to.
func journals(work string) []string {
	var paths []string
	entries, _ := os.ReadDir(work) // a folder that is not there has no journals
	for _, e := range entries {
		if ok, _ := filepath.Match("opcost-*"+journalSuffix, e.Name()); ok {
			paths = append(paths, filepath.Join(work, e.Name()))
		}
	}
	for _, folder := range socketFolders() {
		if o, err := marker(folder); err == nil {
			paths = append(paths, filepath.Join(o.Work, o.Journal))
		}
	}
	for i, p := range paths { // named in two ways, it would be told twice
		if real, err := filepath.EvalSymlinks(p); err == nil {
			paths[i] = real
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// socketFolders are this user's folders that may be a run's.
func socketFolders() []string {
	var folders []string
	for _, parent := range slices.Compact([]string{socketParent(), "/tmp"}) {
		entries, _ := os.ReadDir(parent) // one that cannot be read has none of ours
		for _, e := range entries {
			path := filepath.Join(parent, e.Name())
			if e.IsDir() && strings.HasPrefix(e.Name(), socketsPrefix) && ours(path, true) == nil {
				folders = append(folders, path)
			}
		}
	}
	return folders
}

// orphans are folders for sockets whose journal is gone, with the results that
// it lay in.
func orphans() []string {
	return slices.DeleteFunc(socketFolders(), func(folder string) bool {
		o, err := marker(folder)
		if err != nil || o.Sockets != folder {
			return true
		}
		_, err = os.Lstat(filepath.Join(o.Work, o.Journal))
		return !errors.Is(err, os.ErrNotExist)
	})
}

func clearOrphan(folder string) string {
	o, err := marker(folder)
	if err != nil {
		return ""
	}
	return clearOwner(o, o.Work, nil, func() error { return nil })
}

// clearJournal clears one run, if it is dead; "" when there is nothing to say.
func clearJournal(path string) string {
	if ours(path, false) != nil {
		return "" // another user's, or gone in the meantime
	}
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return ""
	}
	defer f.Close() // and so gives the lock back, after the journal's removal
	if err := lock(f); err != nil && !noLocks(err) {
		return "" // its run is alive
	}
	text, err := readOurs(path)
	switch {
	case errors.Is(err, os.ErrNotExist): // another opcost has cleared it just now
		return ""
	case err != nil:
		return fmt.Sprintf("%s cannot be read, so what its run left is left alone: %v", path, err)
	case len(text) == 0: // killed before the first line, and so before all else
		_ = os.Remove(path)
		return ""
	}
	o, processes, err := parse(text)
	if err != nil {
		return fmt.Sprintf("%s is left alone: %v", path, err)
	}
	return clearOwner(o, filepath.Dir(path), processes, func() error { return os.Remove(path) })
}

// parse reads a journal. A last line that was not written to its end is none.
func parse(text []byte) (owner, []process, error) {
	var o owner
	lines := bytes.SplitAfter(text, []byte("\n"))
	if err := json.Unmarshal(lines[0], &o); err != nil {
		return o, nil, fmt.Errorf("it is not a journal of opcost: %w", err)
	}
	if err := o.valid(); err != nil {
		return o, nil, err
	}
	var ps []process
	for _, line := range lines[1:] {
		var p process
		if bytes.HasSuffix(line, []byte("\n")) && json.Unmarshal(line, &p) == nil && p.PID > 0 && p.StartTicks > 0 {
			ps = append(ps, p)
		}
	}
	return o, ps, nil
}

// clearOwner clears what a run left whose journal lies, or lay, in dir.
func clearOwner(o owner, dir string, ps []process, done func() error) string {
	now, err := us()
	if err != nil {
		return ""
	}
	sameBoot := o.Boot == now.Boot
	elsewhere := fmt.Sprintf("%s is left alone: the opcost that made it ran %%s, where it may be running still; if it is not, remove that folder by hand", filepath.Join(dir, o.Data))
	switch {
	case o.Host != now.Host:
		return fmt.Sprintf(elsewhere, "on the machine "+o.Host)
	case sameBoot && o.Namespace != now.Namespace:
		return fmt.Sprintf(elsewhere, "in another container")
	case sameBoot:
		if ticks, err := startTicks(o.PID); err == nil && ticks == o.StartTicks {
			return "" // alive, on a file system without locks
		}
	}
	did, err := finish(o, dir, ps, sameBoot)
	if err == nil {
		err = done()
	}
	what := fmt.Sprintf("an opcost (pid %d) had been killed", o.PID)
	if len(did) > 0 {
		what += "; of what it left, " + strings.Join(did, ", ")
	}
	if err != nil {
		what += fmt.Sprintf("; not cleared: %v", err)
	}
	return what
}

// finish ends a run's processes and removes its folders, and gives what it did.
func finish(o owner, dir string, ps []process, sameBoot bool) (did []string, err error) {
	if sameBoot { // else the processes are gone, and their pids others'
		ended, err := end(o, ps)
		for _, e := range ended {
			did = append(did, e+" ended")
		}
		if err != nil {
			return did, err // it uses the folders
		}
	}
	var failed error
	for _, folder := range []string{filepath.Join(dir, o.Data), o.Sockets} {
		removed, err := o.removeFolder(folder)
		if removed {
			did = append(did, folder+" removed")
		}
		failed = errors.Join(failed, err)
	}
	return did, failed
}
