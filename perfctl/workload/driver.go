package workload

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"opcost/collectors/child"
)

// The programs that can drive a load.
const (
	DriverBuiltin   = "builtin"
	DriverSysbench  = "sysbench"
	DriverMysqlslap = "mysqlslap"
	DriverCommand   = "command"
)

// Driver is what sends the statements.
type Driver struct {
	Name    string   // one of the above
	Program string   // a path, or "": looked for on PATH
	Lua     string   // sysbench: a script, or a folder with a script NAME.lua a workload; "": its own scripts
	Options []string // further options of sysbench or mysqlslap
	Command string   // a shell command with placeholders, see Placeholders
}

// Own: the built-in client.
func (d Driver) Own() bool { return d.Name == "" || d.Name == DriverBuiltin }

// Does is nil where the driver can send the test's statements. The error says
// what it can.
func (d Driver) Does(t Test) error {
	switch d.Name {
	case DriverSysbench:
		return d.sysbenchDoes(t)
	case DriverMysqlslap:
		return slapDoes(t)
	case DriverCommand:
		return d.commandDoes()
	case "", DriverBuiltin:
		return nil
	}
	return fmt.Errorf("driver %q: give builtin, sysbench, mysqlslap or command", d.Name)
}

// Protocol is the protocol by which the driver sends the test's statements on a
// session that asks for p; "driver" where only the driver knows.
func (d Driver) Protocol(t Test, p string) string {
	switch d.Name {
	case DriverMysqlslap:
		return Text
	case DriverCommand:
		return DriversOwn
	case DriverSysbench:
		if d.Lua != "" && p == Prepared {
			return DriversOwn // whether the script prepares is its affair
		}
	}
	return t.Protocol(p)
}

// DriversOwn stands for what a driver chooses itself and does not tell.
const DriversOwn = "driver's own"

// Counts: the driver can be told to do a number of operations and then end.
func (d Driver) Counts() bool {
	return d.Name != DriverCommand || strings.Contains(d.Command, "{operations}")
}

// Identity is which program drives.
type Identity struct {
	Path    string // "" with a command
	Version string // "sysbench 1.0.20"
	// NoZipf: a sysbench that does not know --rand-type=zipfian (before 1.1).
	NoZipf bool
}

// Does is nil where this very program can send the test's statements.
func (i Identity) Does(d Driver, t Test) error {
	if s, ok := ownScripts[bareName(t)]; ok && s.zipf && d.Name == DriverSysbench && d.Lua == "" && i.NoZipf {
		return fmt.Errorf("driver sysbench: workload %s needs Zipfian keys, which %s (%s) has not: take sysbench 1.1, or driver: builtin", t.ID, i.Version, i.Path)
	}
	return nil
}

// TLS is nil where this very program can connect with TLS, if it is to.
func (i Identity) TLS(d Driver, asked bool) error {
	if asked && d.Name == DriverSysbench && strings.Contains(i.Version, " 1.0.") {
		return fmt.Errorf("session: {tls: true}: %s connects with TLS only where it finds a key and a certificate of its own in its folder: take sysbench 1.1, or driver: builtin", i.Version)
	}
	return nil
}

// Identify finds the program and asks for its version. A missing one is an
// error that says how to get it.
func (d Driver) Identify(ctx context.Context) (Identity, error) {
	switch d.Name {
	case DriverSysbench:
		return identifySysbench(ctx, d.program())
	case DriverMysqlslap:
		return identify(ctx, d.program(), "apt-get install mariadb-client", "Ver ")
	case DriverCommand:
		return Identity{}, d.commandDoes()
	}
	return Identity{}, nil
}

// program are the names to look for.
func (d Driver) program() []string {
	if d.Program != "" {
		return []string{d.Program}
	}
	if d.Name == DriverMysqlslap {
		return []string{"mariadb-slap", "mysqlslap"}
	}
	return []string{d.Name}
}

// identify takes the first program there is, and wants one of the texts in what
// it says of its version.
func identify(ctx context.Context, names []string, remedy string, versions ...string) (Identity, error) {
	for _, n := range names {
		path, err := exec.LookPath(n)
		if err != nil {
			continue
		}
		if path, err = filepath.Abs(path); err != nil { // it may run in another folder
			return Identity{}, fmt.Errorf("driver: %w", err)
		}
		out, problem, err := child.Output(ctx, path, "--version")
		if err != nil {
			return Identity{}, fmt.Errorf("driver: %s --version: %w: %s", path, err, firstLine(problem+out))
		}
		for _, v := range versions {
			if strings.Contains(out, v) {
				return Identity{Path: path, Version: firstLine(out)}, nil
			}
		}
		return Identity{}, fmt.Errorf("driver: %s is of a version that opcost does not know: %q; it knows those with %s", path, firstLine(out), strings.Join(versions, " or "))
	}
	return Identity{}, fmt.Errorf("driver: there is no %s here: install it (on Debian: %s), or give its path with `driver: {program: PATH}`", strings.Join(names, " or "), remedy)
}

func identifySysbench(ctx context.Context, names []string) (Identity, error) {
	i, err := identify(ctx, names, "apt-get install sysbench", " 1.0.", " 1.1.")
	if err != nil {
		return i, err
	}
	help, _, err := child.Output(ctx, i.Path, "--help")
	if err != nil {
		return i, fmt.Errorf("driver: %s --help: %w", i.Path, err)
	}
	i.NoZipf = !strings.Contains(help, "zipfian")
	return i, nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// ExternalConfig is a load by a program that is not ours.
type ExternalConfig struct {
	Driver   Driver
	Identity Identity
	Access   Access
	Test     Test
	Data     Data
	Clients  int
	Seed     uint64
	Repeat   int
	CPUs     []int
	Dir      string              // its outputs go here
	Tag      string              // and their names begin so
	Env      []string            // NAME=value, for it and all that it starts
	Started  func(pid int) error // if set, is told of each run's process
}

func (c ExternalConfig) check() error {
	switch {
	case c.Driver.Own():
		return errors.New("the built-in client is no external driver: use StartBuiltin")
	case c.Clients < 1:
		return fmt.Errorf("%d clients: give 1 or more", c.Clients)
	case c.Access.Password != "":
		return fmt.Errorf("driver %s: a password would have to stand in its arguments, where everyone can read it: use an account without one", c.Driver.Name)
	}
	if err := c.Access.check(); err != nil {
		return err
	}
	if st, err := os.Stat(c.Dir); err != nil || !st.IsDir() {
		return fmt.Errorf("driver %s: the folder for its outputs, %s, is not there", c.Driver.Name, c.Dir)
	}
	if err := c.Driver.Does(c.Test); err != nil {
		return err
	}
	return c.Identity.Does(c.Driver, c.Test)
}

// argv is the command line for a length: a number of operations (statements),
// or seconds.
func (c ExternalConfig) argv(phase string, l lasting) ([]string, error) {
	switch c.Driver.Name {
	case DriverSysbench:
		return c.sysbench(phase, l), nil
	case DriverMysqlslap:
		return c.slap(phase, l)
	}
	return c.command(l), nil
}

// lasting is how long the program is to run; one of the two.
type lasting struct {
	seconds    int64
	operations int64
}
