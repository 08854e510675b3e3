package plan

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Driver is what sends the statements; the zero one is the built-in client.
type Driver struct {
	Name    string   // "", sysbench, mysqlslap or command
	Program string   // a path, or "": looked for on PATH when it is needed
	Lua     string   // sysbench's script, or a folder of scripts NAME.lua
	Options []string // further options of sysbench or mysqlslap
	Command string   // with Name command
}

// Own: the built-in client drives.
func (d Driver) Own() bool { return d.Name == "" }

const (
	builtin   = "builtin"
	sysbench  = "sysbench"
	mysqlslap = "mysqlslap"
	byCommand = "command"
)

// Abilities is what a Known may also tell of workloads; without it a plan is
// not checked for them.
type Abilities interface {
	// Drives is nil where the driver can send a workload's statements.
	Drives(d Driver, workload string) error
	// Writes: the workload changes the data.
	Writes(workload string) bool
}

// driver reads a word, or a mapping whose keys tell which driver is meant.
func (r *reader) driver(m map[string]entry, p *Plan) {
	e, ok := m["driver"]
	if !ok {
		return
	}
	n := r.resolve(e.value)
	if n == nil {
		return
	}
	var name string
	sub := map[string]entry{}
	if _, isMapping := n.(*ast.MappingNode); isMapping {
		sub, ok = r.keyed(e.value, inDriver, "driver", "driver: {lua: PATH}")
		if !ok {
			return
		}
		name = r.driverName(e, sub)
	} else {
		enum(r, m, "driver", &name, builtin, sysbench, mysqlslap, byCommand)
	}
	if name == "" || name == builtin {
		return
	}
	d := Driver{Name: name}
	one := func(key string, dst *string) {
		if k, ok := sub[key]; ok {
			if s, ok := r.text(k.value, key, k.like()); ok {
				*dst = s
			}
		}
	}
	one("program", &d.Program)
	one("lua", &d.Lua)
	one("command", &d.Command)
	r.noSecret(sub["command"], "driver: command", d.Command)
	if d.Program != "" {
		d.Program = r.program(sub["program"].value, d.Program, "program", sub["program"].like())
	}
	if d.Lua != "" {
		d.Lua = r.path(d.Lua)
	}
	if o, ok := sub["options"]; ok {
		d.Options = r.driverOptions(o)
	}
	if name == byCommand && d.Command == "" && len(r.problems) == 0 {
		r.bad(e.value, "driver: {command: TEXT}", "driver: no command is given")
		return
	}
	p.Driver = d
}

// noSecret refuses a secret in a command.
func (r *reader) noSecret(at entry, what, command string) {
	if option := secretIn(command); option != "" {
		r.bad(at.value, "", "%s: %s holds a secret, which everyone on this machine could read in the process list, and which would be written into the results; have the program read it from a file", what, option)
	}
}

// driverName is which driver a mapping means, and "" after an error.
func (r *reader) driverName(e entry, sub map[string]entry) string {
	name := ""
	if _, ok := sub["name"]; ok {
		enum(r, sub, "name", &name, builtin, sysbench, mysqlslap, byCommand)
		if name == "" {
			return ""
		}
	}
	fits := map[string][]string{"lua": {sysbench}, "command": {byCommand}, "program": {sysbench, mysqlslap}, "options": {sysbench, mysqlslap}}
	for _, key := range []string{"lua", "command", "program", "options"} {
		k, ok := sub[key]
		switch {
		case !ok:
		case name == "" && len(fits[key]) == 1:
			name = fits[key][0]
		case name == "":
			r.bad(e.value, "driver: {name: sysbench, "+key+": ...}", "driver: whose %s is not said", key)
			return ""
		case !slices.Contains(fits[key], name):
			r.bad(k.key, "driver: {"+key+": ...}", "driver: %s has no key %q, which is for %s", name, key, strings.Join(fits[key], " and "))
			return ""
		}
	}
	if name == "" && len(r.problems) == 0 {
		r.bad(e.value, "driver: builtin", "driver names none")
	}
	return name
}

// driverOptions are handed on as they are, but for what opcost gives itself.
func (r *reader) driverOptions(e entry) []string {
	items, ok := r.list(e, true)
	if !ok {
		return nil
	}
	var all []string
	for _, it := range items {
		s, ok := r.text(it, "an option", "--mysql-ignore-errors=1213")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimLeft(s, "-"), "=")
		name = strings.ReplaceAll(name, "_", "-")
		switch {
		case !strings.HasPrefix(s, "--") || name == "":
			r.bad(it, "--"+strings.TrimLeft(s, "-"), "driver: option %q does not begin with -- and a name", s)
		case strings.Contains(name, "passw") || strings.HasPrefix("password", name):
			r.bad(it, "", "driver: option --%s would be in the process list, where everyone can read it; the server's account has no password", name)
		case slices.ContainsFunc(driversOurs, func(ours string) bool { return ours == name || len(name) > 3 && strings.HasPrefix(ours, name) }):
			r.bad(it, "", "driver: option --%s is given by opcost; take it out", name)
		default:
			all = append(all, s)
		}
	}
	return all
}

// driversOurs are the options that follow from the plan. mysqlslap takes the
// beginning of an option's name for the option.
var driversOurs = []string{
	"threads", "time", "events", "tables", "table-size", "rand-seed", "rand-type", "db-ps-mode", "db-driver", "mysql-socket", "mysql-host", "mysql-port",
	"mysql-user", "mysql-db", "range-size", "socket", "user", "host", "port", "concurrency", "number-of-queries", "query", "create-schema", "no-drop", "iterations",
	"delimiter", "csv", "auto-generate-sql",
}

// driven checks what the driver must be able to do for the plan.
func (r *reader) driven(m map[string]entry, p *Plan) {
	e := m["driver"]
	a, known := r.known.(Abilities)
	if p.Driver.Own() || !known {
		return
	}
	r.undriven(m, p, a)
	if p.Operations > 0 && p.Driver.Name == byCommand && !strings.Contains(p.Driver.Command, "{operations}") {
		r.bad(m["operations"].key, "duration: 10s", "operations: the driver's command has no {operations} in it, so it does not end after so many")
	}
	if p.Driver.Name == byCommand && p.Operations == 0 && !strings.Contains(p.Driver.Command, "{seconds}") {
		r.bad(e.value, "{seconds} in the command", "driver: the command is not told how long to run")
	}
	if p.Profile {
		r.bad(m["profile"].key, "driver: builtin", "profile: it is recorded with the built-in driver alone")
	}
}

// undriven says what the driver cannot do: what is wrong with each of many
// workloads once, and what is wrong whatever the workload at the driver.
func (r *reader) undriven(m map[string]entry, p *Plan, a Abilities) {
	const name = "workload "
	idsOf := map[string][]string{}
	var texts []string
	for _, id := range p.Workloads {
		err := a.Drives(p.Driver, id)
		if err == nil {
			continue
		}
		text := strings.Replace(err.Error(), name+id, name+"\x00", 1)
		if idsOf[text] == nil {
			texts = append(texts, text)
		}
		idsOf[text] = append(idsOf[text], id)
	}
	for _, text := range texts {
		ids := idsOf[text]
		at := m["workloads"].value
		if !strings.Contains(text, "\x00") {
			at = m["driver"].value
		}
		if len(ids) > 1 {
			text = strings.Replace(text, name+"\x00", "workloads \x00", 1)
		}
		r.bad(at, "", "%s", strings.Replace(text, "\x00", strings.Join(ids, ", "), 1))
	}
}
