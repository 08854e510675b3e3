package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"opcost/perfctl/plan"
)

// Spec is one server build with one configuration.
type Spec struct {
	Name         string // the plan's name for it; for messages
	Mysqld       string // absolute path of the binary
	Basedir      string // "": found from the binary
	DefaultsFile string // "": --no-defaults
	Options      []string
	Launcher     []string // argv in front of the binary
	Env          map[string]string
	CPUs         []int        // the server's CPUs; nil: all
	NUMA         *int         // the node of its memory; nil: any
	TLS          bool         // connections will use TLS: its set-up is not skipped
	Restore      plan.Restore // the zero value means auto
	// Database is all that the load's account over TCP may use; "": nothing.
	Database string
	// Sockets is a folder for the sockets' folders, its path short; "": the one
	// for temporary files.
	Sockets string
	// Logs is the folder for the servers' logs, made when it is not there; "":
	// one in the site's own, which goes with the data.
	Logs string
	// Started, if set, is told of each process on the data directory, first of
	// all; an error of it ends the process. It may be told twice of a server
	// whose launcher forks: of the launcher and of the server.
	Started func(pid int) error
	// Mark, as NAME=value, is in the environment of every process on the data
	// directory, those that such a process starts included; "": none.
	Mark string
}

// environ is the server's environment, as the plan has it, with the mark.
func (s Spec) environ() []string {
	env := environ(s.Env)
	if s.Mark != "" {
		env = append(env, s.Mark)
	}
	return env
}

func (s Spec) started(pid int) error {
	if s.Started == nil {
		return nil
	}
	return s.Started(pid)
}

// Site is one version's private folders. It is used by one goroutine.
type Site struct {
	Identity Identity
	// Notes say what was changed of the given options and why; they belong to
	// the result.
	Notes []string

	spec    Spec
	dir     string
	logs    string // the folder of the logs
	tree    tree
	file    []option // of the defaults file, as the server reads it
	moved   []string // see relocate
	state   siteState
	starts  int
	running *Instance
	// unclean is why the data cannot be saved: a server was killed on it.
	unclean       string
	settleTimeout time.Duration
}

// siteState is the marker file: only a folder that has one is ours to change.
type siteState struct {
	Opcost      int      `json:"opcost_site"` // the file's schema
	Identity    Identity `json:"identity"`
	Initialised bool     `json:"initialised"`
	Saved       bool     `json:"saved"`
	// Closed: nobody but the load's own account can log in over TCP, in the data
	// and in the saved data.
	Closed      bool `json:"closed,omitempty"`
	SavedClosed bool `json:"saved_closed,omitempty"`
}

const (
	markerName   = "opcost-site.json"
	markerSchema = 1
)

// Open makes or finds the folder of a version (on a disk, not in memory, unless
// that is what is meant) and asks the binary for its version and for what it
// reads from its defaults file. It starts no server. A folder that exists must
// be empty or have been made by Open for the same build.
func Open(ctx context.Context, spec Spec, dir string) (*Site, error) {
	s := &Site{spec: spec, settleTimeout: settleTimeout}
	var err error
	if s.dir, err = filepath.Abs(dir); err != nil {
		return nil, s.errorf("folder %s: %w", dir, err)
	}
	s.logs = filepath.Join(s.dir, "log")
	if spec.Logs != "" {
		if s.logs, err = filepath.Abs(spec.Logs); err != nil {
			return nil, s.errorf("folder %s: %w", spec.Logs, err)
		}
	}
	if s.Identity, err = Identify(ctx, spec.Mysqld, spec.Launcher, spec.Env); err != nil {
		return nil, s.errorf("%w", err)
	}
	given, err := parseOptions(spec.Options, fromPlan)
	if err == nil {
		err = checkOptions(given)
	}
	if err != nil {
		return nil, s.errorf("%w", err)
	}
	if err := checkRestore(spec.Restore); err != nil {
		return nil, s.errorf("%w", err)
	}
	if err := s.readDefaultsFile(ctx); err != nil {
		return nil, s.errorf("%w", err)
	}
	if s.moved, s.Notes, err = relocate(append(s.file[:len(s.file):len(s.file)], given...), s.data()); err != nil {
		return nil, s.errorf("%w", err)
	}
	s.Notes = append(overridden(s.file), s.Notes...)
	s.tree = findTree(spec.Mysqld, spec.Basedir)
	if err := s.claim(); err != nil {
		return nil, s.errorf("%w", err)
	}
	if err := os.MkdirAll(s.logs, 0o700); err != nil {
		return nil, s.errorf("%w", err)
	}
	return s, nil
}

// readDefaultsFile asks the server itself, which knows its groups and includes.
func (s *Site) readDefaultsFile(ctx context.Context) error {
	if s.spec.DefaultsFile == "" {
		return nil
	}
	path, err := filepath.Abs(s.spec.DefaultsFile)
	if err != nil {
		return err
	}
	s.spec.DefaultsFile = path
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("defaults file: %w", err)
	}
	argv := append(s.spec.Launcher[:len(s.spec.Launcher):len(s.spec.Launcher)], s.spec.Mysqld, "--defaults-file="+path, "--print-defaults")
	out, err := runTool(ctx, argv, s.spec.Env)
	if err != nil {
		return fmt.Errorf("read defaults file %s: %w", path, err)
	}
	s.file = parsePrintDefaults(out, path)
	return checkDefaultsFile(s.file, serverUser())
}

// claim makes the folder ours, or finds that it is.
func (s *Site) claim() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	// A datadir reached through a symbolic link is refused by some servers.
	real, err := filepath.EvalSymlinks(s.dir)
	if err != nil {
		return err
	}
	s.dir = real
	text, err := os.ReadFile(s.marker())
	switch {
	case err == nil:
		if err := json.Unmarshal(text, &s.state); err != nil || s.state.Opcost != markerSchema {
			return fmt.Errorf("%s is not one that this opcost reads; remove the folder %s or give another", s.marker(), s.dir)
		}
		if was := s.state.Identity; was.Number != s.Identity.Number || was.Flavor != s.Identity.Flavor || was.BuildID != s.Identity.BuildID {
			return fmt.Errorf("%s holds data of %s (%s, build id %q), not of %s (%s, build id %q); remove the folder or give another",
				s.dir, was, was.Path, was.BuildID, s.Identity, s.Identity.Path, s.Identity.BuildID)
		}
		return nil
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("folder %s is not empty and was not made by opcost, so it may be another server's; give an empty or a new one", s.dir)
	}
	if err := os.Chmod(s.dir, 0o700); err != nil {
		return err
	}
	s.state = siteState{Opcost: markerSchema, Identity: s.Identity}
	if err := s.writeState(); err != nil {
		return err
	}
	return os.Mkdir(s.tmp(), 0o700)
}

func (s *Site) writeState() error {
	text, err := json.MarshalIndent(s.state, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.marker()+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(s.marker()+".new", s.marker())
}

// lock keeps other programs' opcost from the folder while a server runs in it
// or its data is exchanged.
func (s *Site) lock() (unlock func(), err error) {
	if s.running != nil {
		return nil, s.errorf("its server runs (pid %d); stop it first", s.running.PID())
	}
	f, err := os.Open(s.dir)
	if err != nil {
		return nil, s.errorf("%w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, s.errorf("folder %s is in use by another opcost (%w)", s.dir, err)
	}
	return func() { _ = f.Close() }, nil
}

// Initialised tells whether the data directory has been made.
func (s *Site) Initialised() bool { return s.state.Initialised }

// Saved tells whether pristine data is there.
func (s *Site) Saved() bool { return s.state.Saved }

// Remove deletes everything of the site. Its server must have been stopped.
func (s *Site) Remove() error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Stat(s.marker()); err != nil {
		return s.errorf("folder %s has lost its marker and is left alone: %w", s.dir, err)
	}
	return os.RemoveAll(s.dir)
}

func (s *Site) data() string     { return filepath.Join(s.dir, "data") }
func (s *Site) pristine() string { return filepath.Join(s.dir, "pristine") }
func (s *Site) tmp() string      { return filepath.Join(s.dir, "tmp") }
func (s *Site) marker() string   { return filepath.Join(s.dir, markerName) }

func (s *Site) errorf(format string, args ...any) error {
	name := s.spec.Name
	if name == "" {
		name = s.spec.Mysqld
	}
	return fmt.Errorf("server "+strings.ReplaceAll(name, "%", "%%")+": "+format, args...)
}
