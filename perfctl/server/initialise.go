package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"opcost/collectors/child"
)

// initTimeout is generous: MySQL 8 takes seconds, old scripts on a slow disk
// minutes.
const initTimeout = 10 * time.Minute

// Initialise makes the data directory as the version needs it, with a root
// account that has no password, and checks that the system tables are there.
// What an earlier attempt left is removed first.
func (s *Site) Initialise(ctx context.Context) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	s.state.Initialised, s.state.Saved, s.unclean = false, false, ""
	s.state.Closed, s.state.SavedClosed = false, false
	if err := s.writeState(); err != nil {
		return s.errorf("%w", err)
	}
	for _, dir := range []string{s.data(), s.pristine()} {
		if err := os.RemoveAll(dir); err != nil {
			return s.errorf("%w", err)
		}
	}
	if err := os.Mkdir(s.data(), 0o700); err != nil {
		return s.errorf("%w", err)
	}
	given, err := parseOptions(s.spec.Options, fromPlan)
	if err != nil {
		return s.errorf("%w", err)
	}
	cmd, err := initCommand(s.Identity, s.spec, s.tree, s.places(), os.Geteuid() == 0, given, s.moved)
	if err != nil {
		return s.errorf("%w", err)
	}
	if err := s.runInit(ctx, cmd, given); err != nil {
		return err
	}
	if err := s.checkSystemTables(); err != nil {
		return fmt.Errorf("%w; the log is %s", err, s.initLog())
	}
	s.state.Initialised = true
	if err := s.writeState(); err != nil {
		return s.errorf("%w", err)
	}
	return nil
}

func (s *Site) initLog() string { return filepath.Join(s.logs, "initialise.err") }

func (s *Site) runInit(ctx context.Context, cmd command, given []option) error {
	log, err := os.OpenFile(s.initLog(), os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return s.errorf("%w", err)
	}
	defer s.clean(s.initLog())
	defer log.Close()
	stdin, err := s.initInput(cmd)
	if err != nil {
		return s.errorf("%w", err)
	}
	if stdin != nil {
		defer os.Remove(stdin.Name())
		defer stdin.Close()
	}
	ctx, cancel := context.WithTimeout(ctx, initTimeout)
	defer cancel()
	err = runChild(ctx, child.Spec{Argv: cmd.Argv, Env: s.spec.environ(), Dir: s.tmp(), Stdin: stdin, Stdout: log, Stderr: log}, s.spec.Started)
	if err != nil {
		return s.failed("initialise with "+string(cmd.Method), err, s.initLog(), given)
	}
	return nil
}

// initInput is what the program reads, as one file; nil for nothing.
func (s *Site) initInput(cmd command) (*os.File, error) {
	if cmd.StdinText == "" && len(cmd.StdinFiles) == 0 {
		return nil, nil
	}
	f, err := os.OpenFile(filepath.Join(s.tmp(), "initialise.sql"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(cmd.StdinText)
	for _, path := range cmd.StdinFiles {
		if err == nil {
			err = appendFile(f, path)
		}
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func appendFile(to *os.File, path string) error {
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	if _, err := io.Copy(to, from); err != nil {
		return err
	}
	_, err = to.WriteString("\n")
	return err
}

func (s *Site) checkSystemTables() error {
	for _, name := range systemTables(s.Identity) {
		info, err := os.Stat(filepath.Join(s.data(), name))
		if err == nil && info.Size() == 0 {
			err = errors.New("it is empty")
		}
		if err != nil {
			return s.errorf("the data directory has no system tables (%s: %w); a server would start on it all the same and count otherwise", name, err)
		}
	}
	return nil
}

// places are the {places} that do not depend on the start.
func (s *Site) places() places {
	return places{
		"basedir": s.tree.Basedir, "share": s.tree.Share,
		"data": s.data(), "tmp": s.tmp(), "user": serverUser(),
	}
}

// serverUser is whom a server is told to run as: "" when nobody needs to be
// told.
func serverUser() string {
	if os.Geteuid() == 0 {
		return "root"
	}
	return ""
}
