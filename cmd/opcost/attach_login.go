package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/term"

	"opcost/collectors"
	"opcost/collectors/probe"
	"opcost/perfctl"
	"opcost/perfctl/live"
	"opcost/perfctl/result"
	"opcost/perfctl/server"
	"opcost/perfctl/window"
	"opcost/perfctl/workload"
)

// login are the flags that say which server, and how to log in.
type login struct {
	PID          int    `name:"pid" help:"The server's process." placeholder:"N"`
	Socket       string `help:"The server's unix socket." placeholder:"FILE"`
	DSN          string `name:"dsn" help:"Where and as whom to log in: USER@unix(FILE)/ or USER@tcp(HOST:PORT)/." placeholder:"DSN"`
	User         string `help:"As whom to log in." placeholder:"NAME"`
	DefaultsFile string `help:"Option file with a [client] group. Default: ~/.my.cnf." placeholder:"FILE"`
	NoLogin      bool   `help:"Do not log in: process counters only."`
}

// attachment is a server that was found, and our connection to it.
type attachment struct {
	process  live.Server
	conn     *live.Conn // nil without a login
	target   collectors.Target
	ops      window.Ops
	caps     probe.Caps
	syscalls bool
	vars     map[string]string
}

// reach finds the server and logs in.
func (l login) reach(ctx context.Context, con console) (*attachment, error) {
	s, err := live.Find(ctx, live.Ask{PID: l.PID, Socket: l.Socket, DSN: l.DSN})
	if err != nil {
		return nil, err
	}
	a := &attachment{process: s}
	for _, w := range s.Warnings {
		fmt.Fprintln(con.err, "warning:", w)
	}
	if !l.NoLogin {
		if err := l.connect(ctx, con, a); err != nil {
			return nil, errors.Join(fmt.Errorf("%w; or give --no-login to measure the process alone", err), s.Close())
		}
	}
	if s.PID == 0 && a.conn == nil {
		return nil, fmt.Errorf("the process cannot be seen from here (%s), and without a login there is nothing to measure", s.Reason)
	}
	a.target = collectors.Target{
		PID: s.PID, StartTicks: s.StartTicks, PIDFD: s.PIDFD, Root: s.Root, Exe: s.Exe, NSTIDs: s.NSTIDs,
		ConnTIDsReason: "the load is not opcost's, so connections come and go",
	}
	if a.conn != nil {
		a.target.SQL = a.conn
	}
	return a, nil
}

func (l login) connect(ctx context.Context, con console, a *attachment) error {
	home, _ := os.UserHomeDir() // "" where there is none: no ~/.my.cnf then
	who, err := live.ReadCredentials(live.Sources{
		DSN: l.DSN, User: l.User, Password: os.Getenv("MYSQL_PWD"), DefaultsFile: l.DefaultsFile, Home: home, Prompt: prompt(con),
	})
	if err != nil {
		return err
	}
	for _, w := range who.Warnings {
		fmt.Fprintln(con.err, "warning:", w)
	}
	if a.conn, err = live.Login(ctx, who, a.process); err != nil {
		a.conn = nil
		return err
	}
	for _, w := range a.conn.Warnings {
		fmt.Fprintln(con.err, "warning:", w)
	}
	a.vars, err = server.Variables(ctx, a.conn)
	return err
}

// prompt asks on the terminal, without echo; nil where there is none.
func prompt(con console) func(string) (string, error) {
	in := int(os.Stdin.Fd())
	if !term.IsTerminal(in) {
		return nil
	}
	return func(question string) (string, error) {
		fmt.Fprint(con.err, question)
		secret, err := term.ReadPassword(in)
		fmt.Fprintln(con.err)
		return string(secret), err
	}
}

// operations is what the counters are divided by.
func (c *attachCmd) operations(a *attachment) (window.Ops, error) {
	switch {
	case c.OpsFrom != "" && c.Per != "":
		return nil, errors.New("--per and --ops-from: give one of the two")
	case c.OpsFrom != "":
		return &workload.Counter{From: c.OpsFrom}, nil
	case c.Per == perfctl.PerSecond, c.Per == "" && a.conn == nil:
		return perfctl.Seconds{}, nil
	case a.conn == nil:
		return nil, fmt.Errorf("--per %s needs a login; without one there are --ops-from and --per second", c.Per)
	}
	return perfctl.OpsBy(cmp.Or(c.Per, "statement"), a.conn)
}

func (a *attachment) close() {
	if a.conn != nil {
		_ = a.conn.Close() // the server forgets us either way
	}
	_ = a.process.Close()
}

func (a *attachment) String() string {
	name := a.process.Flavor + " " + a.process.Version
	if a.process.PID == 0 {
		return fmt.Sprintf("%s (the server's own counters only: %s)", name, a.process.Reason)
	}
	return fmt.Sprintf("%s (pid %d)", name, a.process.PID)
}

// explain puts the likeliest cause first.
func (a *attachment) explain(err error) error {
	if a.process.PID != 0 && a.process.Ended() {
		return fmt.Errorf("the server (pid %d) has ended: %w", a.process.PID, err)
	}
	return err
}

// record is the run of one window.
func (a *attachment) record(w result.Window) result.Run {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	run := result.Run{
		Schema: result.Schema, ID: result.FileID, Host: host, Started: w.Start, Start: fmt.Sprintf("pid %d", a.process.PID),
		Version: cmp.Or(a.process.Version, "unknown"), Workload: "live", Driver: result.Attached, Machine: a.caps.Machine(),
		Server: result.Server{
			Binary: a.process.Exe, VersionText: a.process.Version, Flavor: a.process.Flavor, Number: a.process.Version,
			PID: a.process.PID, Variables: a.vars,
		},
		Passes: []result.Pass{{Kind: result.PassCount, State: w.State, Reason: w.Reason, Windows: []result.Window{w}}},
	}
	if run.Started.IsZero() {
		run.Started = time.Now()
	}
	for _, q := range w.Quality {
		if !q.OK {
			run.Warnings = append(run.Warnings, result.Warning{Code: q.Name, Text: q.Text})
		}
	}
	return run
}
