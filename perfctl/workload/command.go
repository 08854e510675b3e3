package workload

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Placeholders are what a command may have in braces, with what stands for it.
// Values are quoted for the shell where they need it.
func Placeholders() []string {
	return slices.Sorted(maps.Keys(ExternalConfig{}.placeholders(lasting{})))
}

func (c ExternalConfig) placeholders(l lasting) map[string]string {
	host, port, _ := net.SplitHostPort(c.Access.Addr) // empty with a socket
	socket := c.Access.Addr
	if c.Access.Network == "tcp" {
		socket = ""
	}
	seconds, operations := "", ""
	if l.operations > 0 {
		operations = strconv.FormatInt(l.operations, 10)
	} else {
		seconds = strconv.FormatInt(l.seconds, 10)
	}
	return map[string]string{
		"socket": socket, "host": host, "port": port, "user": c.Access.User, "database": c.Access.Database,
		"clients": strconv.Itoa(c.Clients), "seconds": seconds, "operations": operations,
		"tables": strconv.Itoa(c.Data.Tables), "rows": strconv.FormatInt(c.Data.Rows, 10),
		"workload": c.Test.Name, "range": strconv.Itoa(c.Test.Range), "seed": strconv.FormatUint(c.seed(""), 10),
	}
}

// placeholder matches ${x} too, which is the shell's.
var placeholder = regexp.MustCompile(`\$?\{([a-z_]+)\}`)

func (d Driver) commandDoes() error {
	if strings.TrimSpace(d.Command) == "" {
		return errors.New("driver command: no command given; write `driver: {command: TEXT}`")
	}
	known := Placeholders()
	for _, m := range placeholder.FindAllStringSubmatch(d.Command, -1) {
		if m[0][0] != '$' && !slices.Contains(known, m[1]) {
			return fmt.Errorf("driver command: unknown placeholder %s; there are {%s}; braces that are not opcost's have a space in them: { %s }", m[0], strings.Join(known, "}, {"), m[1])
		}
	}
	return nil
}

// command is run by a shell. It is to end after {seconds}, or {operations}
// where it has them; what is left empty does not apply.
func (c ExternalConfig) command(l lasting) []string {
	values := c.placeholders(l)
	text := placeholder.ReplaceAllStringFunc(c.Driver.Command, func(p string) string {
		if p[0] == '$' {
			return p
		}
		return shellWord(values[p[1:len(p)-1]])
	})
	return []string{"sh", "-c", text}
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=-]*$`)

// shellWord quotes a value where a shell would see more than a word.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
