package report

import (
	"strings"
	"unicode"
)

// plain makes text that came from outside (names, reasons) safe to print: no
// control characters, no invisible direction marks, one line.
func plain(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return s // as nearly all is
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case !unicode.IsPrint(r):
			return '�'
		}
		return r
	}, s)
}

// wrap breaks text at spaces into lines of at most width characters, what they
// begin with included: the first line with first, further ones with indent. A
// word that is longer stands alone on its line.
func wrap(text string, width int, first, indent string) string {
	var b strings.Builder
	b.WriteString(first)
	col := len([]rune(first))
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case col+1+n > width:
			b.WriteString("\n" + indent)
			col = len([]rune(indent))
		default:
			b.WriteByte(' ')
			col++
		}
		b.WriteString(word)
		col += n
	}
	return b.String()
}

// fold breaks a name that is too wide for its column into lines: between words,
// else after a separator.
func fold(name string, width int) string {
	var lines []string
	for line := range strings.Lines(wrap(name, width, "", "")) {
		rs := []rune(strings.TrimSuffix(line, "\n"))
		for len(rs) > width {
			cut := width
			for i := width; i > width/2; i-- {
				if strings.ContainsRune("_-.", rs[i-1]) {
					cut = i
					break
				}
			}
			lines = append(lines, string(rs[:cut]))
			rs = rs[cut:]
		}
		lines = append(lines, string(rs))
	}
	return strings.Join(lines, "\n")
}
