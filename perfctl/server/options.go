package server

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"opcost/perfctl/plan"
)

// option is one server option with where it came from.
type option struct {
	Text string // --name or --name=value
	From string // "the plan's options", the defaults file's path, ...
}

const (
	fromPlan  = "the plan's options"
	fromStart = "the options of this start"
)

// name is the option's name as servers compare it: dashes, lower case.
func (o option) name() string {
	name, _, _ := strings.Cut(strings.TrimLeft(o.Text, "-"), "=")
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "-")
}

func (o option) value() string {
	_, value, _ := strings.Cut(o.Text, "=")
	return strings.Trim(strings.TrimSpace(value), `"'`)
}

// plainName is the name without the prefixes that change what an option does.
func (o option) plainName() string {
	name := strings.TrimPrefix(o.name(), "loose-")
	for _, prefix := range []string{"skip-", "disable-", "enable-"} {
		name = strings.TrimPrefix(name, prefix)
	}
	return name
}

// parseOptions reads options as a plan gives them, with or without dashes.
func parseOptions(texts []string, from string) ([]option, error) {
	var options []option
	for _, text := range texts {
		text = strings.TrimSpace(text)
		switch {
		case strings.HasPrefix(text, "--"):
		case text == "", strings.HasPrefix(text, "-"):
			return nil, fmt.Errorf("option %q in %s: write a long option, such as innodb-buffer-pool-size=1G", text, from)
		default:
			text = "--" + text
		}
		options = append(options, option{text, from})
	}
	return options, nil
}

var optionStart = regexp.MustCompile(`(?:^|\s)(--\S)`)

// parsePrintDefaults reads what `mysqld --defaults-file=F --print-defaults`
// prints: a sentence, then all options of the file in one line.
func parsePrintDefaults(out, file string) []option {
	_, line, found := strings.Cut(out, "arguments:")
	if !found {
		return nil
	}
	line = strings.TrimSpace(line)
	var options []option
	starts := optionStart.FindAllStringSubmatchIndex(line, -1)
	for i, m := range starts {
		end := len(line)
		if i+1 < len(starts) {
			end = starts[i+1][2]
		}
		options = append(options, option{strings.TrimSpace(line[m[2]:end]), file})
	}
	return options
}

var (
	// owned are set by opcost alone; see Settings.
	ownedNames = []string{"datadir", "socket", "pid-file", "tmpdir", "log-error", "port", "bind-address", "user"}
	// refused would not leave a server that opcost can start, find and stop.
	refusedNames = []string{"defaults-file", "defaults-extra-file", "defaults-group-suffix", "no-defaults", "print-defaults",
		"bootstrap", "initialize", "initialize-insecure", "install-server", "daemonize", "chroot", "help", "verbose", "version", "gdb", "validate-config"}
)

// checkOptions refuses options of the plan that opcost sets itself, that would
// leave it without a server, or whose value is a secret that every user of the
// machine could read from the process list.
func checkOptions(options []option) error {
	var errs []error
	for _, o := range options {
		name := o.plainName()
		var why string
		switch {
		case slices.Contains(ownedNames, name):
			why = "opcost sets it, so that the server and its data stay private; leave it out"
		case slices.Contains(refusedNames, name):
			why = "opcost could not start or find such a server; leave it out"
		case plan.Opens(o.Text) != "":
			why = plan.Opens(o.Text) + "; leave it out"
		case plan.IsSecret(name, o.value()):
			why = "its value would be readable in the process list; put it into a defaults_file with mode 0600"
		default:
			continue
		}
		errs = append(errs, fmt.Errorf("option %s in %s: %s", o.name(), o.From, why))
	}
	return errors.Join(errs...)
}

// relocated are options that put a part of the data elsewhere: into a folder,
// or into files named after a path.
var relocated = []struct {
	name string
	dir  bool
}{
	{"innodb-data-home-dir", true}, {"innodb-log-group-home-dir", true}, {"innodb-undo-directory", true},
	{"innodb-doublewrite-dir", true}, {"innodb-temp-tablespaces-dir", true}, {"aria-log-dir-path", true},
	{"log-bin", false}, {"log-bin-index", false}, {"relay-log", false}, {"relay-log-index", false},
	{"slow-query-log-file", false}, {"log-slow-query-file", false}, {"general-log-file", false},
}

// relocate gives the options that bring data back which the given options (in
// the order the server reads them) put outside the private folder: the data of
// another server may lie there, and what is elsewhere cannot be restored.
func relocate(options []option, data string) (extra, notes []string, err error) {
	for _, r := range relocated {
		i := len(options) - 1
		for i >= 0 && options[i].name() != r.name {
			i--
		}
		if i < 0 || !strings.ContainsRune(options[i].value(), '/') {
			continue
		}
		to := data
		if !r.dir {
			to = filepath.Join(data, filepath.Base(options[i].value()))
		}
		extra = append(extra, "--"+r.name+"="+to)
		notes = append(notes, fmt.Sprintf("%s=%s of %s was moved into the private data folder, so that it can be saved and restored", r.name, options[i].value(), options[i].From))
	}
	for _, o := range options {
		if n := o.name(); (n == "innodb-data-file-path" || n == "innodb-temp-data-file-path") && strings.ContainsRune(o.value(), '/') {
			return nil, nil, fmt.Errorf("option %s in %s names a path (%s): all data must lie in opcost's private folder; give file names only", n, o.From, o.value())
		}
	}
	return extra, notes, nil
}

// overridden says which options of a defaults file have no effect, because
// opcost sets them itself.
func overridden(file []option) (notes []string) {
	for _, o := range file {
		if slices.Contains(ownedNames, o.plainName()) && o.plainName() != "user" {
			notes = append(notes, fmt.Sprintf("%s=%s of %s is not used: opcost sets it, so that the server and its data stay private", o.name(), o.value(), o.From))
		}
	}
	return notes
}

// checkDefaultsFile refuses what cannot be overridden on the command line (of
// several --user the servers take the first), and what would open the server to
// others.
func checkDefaultsFile(options []option, user string) error {
	for _, o := range options {
		if why := plan.Opens(o.Text); why != "" {
			return fmt.Errorf("%s sets %s: %s; take the line out", o.From, o.name(), why)
		}
		if o.name() == "user" && user != "" && o.value() != user {
			return fmt.Errorf("%s sets user=%s, but opcost starts its servers as %s, the user it runs as itself; take the line out, or run opcost as %s", o.From, o.value(), user, o.value())
		}
	}
	return nil
}

// texts are the options as arguments.
func texts(options []option) []string {
	var args []string
	for _, o := range options {
		args = append(args, o.Text)
	}
	return args
}
