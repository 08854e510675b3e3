package sqltext

import (
	"slices"
	"strings"
	"unicode"
)

// text joins the tokens.
func (l *lexer) text() string {
	tokens := shorten(l.out)
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && spaced(tokens[i-1], t) {
			b.WriteByte(' ')
		}
		b.WriteString(t)
		if b.Len() > MaxBytes {
			break
		}
	}
	s := strings.ToValidUTF8(b.String(), "?")
	switch {
	case l.stop && len(s)+len(cut)+1 <= MaxBytes:
		return strings.TrimSpace(s + " " + cut)
	case len(s) > MaxBytes:
		return strings.ToValidUTF8(s[:MaxBytes-len(cut)], "") + cut
	}
	return s
}

// shorten makes "?, ?, ?" one "?, ..." and "(?), (?)" one "(?), ...", so that
// statements that differ in how long a list is are the same text.
func shorten(tokens []string) []string {
	tokens = fold(tokens, []string{"?"})
	return fold(fold(tokens, []string{"(", "?", ",", cut, ")"}), []string{"(", "?", ")"})
}

// fold replaces what repeats an item, with commas between, by ", ...".
func fold(tokens, item []string) []string {
	var out []string
	for i := 0; i < len(tokens); {
		if !begins(tokens[i:], item) {
			out = append(out, tokens[i])
			i++
			continue
		}
		out = append(out, item...)
		i += len(item)
		more := false
		for i < len(tokens) && tokens[i] == "," && (begins(tokens[i+1:], item) || begins(tokens[i+1:], []string{cut})) {
			i++
			if tokens[i] == cut {
				i++
			} else {
				i += len(item)
			}
			more = true
		}
		if more {
			out = append(out, ",", cut)
		}
	}
	return out
}

func begins(tokens, item []string) bool {
	return len(tokens) >= len(item) && slices.Equal(tokens[:len(item)], item)
}

// spaced tells whether a blank stands between two tokens.
func spaced(a, b string) bool {
	switch {
	case b == "," || b == ")" || b == ";" || b == "." || a == "(" || a == "." || a == "@":
		return false
	case len(a) == 1 && len(b) == 1 && strings.Contains("<>=!:&|", a) && strings.Contains("<>=&|", b):
		return false
	}
	return true
}

// printable has no control characters, which a terminal would obey.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, s)
}
