package symbol

import "strings"

// lexer walks over a demangled name and knows how deep in brackets it is. The
// symbol behind "operator" is one step: its "<", ">" and "()" are no brackets.
type lexer struct {
	s        string
	at       int  // of the current character
	i        int  // of the next
	depth    int  // brackets around the current character; an opening one counts for itself
	operator bool // the current step is "operator" and its symbol
	open     []byte
	bad      bool // brackets do not match
}

func (l *lexer) next() bool {
	if l.i >= len(l.s) || l.bad {
		return false
	}
	l.at, l.operator = l.i, false
	if n := operatorAt(l.s, l.i); n > 0 {
		l.operator = true
		l.i += n
		l.depth = len(l.open)
		return true
	}
	c := l.s[l.i]
	l.i++
	switch c {
	case '(', '[', '{', '<':
		l.open = append(l.open, c)
		l.depth = len(l.open)
		return true
	case '>':
		if l.at > 0 && l.s[l.at-1] == '-' { // ->
			break
		}
		l.close('<')
		return true
	case ')':
		l.close('(')
		return true
	case ']':
		l.close('[')
		return true
	case '}':
		l.close('{')
		return true
	}
	l.depth = len(l.open)
	return true
}

func (l *lexer) close(c byte) {
	l.depth = len(l.open)
	if l.depth == 0 || l.open[l.depth-1] != c {
		l.bad = true
		return
	}
	l.open = l.open[:l.depth-1]
}

// operatorAt is the length of "operator" and its symbol at i, or 0.
func operatorAt(s string, i int) int {
	const word = "operator"
	if !strings.HasPrefix(s[i:], word) || i > 0 && isWord(s[i-1]) {
		return 0
	}
	rest := s[i+len(word):]
	for _, sign := range []string{"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"} {
		if strings.HasPrefix(rest, sign) {
			return len(word) + len(sign)
		}
	}
	if rest == "" || isWord(rest[0]) {
		return 0
	}
	return len(word)
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// group is a pair of outermost brackets: s[start] opens, s[end-1] closes.
type group struct {
	start, end int
	operator   bool // directly behind an operator's symbol
}

// topGroups are the outermost parentheses of a name; ok is false where brackets
// do not match, as in a name that was cut off.
func topGroups(s string) (groups []group, ok bool) {
	l := lexer{s: s}
	afterOperator := false
	start, operator := -1, false
	for l.next() {
		if l.depth == 1 && !l.operator {
			switch s[l.at] {
			case '(':
				if start < 0 {
					start, operator = l.at, afterOperator
				}
			case ')':
				groups = append(groups, group{start, l.at + 1, operator})
				start = -1
			}
		}
		afterOperator = l.operator
	}
	return groups, !l.bad && len(l.open) == 0
}
