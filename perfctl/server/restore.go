package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"opcost/collectors/child"
	"opcost/perfctl/plan"
)

// How data is put back; the kinds of a plan's `restore:`.
const (
	RestoreAuto    = "auto"    // reflink where the file system can, else copy
	RestoreCopy    = "copy"    // sparse files stay sparse
	RestoreReflink = "reflink" // refused where the file system cannot
	RestoreReplay  = "replay"  // never: the flow sees to it that all versions' data have the same history
	RestoreCommand = "command" // a shell command with OPCOST_PRISTINE and OPCOST_DATA in its environment
)

// Restored says how data was put back and whether the machine had come to rest
// when Restore returned.
type Restored struct {
	How       string // copy, reflink or command
	Bytes     int64  // copied or shared; 0 with a command
	Took      time.Duration
	Writeback Writeback
	// SettleNote is "" when writeback had settled; else what was seen, for the
	// result.
	SettleNote string
}

func checkRestore(r plan.Restore) error {
	switch r.Kind {
	case "", RestoreAuto, RestoreCopy, RestoreReflink, RestoreReplay:
		return nil
	case RestoreCommand:
		if strings.TrimSpace(r.Command) == "" {
			return errors.New("restore by command: no command given")
		}
		return nil
	}
	return fmt.Errorf("restore: %q is not auto, copy, reflink, replay or command", r.Kind)
}

// Save keeps a copy of the stopped server's data, to which Restore goes back.
func (s *Site) Save(ctx context.Context) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	switch {
	case !s.state.Initialised:
		return s.errorf("nothing to save: not initialised")
	case s.unclean != "":
		return s.errorf("its data cannot be saved as pristine: %s; initialise and load again", s.unclean)
	}
	if err := s.checkSystemTables(); err != nil {
		return err
	}
	s.state.Saved = false
	if err := s.writeState(); err != nil {
		return s.errorf("%w", err)
	}
	kind := s.spec.Restore.Kind
	if kind == RestoreCommand {
		kind = RestoreAuto // the command is for the way back
	}
	if _, _, err := exchange(ctx, s.pristine(), s.data(), kind); err != nil {
		return s.errorf("save data: %w", err)
	}
	if err := syncFS(s.dir); err != nil {
		return s.errorf("save data: %w", err)
	}
	s.state.Saved, s.state.SavedClosed = true, s.state.Closed
	if err := s.writeState(); err != nil {
		return s.errorf("%w", err)
	}
	return nil
}

// Restore puts the saved data back in place of the working data, writes it out
// and waits until the machine's writeback has settled, for at most
// settleTimeout.
func (s *Site) Restore(ctx context.Context) (Restored, error) {
	unlock, err := s.lock()
	if err != nil {
		return Restored{}, err
	}
	defer unlock()
	if !s.state.Saved {
		return Restored{}, s.errorf("no saved data to restore: call Save after the load")
	}
	began := time.Now()
	var r Restored
	if s.spec.Restore.Kind == RestoreCommand {
		r.How, err = RestoreCommand, s.restoreByCommand(ctx)
	} else {
		r.How, r.Bytes, err = exchange(ctx, s.data(), s.pristine(), s.spec.Restore.Kind)
	}
	if err != nil {
		return r, s.errorf("restore data: %w", err)
	}
	if err := s.checkSystemTables(); err != nil {
		return r, err
	}
	s.unclean = ""
	if s.state.Closed != s.state.SavedClosed {
		s.state.Closed = s.state.SavedClosed
		if err := s.writeState(); err != nil {
			return r, s.errorf("%w", err)
		}
	}
	if err := syncFS(s.dir); err != nil {
		return r, s.errorf("restore data: %w", err)
	}
	// What other programs left to write would be written during the window.
	unix.Sync()
	if r.Writeback, r.SettleNote, err = settle(ctx, readWriteback, s.settleTimeout, settleEvery); err != nil {
		return r, s.errorf("restore data: %w", err)
	}
	r.Took = time.Since(began)
	return r, nil
}

// exchange replaces the folder `to` by a copy of `from`. It is removed first,
// so that no room for two is needed, and the copy gets its name when it is
// whole: after a crash there is no half-copied data to start on.
func exchange(ctx context.Context, to, from, kind string) (how string, bytes int64, err error) {
	part := to + ".part"
	for _, dir := range []string{part, to} {
		if err := os.RemoveAll(dir); err != nil {
			return "", 0, err
		}
	}
	if kind != RestoreCopy {
		bytes, err = copyTree(ctx, part, from, reflink)
		how = RestoreReflink
	}
	fallback := errors.Is(err, errNoReflink) && kind != RestoreReflink
	if fallback {
		if err := os.RemoveAll(part); err != nil {
			return "", 0, err
		}
	}
	if fallback || kind == RestoreCopy {
		bytes, err = copyTree(ctx, part, from, copySparse)
		how = RestoreCopy
	}
	if err != nil {
		return how, bytes, err
	}
	return how, bytes, os.Rename(part, to)
}

func (s *Site) restoreByCommand(ctx context.Context) error {
	logPath := filepath.Join(s.logs, "restore.out")
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	err = runChild(ctx, child.Spec{
		Argv:   []string{"sh", "-c", s.spec.Restore.Command},
		Env:    append(Spec{Mark: s.spec.Mark}.environ(), "OPCOST_PRISTINE="+s.pristine(), "OPCOST_DATA="+s.data()),
		Stdout: log, Stderr: log,
	}, s.spec.Started)
	if err != nil {
		return fmt.Errorf("command %q: %w: %s", s.spec.Restore.Command, err, strings.Join(lastLines(readTail(logPath), 3), "; "))
	}
	return nil
}
