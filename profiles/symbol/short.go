package symbol

import "strings"

// shortEnough is how many bytes a name may have before its template arguments
// are left out.
const shortEnough = 60

// Short is a name for display: [Normal], with std::string and the like under
// their usual names, lambdas without parameters, and, where it is still long,
// "<...>" for template arguments. Distinct functions may have one short name.
func Short(name string) string {
	name = Normal(name)
	name = usual.Replace(name)
	name = cutGroups(name, '{', func(inside string) string {
		if rest, ok := strings.CutPrefix(inside, "lambda("); ok {
			if i := strings.LastIndexByte(rest, '#'); i >= 0 {
				return "lambda" + rest[i:]
			}
		}
		return inside
	})
	if len(name) > shortEnough {
		name = cutGroups(name, '<', func(string) string { return "..." })
	}
	return name
}

var usual = strings.NewReplacer(
	"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>", "std::string",
	"std::basic_string<char, std::char_traits<char>, std::allocator<char>>", "std::string",
	"std::basic_string_view<char, std::char_traits<char>>", "std::string_view",
)

// cutGroups changes what is inside the outermost brackets of a kind that opens with
// c. A bracket that the name begins with stays (Rust's "<T as Trait>::f"), and so
// does a name whose brackets do not match.
func cutGroups(name string, c byte, change func(inside string) string) string {
	var b strings.Builder
	l := lexer{s: name}
	from, start := 0, -1
	for l.next() {
		if l.operator {
			continue
		}
		switch {
		case start < 0 && l.at > 0 && name[l.at] == c && l.depth > 0 && l.open[l.depth-1] == c:
			start = l.depth
			b.WriteString(name[from:l.i])
			from = l.i
		case start == l.depth && len(l.open) == start-1:
			b.WriteString(change(name[from:l.at]))
			from, start = l.at, -1
		}
	}
	if l.bad || len(l.open) > 0 {
		return name
	}
	b.WriteString(name[from:])
	return b.String()
}
