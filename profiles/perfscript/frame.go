package perfscript

import "bytes"

// place is a frame line taken apart, in slices of it.
type place struct {
	symbol  []byte // without the offset; empty where perf knows none
	object  []byte // empty where perf knows none
	inlined bool
}

// address cuts the code's address off a frame line, hex behind white space.
func address(line []byte) (addr uint64, rest []byte, ok bool) {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	first := i
	for ; i < len(line); i++ {
		c := line[i]
		var d byte
		switch {
		case c >= '0' && c <= '9':
			d = c - '0'
		case c >= 'a' && c <= 'f':
			d = c - 'a' + 10
		default:
			goto end
		}
		if i-first >= 16 {
			return 0, nil, false
		}
		addr = addr<<4 | uint64(d)
	}
end:
	if i == first || i < len(line) && line[i] != ' ' && line[i] != '\t' {
		return 0, nil, false
	}
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	return addr, line[i:], true
}

var (
	inlinedMark = []byte(" (inlined)")
	unknown     = []byte("[unknown]")
)

// parsePlace takes apart what is behind the address: symbol+0x1f (object),
// symbol (inlined), or the symbol alone where perf was asked for no object.
func parsePlace(b []byte) place {
	var p place
	switch {
	case bytes.HasSuffix(b, inlinedMark):
		p.inlined = true
		p.symbol = b[:len(b)-len(inlinedMark)]
	case len(b) > 0 && b[len(b)-1] == ')':
		p.symbol = b
		if open := objectStart(b); open >= 0 {
			p.symbol, p.object = bytes.TrimRight(b[:open], " "), b[open+1:len(b)-1]
		}
	default:
		p.symbol = b
	}
	p.symbol, p.object = withoutOffset(p.symbol), withoutOffset(p.object)
	if bytes.Equal(p.symbol, unknown) {
		p.symbol = nil
	}
	if bytes.Equal(p.object, unknown) {
		p.object = nil
	}
	return p
}

// objectStart is where the parenthesis around the object opens: the one that
// matches the last one, since a path may hold some itself, as in
// "(/tmp/a (deleted))"; else, where they do not match, the last behind a space.
func objectStart(b []byte) int {
	depth := 0
	for i := len(b) - 1; i >= 0; i-- {
		switch b[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth > 0 {
				continue
			}
			if i == 0 || b[i-1] == ' ' {
				return i
			}
			i = 0 // it belongs to a name: foo(int), or a path with one parenthesis
		}
	}
	if i := bytes.LastIndex(b, []byte(" (")); i >= 0 {
		return i + 1
	}
	return -1
}

// withoutOffset cuts +0x1f off a name.
func withoutOffset(b []byte) []byte {
	i := len(b)
	for i > 0 && (isDigit(b[i-1]) || b[i-1] >= 'a' && b[i-1] <= 'f') {
		i--
	}
	if i == len(b) || i < 4 || b[i-1] != 'x' || b[i-2] != '0' || b[i-3] != '+' {
		return b
	}
	return b[:i-3]
}
