package server

import "strings"

// Range is the versions that a fact holds for. Until is the first version that
// it no longer holds for; the zero value leaves an end open. An empty Flavor
// means both.
type Range struct {
	Flavor string
	From   [3]int
	Until  [3]int
}

// Holds tells whether the version lies in the range.
func (r Range) Holds(id Identity) bool {
	return (r.Flavor == "" || r.Flavor == id.Flavor) &&
		id.AtLeast(r.From[0], r.From[1], r.From[2]) &&
		(r.Until == [3]int{} || !id.AtLeast(r.Until[0], r.Until[1], r.Until[2]))
}

// When is the condition under which a setting is given.
type When string

const (
	Always     When = "always"
	SocketOnly When = "without TCP"
	WithTCP    When = "with TCP"
	WithoutTLS When = "where connections use no TLS"
	WithTLS    When = "where connections use TLS"
	AsRoot     When = "when opcost runs as root"
)

// Setting is an option that opcost gives a server by itself. A {place} in it is
// filled in; a setting whose place is not known is left out.
type Setting struct {
	Option   string
	Versions Range
	When     When
	AtInit   bool // given when initialising too
	Last     bool // after the plan's options, so that it wins over them; else before, so that they win
	Why      string
}

// Settings is everything that opcost sets on a server by itself. Whatever else a
// server does (binary log, performance_schema, doublewrite, ...) is its own
// default or the plan's choice.
var Settings = []Setting{
	{Option: "--basedir={basedir}", AtInit: true, When: Always,
		Why: "the server finds its own messages, character sets and plugins, in an unpacked tree too"},
	{Option: "--lc-messages-dir={share}", Versions: Range{From: [3]int{5, 5, 0}}, AtInit: true, When: Always,
		Why: "its own error messages: another version's file stops it or garbles the log"},
	{Option: "--language={share}/english/", Versions: Range{Until: [3]int{5, 5, 0}}, AtInit: true, When: Always,
		Why: "the same for versions before lc-messages-dir"},
	{Option: "--secure-file-priv=NULL", Versions: Range{Flavor: MySQL, From: [3]int{5, 7, 6}}, AtInit: true, When: Always,
		Why: "packages compile in a folder of the system's server, and stop where it is missing"},
	{Option: "--mysqlx=OFF", Versions: Range{Flavor: MySQL, From: [3]int{8, 0, 11}}, When: Always,
		Why: "the X plugin would open port 33060 and a socket of its own"},
	{Option: "--skip-ssl", Versions: Range{Flavor: MariaDB, From: [3]int{11, 4, 0}}, AtInit: true, When: WithoutTLS,
		Why: "these versions make a TLS key at each start (up to a minute on a slow CPU)"},
	{Option: "--ssl-cert={cert}", When: WithTLS, Why: "the same kind of key for every version: some make their own at the start, some offer no TLS without one"},
	{Option: "--ssl-key={key}", When: WithTLS, Why: "the same"},
	{Option: "--datadir={data}", AtInit: true, Last: true, When: Always, Why: "private data"},
	{Option: "--tmpdir={tmp}", AtInit: true, Last: true, When: Always, Why: "private temporary files"},
	{Option: "--socket={socket}", Last: true, When: Always, Why: "a socket of its own, in a folder that only this user may enter"},
	{Option: "--pid-file={tmp}/mysqld.pid", Last: true, When: Always, Why: "packages compile in a path of the system's server"},
	{Option: "--log-error={log}", Last: true, When: Always, Why: "a log of its own for each start"},
	{Option: "--skip-networking", Last: true, When: SocketOnly, Why: "a benchmarked server without a password listens to nobody else"},
	{Option: "--bind-address=127.0.0.1", Last: true, When: WithTCP, Why: "listens to this machine only"},
	{Option: "--port={port}", Last: true, When: WithTCP, Why: "a free port: 3306 may be the system's server"},
	{Option: "--skip-name-resolve", Last: true, When: WithTCP, Why: "127.0.0.1 is not taken for localhost, where root has no password: root logs in over the socket alone"},
	{Option: "--user={user}", AtInit: true, Last: true, When: AsRoot, Why: "a server refuses to run as root unless told to"},
}

// places are what the {places} of settings stand for.
type places map[string]string

// fill gives the option with its places filled in, or false where one of them
// is not known.
func (p places) fill(option string) (string, bool) {
	begin := strings.IndexByte(option, '{')
	if begin < 0 {
		return option, true
	}
	length := strings.IndexByte(option[begin:], '}')
	value := p[option[begin+1:begin+length]]
	return option[:begin] + value + option[begin+length+1:], value != ""
}

// own gives the settings for one start or initialisation, those before the
// plan's options and those after.
func own(id Identity, p places, holds map[When]bool, init bool) (before, after []string) {
	for _, s := range Settings {
		if !s.Versions.Holds(id) || s.When != Always && !holds[s.When] || init && !s.AtInit {
			continue
		}
		option, known := p.fill(s.Option)
		switch {
		case !known:
		case s.Last:
			after = append(after, option)
		default:
			before = append(before, option)
		}
	}
	return before, after
}
