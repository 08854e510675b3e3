package isolate

import (
	"maps"
	"slices"
	"strings"

	"opcost/perfctl/explain"
	"opcost/perfctl/result"
)

func (v version) clone() version {
	v.Options, v.Launcher, v.Env = slices.Clone(v.Options), slices.Clone(v.Launcher), maps.Clone(v.Env)
	return v
}

// absent is how a value that a side does not have is written in a difference.
const absent = "absent"

// take sets one thing as the new side has it; the reason says why that cannot
// be done.
func (v *version) take(i explain.Isolation, new result.Run) (reason string) {
	switch i.Where {
	case "options":
		return v.option(i, new)
	case "session":
		switch i.Key {
		case "charset":
			v.Charset = new.Charset
		case "protocol":
			v.Protocol = new.Protocol
		case "tls":
			if v.TLS == new.TLS {
				return "both sides use it: server and client library choose the cipher"
			}
			v.TLS = new.TLS
			if v.TLS && slices.ContainsFunc(v.Options, func(o string) bool { return named(o, "ssl") && strings.HasPrefix(bare(o), "skip") }) {
				return "the base's options turn TLS off: take skip-ssl out of them first"
			}
		default:
			return "a plan's session has no key " + i.Key
		}
	case "env":
		if i.New == absent || i.New == "" {
			delete(v.Env, i.Key)
			break
		}
		if v.Env == nil {
			v.Env = map[string]string{}
		}
		v.Env[i.Key] = i.New
	case "launcher":
		v.Launcher = new.Server.Launcher
	case "mysqld":
		if new.Server.Binary == "" {
			return "the new side's record does not say where its program is"
		}
		v.Mysqld, v.Launcher, v.Env = new.Server.Binary, new.Server.Launcher, maps.Clone(new.Server.Env)
	case "transport":
	default:
		return "a plan has no place for " + i.Where
	}
	return ""
}

// forms are options that are not written as NAME=VALUE of the variable: log-bin
// takes a file's name, so that log-bin=OFF would turn it on.
var forms = map[string]map[string]string{
	"log_bin":         {"ON": "log-bin", "1": "log-bin", "OFF": "skip-log-bin", "0": "skip-log-bin"},
	"skip_networking": {"ON": "", "OFF": ""}, // opcost's own
}

// optionOf are variables whose option has another name, from the servers'
// manuals.
var optionOf = map[string]string{
	"tx_isolation": "transaction-isolation", "log_slow_query": "slow-query-log",
	"character_set_database": "character-set-server", "collation_database": "collation-server",
}

// needed are options without which the server refuses one: MySQL, "Replication
// with GTIDs".
var needed = map[string][]string{"gtid_mode": {"enforce-gtid-consistency=ON", "log-bin"}}

// option appends the new side's option: the last of a name holds. Where the new
// side's plan had set it, its words are taken.
func (v *version) option(i explain.Isolation, new result.Run) (reason string) {
	key := strings.ReplaceAll(strings.ToLower(i.Key), "-", "_")
	for _, o := range slices.Backward(new.Server.Options) {
		if named(o, key) {
			v.Options = append(v.Options, o)
			return ""
		}
	}
	if own := slices.DeleteFunc(slices.Clone(v.Options), func(o string) bool { return named(o, key) }); i.New == absent && len(own) < len(v.Options) {
		v.Options = own
		return ""
	}
	switch {
	case i.New == absent:
		return "the new side does not have it, and the base's plan does not set it"
	case i.Base == absent:
		return "the base's server does not have it"
	case i.New == "set": // an option without a value
		v.Options = append(v.Options, strings.ReplaceAll(key, "_", "-"))
		return ""
	}
	if form, ok := forms[key]; ok {
		o := form[strings.ToUpper(i.New)]
		if o == "" {
			return "it cannot be set to " + i.New + " by an option of a plan"
		}
		v.Options = append(v.Options, o)
		return ""
	}
	value := i.New
	if key == "optimizer_switch" {
		if value = switches(i.Base, i.New); value == "" {
			return "none of the switches in which they differ is known to the base's server"
		}
	}
	if strings.EqualFold(value, "ON") {
		v.Options = append(v.Options, needed[key]...)
	}
	name := strings.ReplaceAll(key, "_", "-")
	if o, ok := optionOf[key]; ok {
		name = o
	}
	v.Options = append(v.Options, name+"="+value)
	return ""
}

// switches are those of the new side that the base's server has too, and has
// otherwise.
func switches(base, new string) string {
	has := map[string]string{}
	for s := range strings.SplitSeq(base, ",") {
		name, value, _ := strings.Cut(s, "=")
		has[name] = value
	}
	var out []string
	for s := range strings.SplitSeq(new, ",") {
		name, value, _ := strings.Cut(s, "=")
		if old, ok := has[name]; ok && old != value {
			out = append(out, s)
		}
	}
	return strings.Join(out, ",")
}

// bare is an option's name, without dashes and value.
func bare(option string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(option), "-"), "=")
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "_")
}

// named tells whether an option sets a variable.
func named(option, variable string) bool {
	name := strings.TrimPrefix(bare(option), "loose_")
	for _, prefix := range []string{"skip_", "disable_", "enable_"} {
		if name == prefix+variable {
			return true
		}
	}
	return name == variable
}
