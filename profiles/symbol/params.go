package symbol

import "strings"

// unparameterised is a demangled name without parameter lists, trailing
// qualifiers and return type. Names that are not of C++ keep their parentheses:
// Go's "main.(*T).Run", "(anonymous namespace)", JavaScript's.
func unparameterised(name string) string {
	if !strings.Contains(name, "(") {
		return name
	}
	groups, ok := topGroups(name)
	if !ok {
		return name
	}
	var b strings.Builder
	from, cut, atEnd := 0, false, false
	for _, g := range groups {
		if !isParameters(name, g) {
			continue
		}
		end, ok := afterQualifiers(name, g.end)
		if !ok {
			continue
		}
		b.WriteString(name[from:g.start])
		from, cut, atEnd = end, true, end == len(name)
	}
	if !cut {
		return name
	}
	b.WriteString(name[from:])
	if atEnd {
		return unreturned(b.String())
	}
	return b.String()
}

// isParameters tells a parameter list from other parentheses by what is before it.
func isParameters(name string, g group) bool {
	if g.start == 0 || strings.HasPrefix(name[g.start:], "(anonymous ") {
		return false
	}
	before := name[:g.start]
	for _, word := range []string{"decltype", "noexcept", "requires", "sizeof"} {
		if strings.HasSuffix(before, word) {
			return false
		}
	}
	switch c := before[len(before)-1]; c {
	case '.', ' ', '*', '&', ':', ',':
		return g.operator
	}
	return true
}

// afterQualifiers is where what belongs to a parameter list ends: at the name's
// end, or before the "::" of something declared inside the function. Anything
// else says that these were no parameters.
func afterQualifiers(name string, i int) (int, bool) {
	for {
		rest := name[i:]
		switch {
		case rest == "" || strings.HasPrefix(rest, "::"):
			return i, true
		case strings.HasPrefix(rest, " const"):
			i += len(" const")
		case strings.HasPrefix(rest, " volatile"):
			i += len(" volatile")
		case strings.HasPrefix(rest, " noexcept"):
			i += len(" noexcept")
		case strings.HasPrefix(rest, " &&"), strings.HasPrefix(rest, " &"):
			i = len(name) - len(strings.TrimLeft(rest[1:], "&"))
		default:
			return 0, false
		}
	}
}

// unreturned is a name without the return type that demanglers print before the
// names of template functions.
func unreturned(name string) string {
	prefix := ""
	for _, p := range []string{"non-virtual thunk to ", "virtual thunk to ", "covariant return thunk to "} {
		if rest, ok := strings.CutPrefix(name, p); ok {
			prefix, name = p, rest
			break
		}
	}
	l := lexer{s: name}
	last := -1
	for l.next() {
		if l.depth != 0 {
			continue
		}
		if l.operator {
			break // what follows is the operator: "operator new", "operator unsigned long"
		}
		if name[l.at] == ' ' {
			last = l.at
		}
	}
	return prefix + strings.TrimLeft(name[last+1:], "*&")
}
