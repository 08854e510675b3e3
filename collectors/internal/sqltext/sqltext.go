// Package sqltext takes what a user wrote out of a statement's text, so that it
// can be shown and kept: literals become ?, comments go. It is no parser: it
// knows tokens, of MySQL and MariaDB, and where two settings of a server read a
// text differently it leaves out the rest rather than show a part of a literal.
package sqltext

import "strings"

// MaxBytes is the longest text that Normalise gives.
const MaxBytes = 1024

// Normalise gives the statement without literals and comments, its white space
// made one blank, lists of literals shortened to (?, ...), and cut to MaxBytes.
// A statement that was cut before (within a literal or a comment) is fine. The
// names of tables, columns and the like stay.
func Normalise(statement string) string {
	l := lexer{in: statement}
	for l.at < len(l.in) && !l.stop {
		l.token()
	}
	return l.text()
}

// cut marks where a text was left out.
const cut = "..."

type lexer struct {
	in   string
	at   int
	out  []string // tokens
	stop bool     // the rest cannot be read safely
	code bool     // within a /*! comment, whose end is none elsewhere: "*/*" is "*" and a comment's begin
}

func (l *lexer) token() {
	c := l.in[l.at]
	switch {
	case isSpace(c):
		l.at++
	case c == '\'' || c == '"': // with ANSI_QUOTES "..." is a name; taken for a literal all the same
		l.quoted(c)
	case c == '`':
		l.name()
	case c == '#', c == '-' && l.dashes():
		l.skipTo("\n")
	case strings.HasPrefix(l.in[l.at:], "/*"):
		l.comment()
	case l.code && strings.HasPrefix(l.in[l.at:], "*/"):
		l.at += 2
		l.code = false
	case isDigit(c), c == '.' && l.at+1 < len(l.in) && isDigit(l.in[l.at+1]) && !l.afterName():
		l.number()
	case isWord(c):
		l.word()
	default:
		l.emit(printable(l.in[l.at : l.at+1]))
		l.at++
	}
}

func (l *lexer) emit(token string) { l.out = append(l.out, token) }

// quoted skips a string: two quotes are one, and a backslash hides the next
// byte, unless the session has NO_BACKSLASH_ESCAPES. A quote behind an odd
// number of backslashes ends the string for the one and not for the other, so
// nothing after it is shown.
func (l *lexer) quoted(quote byte) {
	l.emit("?")
	slashes := 0
	for l.at++; l.at < len(l.in); l.at++ {
		switch c := l.in[l.at]; {
		case c == '\\':
			slashes++
			continue
		case c == quote && slashes%2 == 1:
			l.stop = true
			return
		case c == quote && l.at+1 < len(l.in) && l.in[l.at+1] == quote:
			l.at++
		case c == quote:
			l.at++
			return
		}
		slashes = 0
	}
	l.stop = true // cut within the string
}

// name keeps a quoted name as it is.
func (l *lexer) name() {
	end := strings.IndexByte(l.in[l.at+1:], '`')
	if end < 0 {
		l.stop = true
		return
	}
	l.emit(printable(l.in[l.at : l.at+end+2]))
	l.at += end + 2
}

// dashes are a comment when white space or nothing follows.
func (l *lexer) dashes() bool {
	rest := l.in[l.at:]
	return strings.HasPrefix(rest, "--") && (len(rest) == 2 || isSpace(rest[2]) || rest[2] < ' ')
}

// comment skips one. The inside of /*! and /*M! is code for some servers and a
// comment for older ones: it is shown where both read on from the same place. A
// hint with a quote may hold the comment's end in a string.
func (l *lexer) comment() {
	rest := l.in[l.at+2:]
	end := strings.Index(rest, "*/")
	if end < 0 {
		l.stop = true
		return
	}
	inside := rest[:end]
	for _, code := range []string{"!", "M!"} {
		if !strings.HasPrefix(inside, code) {
			continue
		}
		for _, opens := range []string{"'", "\"", "`", "#", "--", "/*", "$"} {
			l.stop = l.stop || strings.Contains(inside, opens)
		}
		l.at += 2 + len(code)
		l.code = true
		for isDigit(l.in[l.at]) { // the version; the comment's end stops it
			l.at++
		}
		return
	}
	l.stop = inside != "" && inside[0] == '+' && strings.ContainsAny(inside, "'\"`")
	l.at += 2 + end + 2
}

func (l *lexer) skipTo(end string) {
	if i := strings.Index(l.in[l.at:], end); i >= 0 {
		l.at += i + len(end)
		return
	}
	l.at = len(l.in)
}

// number takes all that can be in one (0x1F, 1e-5, .5), and names that begin
// with a digit with it.
func (l *lexer) number() {
	l.emit("?")
	hex := strings.HasPrefix(l.in[l.at:], "0x")
	for l.at < len(l.in) {
		c := l.in[l.at]
		sign := (c == '+' || c == '-') && !hex && (l.in[l.at-1] == 'e' || l.in[l.at-1] == 'E') &&
			l.at+1 < len(l.in) && isDigit(l.in[l.at+1])
		if !isWord(c) && !isDigit(c) && c != '.' && !sign {
			return
		}
		l.at++
	}
}

// word keeps a name or a keyword. x'4D', b'01' and n'...' are literals.
func (l *lexer) word() {
	begin := l.at
	if l.in[l.at] == '$' { // $$...$$ is a string for MySQL 9
		l.stop = true
		return
	}
	for l.at < len(l.in) && (isWord(l.in[l.at]) || isDigit(l.in[l.at])) {
		l.at++
	}
	w := l.in[begin:l.at]
	if len(w) == 1 && l.at < len(l.in) && l.in[l.at] == '\'' && strings.Contains("xXbBnN", w) {
		return // the string comes next
	}
	// A ? within a name would be read as a literal's next time.
	l.emit(strings.ReplaceAll(printable(w), "?", "\ufffd"))
}

func (l *lexer) afterName() bool {
	if l.at == 0 {
		return false
	}
	c := l.in[l.at-1]
	return isWord(c) || isDigit(c) || c == '`'
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWord is true for what a name without quotes is made of, digits apart.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}
