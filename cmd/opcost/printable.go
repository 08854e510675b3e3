package main

import (
	"io"
	"strings"
	"unicode"
)

// printable is stderr for text that came from outside in part (a server's log,
// a file's name): characters that would steer a terminal do not reach it.
type printable struct{ w io.Writer }

func (p printable) Write(text []byte) (int, error) {
	if _, err := io.WriteString(p.w, clean(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// clean is a text without what would steer a terminal.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
