package live

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// optionFile is what the sections for clients of a my.cnf say.
type optionFile struct {
	values   map[string]string // names with dashes; the last one counts
	bare     []string          // names without a value: `password` alone asks for one
	includes []string          // the lines that would read other files
}

// clientSections are read by every client program; the others are a program's
// own.
var clientSections = []string{"client", "client-server", "client-mariadb"}

// parseOptionFile reads a my.cnf as the server's own programs do
// (mysys/my_default.c; "Using Option Files" of the MySQL manual).
func parseOptionFile(r io.Reader) (optionFile, error) {
	f := optionFile{values: map[string]string{}}
	inside := false
	s := bufio.NewScanner(r)
	for number := 1; s.Scan(); number++ {
		line := strings.TrimSpace(s.Text())
		switch {
		case line == "", line[0] == '#', line[0] == ';':
			continue
		case strings.HasPrefix(line, "!include"):
			f.includes = append(f.includes, fmt.Sprintf("line %d: %s", number, line))
			continue
		case line[0] == '[':
			name, _, closed := strings.Cut(line[1:], "]")
			if !closed {
				return optionFile{}, fmt.Errorf("line %d: a section's name has no end: expected [client]", number)
			}
			inside = slices.Contains(clientSections, strings.TrimSpace(name))
			continue
		case !inside:
			continue
		}
		name, value, hasValue := strings.Cut(beforeComment(line), "=")
		name = strings.ReplaceAll(strings.TrimSpace(name), "_", "-")
		name = strings.TrimPrefix(name, "loose-")
		if hasValue {
			f.values[name] = unquote(strings.TrimSpace(value))
			f.bare = slices.DeleteFunc(f.bare, func(n string) bool { return n == name })
		} else {
			f.bare = append(f.bare, name)
			delete(f.values, name)
		}
	}
	if err := s.Err(); err != nil {
		return optionFile{}, err
	}
	return f, nil
}

// beforeComment cuts a line at a # that no quotes enclose.
func beforeComment(line string) string {
	var quote byte
	escaped := false
	for i := range len(line) {
		c := line[i]
		if (c == '\'' || c == '"') && !escaped {
			if quote == 0 {
				quote = c
			} else if quote == c {
				quote = 0
			}
		}
		if quote == 0 && c == '#' {
			return line[:i]
		}
		escaped = quote != 0 && c == '\\' && !escaped
	}
	return line
}

// escapes are the letters that mean something after a backslash; with any
// other letter the backslash stays.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 's': ' ', '"': '"', '\'': '\'', '\\': '\\'}

// unquote takes quotes from around a value and resolves escapes, which count
// outside of quotes too.
func unquote(value string) string {
	if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		value = value[1 : n-1]
	}
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] == '\\' && i+1 < len(value) {
			if c, ok := escapes[value[i+1]]; ok {
				b.WriteByte(c)
				i++
				continue
			}
		}
		b.WriteByte(value[i])
	}
	return b.String()
}
