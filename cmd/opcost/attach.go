package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"opcost/collectors/probe"
	"opcost/perfctl"
	"opcost/perfctl/compare"
	"opcost/perfctl/report"
	"opcost/perfctl/result"
)

type attachCmd struct {
	login     `embed:""`
	Duration  time.Duration  `help:"Length of the window." default:"10s"`
	Interval  *time.Duration `help:"Measure windows of this length again and again, until stopped." placeholder:"2s"`
	Per       string         `help:"What a query is: statement, transaction, select, insert, update, delete, row, or a status variable as Com_call_procedure; second for none. Default: statement, or second without a login." placeholder:"UNIT" words:"statement,transaction,select,insert,update,delete,row,second"`
	OpsFrom   string         `help:"Count operations by the first whole number in this file, or in what this command prints." placeholder:"FILE|COMMAND"`
	Syscalls  bool           `help:"Count system calls and nothing else of perf. This slows every system call of the whole machine while it lasts."`
	Baseline  string         `help:"Save the window to a new file." placeholder:"FILE"`
	Against   string         `help:"Print the window of this file beside today's, with ratios." placeholder:"FILE"`
	profiling `embed:""`
	showing   `embed:"" set:"formats=table, markdown, csv, tsv, json"`
}

func (attachCmd) Help() string {
	return `The server is never stopped, signalled, traced, restarted or written to, and none of its
settings is changed: opcost reads /proc, counts through perf, and sends statements that
only read over one connection. Its own statements are subtracted.

With --profile a second window follows, in which perf interrupts the server 499 times a
second and CPU; its operations are counted apart, and its costs are in no table.

Without --pid, --socket or --dsn the machine's only server is meant. The password comes
from MYSQL_PWD, from --defaults-file or ~/.my.cnf ([client]), or from a prompt; never
from the command line. Without a login the counters are told per second.

Examples:
  opcost attach
  opcost attach --pid 4711 --duration 30s --baseline before.json
  opcost attach --socket /run/mysqld/mysqld.sock --against before.json
  opcost attach --interval 2s --per transaction
  opcost attach --duration 30s --profile --profile-out before.pb.gz
  opcost attach --no-login --ops-from 'redis-cli get orders'`
}

// Run measures a live server and prints what its queries cost.
func (c *attachCmd) Run(ctx context.Context, con console) error {
	private()
	format, err := c.parse()
	if err != nil {
		return err
	}
	err = c.check()
	if err == nil {
		err = folders("")
	}
	if err != nil {
		return usageError{err}
	}
	var base *result.Run
	if c.Against != "" {
		b, err := result.ReadFile(c.Against)
		if err != nil {
			return usageError{err}
		}
		base = &b
	}
	at, err := c.reach(ctx, con)
	if err != nil {
		return usageError{err}
	}
	defer at.close()
	if at.ops, err = c.operations(at); err == nil {
		_, err = at.ops.Read(ctx) // what cannot be counted is wrong use, and said before anything is measured
	}
	if err != nil {
		return usageError{err}
	}
	at.caps, at.syscalls = probe.Ask(ctx), c.Syscalls
	if c.Profile {
		if err := at.canProfile(); err != nil {
			return usageError{err}
		}
	}
	if c.Interval != nil {
		return c.watch(ctx, con, format, at, base)
	}
	fmt.Fprintf(con.err, "measuring %s for %v\n", at, c.Duration)
	run, err := at.window(ctx, c.Duration, 0)
	if err != nil {
		return err
	}
	var lacking error
	if c.Profile && incomplete(run) == nil {
		lacking = c.profile(ctx, con, at, &run)
	}
	if c.Baseline != "" {
		err = result.WriteFile(c.Baseline, run)
	}
	err = errors.Join(err, c.show(con, format, run, base, compare.ByLatency))
	if c.Profile {
		err = errors.Join(err, c.showProfile(ctx, con, format))
	}
	return errors.Join(err, cmp.Or(lacking, incomplete(run)))
}

// check finds what would be wrong only after a window has been measured.
func (c *attachCmd) check() error {
	switch {
	case c.Duration < shortest:
		return fmt.Errorf("--duration %v: a window needs at least %v", c.Duration, shortest)
	case c.Interval != nil && *c.Interval < shortest:
		return fmt.Errorf("--interval %v: a window needs at least %v", *c.Interval, shortest)
	case c.Interval != nil && c.Profile:
		return errors.New("--profile is of one window; it does not go with --interval")
	}
	if err := c.checkProfile(); err != nil || c.Baseline == "" {
		return err
	}
	if c.Interval != nil {
		return errors.New("--baseline saves one window; it does not go with --interval")
	}
	return newFile("--baseline", c.Baseline)
}

// shortest is the shortest window whose edges are not most of it.
const shortest = 100 * time.Millisecond

// show prints a window, beside the one it is compared with.
func (c *attachCmd) show(con console, f report.Format, run result.Run, base *result.Run, order compare.Order) error {
	l := report.LiveLayout{Layout: c.layout(con)}
	shown := report.Live{Tables: compare.Live(run).Sorted(order)}
	if base == nil {
		shown.Report = compare.Build([]result.Run{run}, compare.Options{})
		return report.WriteLive(con.out, f, shown, l)
	}
	r, mix := compare.Against(*base, run)
	shown.Report, shown.Mix = r, &mix
	return report.WriteLive(con.out, f, shown, l)
}

// incomplete is the error of a window that was cut short.
func incomplete(run result.Run) error {
	for _, p := range run.Passes {
		if p.State != result.OK {
			return fmt.Errorf("the window is partial: %s", p.Reason)
		}
	}
	return nil
}

// window makes one window and its record.
func (a *attachment) window(ctx context.Context, length time.Duration, turn int) (result.Run, error) {
	dir, err := os.MkdirTemp("", "opcost-attach-")
	if err != nil {
		return result.Run{}, err
	}
	defer os.RemoveAll(dir)
	target := a.target
	target.Evidence, target.Tag = dir, fmt.Sprintf("w%d", turn)
	w, err := perfctl.Attach(ctx, perfctl.AttachOptions{
		Target: target, Ops: a.ops, Length: length, Turn: turn, Syscalls: a.syscalls, Detail: true, Caps: a.caps, Ended: a.process.Ended,
	})
	if err != nil {
		return result.Run{}, a.explain(err)
	}
	w.Evidence = nil // it was in a folder of this window only
	return a.record(w), nil
}
