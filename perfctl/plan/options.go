package plan

import (
	"regexp"
	"strings"
)

// ours are the server options that opcost itself gives, and those that would
// leave it without a server to measure; with the reason.
// Names as [optionName] gives them.
var ours = map[string]string{
	"datadir":               "each server has a data directory of its own",
	"socket":                "each server has a socket of its own",
	"port":                  "opcost chooses a free port; `transport: tcp` asks for one",
	"bind-address":          "opcost listens on the loopback interface alone; `transport: tcp` asks for it",
	"networking":            "`transport` says whether the server listens on TCP",
	"extra-port":            "opcost opens no second port",
	"mysqlx":                "opcost turns the X protocol off where it is known",
	"mysqlx-port":           "opcost turns the X protocol off where it is known",
	"mysqlx-socket":         "opcost turns the X protocol off where it is known",
	"pid-file":              "opcost watches the process itself",
	"user":                  "opcost starts the server as the user who may read its data",
	"tmpdir":                "each server has a folder of its own for temporary files",
	"log-error":             "opcost reads the error log when a server does not start",
	"console":               "opcost reads the error log when a server does not start",
	"basedir":               "it is the key `basedir` of a version",
	"defaults-file":         "it is the key `defaults_file` of a version",
	"defaults-extra-file":   "only the version's defaults_file is read",
	"defaults-group-suffix": "only the version's defaults_file is read",
	"defaults":              "only the version's defaults_file is read", // no-defaults
	"print-defaults":        "the server would print and end",
	"help":                  "the server would print and end",
	"version":               "the server would print and end",
	"daemonize":             "opcost must be the server's parent",
	"bootstrap":             "opcost initialises the data itself",
	"initialize":            "opcost initialises the data itself",
	"initialize-insecure":   "opcost initialises the data itself",
	"install-server":        "opcost must be the server's parent",
	"gdb":                   "opcost stops the server by a signal",
	"validate-config":       "the server would check and end",
	"verbose":               "it belongs to --help",
	"chroot":                "opcost must see the server's files",
}

// optionName is an option's name as the server understands it: without value,
// `loose-` and `skip-`, dashes for underscores.
func optionName(option string) (name, value string, off bool) {
	name, value, _ = strings.Cut(option, "=")
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	name = strings.TrimPrefix(name, "loose-")
	for _, p := range []string{"skip-", "disable-", "no-"} {
		if rest, ok := strings.CutPrefix(name, p); ok {
			name, off = rest, true
		}
	}
	return strings.TrimPrefix(name, "enable-"), value, off
}

func turnsTLSOff(option string) bool {
	name, value, off := optionName(option)
	if name != "ssl" {
		return false
	}
	switch strings.ToLower(value) {
	case "0", "off", "false":
		return true
	}
	return off
}

var optionShape = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*(=.*)?$`)

// options reads a list of server options. `--` in front is accepted and taken off.
func (r *reader) options(e entry) []string {
	items, ok := r.list(e, true)
	if !ok {
		return nil
	}
	var opts []string
	for _, it := range items {
		if n := r.resolve(it); n != nil {
			if _, isText := scalar(n); !isText {
				r.bad(it, "NAME or NAME=VALUE", "an option must be one text, not %s", kindOf(n))
				continue
			}
		}
		s, ok := r.text(it, "an option", "innodb-buffer-pool-size=1G")
		if !ok {
			continue
		}
		opt := strings.TrimPrefix(s, "--")
		name, value, _ := strings.Cut(opt, "=")
		bare, _, _ := optionName(opt)
		reason, isOurs := ours[bare]
		switch {
		case name != strings.TrimSpace(name) || strings.HasPrefix(value, " "):
			r.bad(it, strings.TrimSpace(name)+"="+strings.TrimSpace(value), "option %q has spaces around its =", s)
		case !optionShape.MatchString(opt):
			r.bad(it, "NAME or NAME=VALUE", "%q is not a server option", s)
		case isOurs:
			r.bad(it, "", "option %s is set by opcost: %s; take it out", name, reason)
		case Opens(opt) != "":
			r.bad(it, "", "option %s: %s; take it out", name, Opens(opt))
		case IsSecret(bare, value):
			r.bad(it, "the option in a defaults_file of mode 0600", "option %s holds a secret, which everyone on this machine could read in the process list", name)
		default:
			r.poolFits(it, opt)
			opts = append(opts, opt)
		}
	}
	return opts
}
