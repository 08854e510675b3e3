package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"opcost/perfctl/result"
)

// version is set by the linker (see the Makefile).
var version = "unknown"

// Exit statuses, the same for every command; see exitStatuses.
const (
	exitDone       = 0
	exitIncomplete = 1 // a measurement failed, or is not complete
	exitUsage      = 2 // the command line or a plan is wrong
)

// cli is the command line. Each command's fields are its flags.
type cli struct {
	commands
	Version kong.VersionFlag `help:"Print the version."`
}

// commands without the flag --version: in `opcost import --version NAME` the
// parser would take it for the program's own.
type commands struct {
	Doctor  doctorCmd  `cmd:"" help:"What this machine can measure, what it cannot, and what would change that."`
	Run     runCmd     `cmd:"" help:"Measure a plan; prints the table at the end."`
	Attach  attachCmd  `cmd:"" help:"Measure a live server; never disturbs it."`
	Report  reportCmd  `cmd:"" help:"Print the tables again, from results on disk."`
	Compare compareCmd `cmd:"" help:"Why a version is slower, and how sure that is: what else differs, which factor, which code, what kind."`
	Import  importCmd  `cmd:"" help:"Others' results into our format: Small Datum's tables, sysbench, mysqlslap, perf stat, vmstat, iostat."`
	Profile profileCmd `cmd:"" help:"Which functions the cost goes to, and what changed: tables, flame graphs, export."`
	Narrow  narrowCmd  `cmd:"" help:"Find the first build that is slower, with as few runs as it takes."`

	Man        manCmd        `cmd:"" help:"Print the manual page."`
	Completion completionCmd `cmd:"" help:"Print what makes a shell complete commands, flags and values."`
}

// console is where a command prints: results on out, progress and warnings on
// err.
type console struct {
	out, err io.Writer
}

// usageError is wrong use: said without more ado, exit status 2.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// run is the whole program but for the process around it.
func run(args []string, stdout, stderr io.Writer) int {
	var c cli
	stderr = printable{stderr}
	stop := &stopper{err: stderr}
	exited := -1
	var root any = &c
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		root = &c.commands
	}
	parser, err := kong.New(root,
		kong.Name("opcost"),
		kong.Description(description()),
		kong.Vars{"version": version},
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.UsageOnError(),
		kong.Bind(stop),
		kong.BindSingletonProvider(stop.context),
	)
	if err != nil {
		fmt.Fprintln(stderr, "opcost:", err) // a fault of ours, in the struct tags
		return exitUsage
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	k, err := parser.Parse(args)
	if exited >= 0 {
		return exited // --help and --version have printed
	}
	if err != nil {
		fmt.Fprintf(stderr, "opcost: %s\nRun `opcost --help`, or `opcost COMMAND --help` for examples.\n", withoutPasswords(misuse(err), args))
		return exitUsage
	}
	return status(stderr, args, k.Run(console{stdout, stderr}))
}

// misuse says what is wrong with a command line. To the parser, a command that
// does not exist is an argument like any other.
func misuse(err error) string {
	var p *kong.ParseError
	if errors.As(err, &p) && p.Context.Selected() == nil {
		return strings.Replace(err.Error(), "unexpected argument", "there is no command", 1)
	}
	text := err.Error()
	if m := oneOf.FindStringSubmatchIndex(text); m != nil {
		text = text[:m[2]] + strings.NewReplacer(`"`, "", ",", ", ").Replace(text[m[2]:m[3]]) + text[m[3]:]
	}
	return text
}

// oneOf finds the list in what the parser says of a value that is not in it.
var oneOf = regexp.MustCompile(`must be one of ("[^"]*"(?:,"[^"]*")*) but got `)

// dsnPassword is what stands between the account and the address in a DSN. The
// password may hold spaces, ":" and "@" itself.
var dsnPassword = regexp.MustCompile(`(?s):.*@`)

// withoutPasswords is for messages that quote arguments, as they were given or as
// Go's %q writes them.
func withoutPasswords(text string, args []string) string {
	for _, a := range args {
		secret := dsnPassword.FindString(a)
		if secret == "" {
			continue
		}
		quoted := strconv.Quote(secret)
		text = strings.NewReplacer(secret, ":...@", quoted[1:len(quoted)-1], ":...@").Replace(text)
	}
	return text
}

func status(stderr io.Writer, args []string, err error) int {
	var u usageError
	var slower slowerError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, syscall.EPIPE): // whoever read our output has seen enough
		return exitIncomplete
	case errors.As(err, &u):
		fmt.Fprintf(stderr, "opcost: %s%s\n", withoutPasswords(err.Error(), args), nextStep(err))
		if result.NoSpace(err) { // the same command will do, once there is room
			return exitIncomplete
		}
		return exitUsage
	case errors.As(err, &slower):
		fmt.Fprintln(stderr, "opcost:", err)
		return exitSlower
	default:
		fmt.Fprintf(stderr, "opcost: %s%s\n", withoutPasswords(err.Error(), args), nextStep(err))
		return exitIncomplete
	}
}
