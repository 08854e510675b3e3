package main

import (
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"opcost/cmd/opcost/internal/manual"
)

const (
	question = "What does one query cost in MySQL or MariaDB, why did that change, and how sure are we?"
	clause   = "what one query costs in MySQL and MariaDB, why that changed, and how sure that is"
)

// description is what `opcost --help` begins with.
func description() string {
	b := question + "\n\n" +
		"opcost measures servers that it starts itself, from a plan (`opcost run PLAN`; examples/two-versions.yaml shows " +
		"every key), or a live server, without disturbing it (`opcost attach`). " +
		"`opcost doctor` says what can be measured on this machine.\n\n" +
		"Results go to stdout, progress and warnings to stderr. Exit status:\n\n"
	for _, s := range exitStatuses {
		b += "    " + s.Term + "  " + s.Text + "\n"
	}
	return b
}

// exitStatuses are the same for every command.
var exitStatuses = []manual.Item{
	{Term: "0", Text: "done"},
	{Term: "1", Text: "a measurement failed, or is not complete"},
	{Term: "2", Text: "the command line or a plan is wrong"},
	{Term: "3", Text: "something is slower, and `compare --fail-on slower` was asked for"},
}

// sections stand behind the commands in the manual.
var sections = []manual.Section{
	{Title: "Exit status", Items: exitStatuses},
	{Title: "Environment", Items: []manual.Item{
		{Term: "MYSQL_PWD", Text: "The password of `opcost attach`, where neither the DSN nor --defaults-file has one; ~/.my.cnf comes after it."},
		{Term: "NO_COLOR", Text: "Not empty: tables have no colours, on a terminal too."},
		{Term: "COLUMNS", Text: "The width of helps. Tables have --width."},
		{Term: "XDG_STATE_HOME", Text: "The folder in which stored noise floors are, in opcost/noise.json. Default: ~/.local/state."},
		{Term: "TMPDIR", Text: "Where the sockets of started servers and short-lived files are. Default: /tmp."},
		{Term: "PATH", Text: "Where server binaries that a plan names without a folder are looked for, and perf, valgrind, sysbench and mysqlslap."},
	}},
	{Title: "Files", Items: []manual.Item{
		{Term: "~/.my.cnf", Text: "User and password of `opcost attach`, in its group [client]."},
		{Term: "~/.local/state/opcost/noise.json", Text: "Stored noise floors of machines, written by `opcost run --noise-floor`."},
		{Term: "DIR/runs/ID/run.json", Text: "The record of one run in a folder of results; evidence/ beside it has the raw outputs that it was made of."},
		{Term: "DIR/plans, DIR/logs", Text: "In a folder of results: the plans that were measured, and logs of servers."},
	}},
	{Title: "See also", Items: []manual.Item{
		{Term: "perf-stat(1), valgrind(1), mariadbd(8), mysqld(8), sysbench(1)", Text: "What opcost counts with, and what it counts."},
	}},
}

// manualPage is the manual, from the same description of the commands that parses the
// command line.
func manualPage() (manual.Page, error) {
	parser, err := kong.New(new(cli), kong.Name("opcost"), kong.Description(description()), kong.Vars{"version": version})
	if err != nil {
		return manual.Page{}, err
	}
	p := manual.Of(parser.Model)
	p.OneLine, p.Version, p.Sections = clause, version, sections
	p.Text = p.Text[:len(p.Text)-1] // the exit statuses have a section
	p.Text[len(p.Text)-1] = strings.TrimSuffix(p.Text[len(p.Text)-1], " Exit status:")
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.time" {
				p.Date, _, _ = strings.Cut(s.Value, "T")
			}
		}
	}
	return p, nil
}
