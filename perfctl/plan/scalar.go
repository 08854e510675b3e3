package plan

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// scalar gives a node's text as it is written: a version named 8.0 is "8.0",
// though YAML takes it for a number.
func scalar(n ast.Node) (string, bool) {
	switch t := n.(type) {
	case *ast.StringNode:
		return t.Value, true
	case *ast.LiteralNode:
		return strings.TrimSuffix(t.Value.Value, "\n"), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func kindOf(n ast.Node) string {
	switch n.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.MappingNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	}
	if s, ok := scalar(n); ok {
		return fmt.Sprintf("%q", s)
	}
	return "this"
}

// like shows a key with its example value.
func (e entry) like() string {
	k, _ := keyNamed(e.in, e.name)
	return e.name + ": " + k.Example
}

// unknownKey says what the key could have meant: one spelt alike, or the same
// one that stands elsewhere.
func (r *reader) unknownKey(e entry, what string) {
	var names []string
	for _, k := range keysIn(e.in) {
		names = append(names, k.Name)
	}
	instead := "one of " + strings.Join(names, ", ")
	place := map[string]string{inPlan: "at the top level", inVersion: "in a version", inSession: "in session", inRestore: "in restore", inProfile: "in profile", inDriver: "in driver", inVariant: "in a variant"}
	if near, ok := nearest(e.name, names); ok {
		instead = near + ":"
	} else if i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == e.name }); i >= 0 {
		instead = e.name + ": " + place[keys[i].In]
	}
	r.bad(e.key, instead, "%s has no key %q", what, e.name)
}

// text gives a one-line text.
func (r *reader) text(at ast.Node, what, example string) (string, bool) {
	n := r.resolve(at)
	if n == nil {
		return "", false
	}
	s, ok := scalar(n)
	switch {
	case !ok:
		r.bad(at, example, "%s must be a text, not %s", what, kindOf(n))
	case s == "":
		r.bad(at, example, "%s is empty", what)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl):
		r.bad(at, example, "%s has a line break or another control character in it", what)
	default:
		return s, true
	}
	return "", false
}

var decimal = regexp.MustCompile(`^(0|[1-9][0-9]*(_[0-9]+)*)$`)

// integer reads a whole number between lo and hi. Other bases and leading
// zeros are refused, because YAML's versions disagree about them.
func (r *reader) integer(at ast.Node, what, example string, lo, hi uint64) (uint64, bool) {
	n := r.resolve(at)
	if n == nil {
		return 0, false
	}
	s, _ := scalar(n)
	_, isInt := n.(*ast.IntegerNode)
	// What is too large for 64 bits comes as a text, though it has no quotes.
	quoted := s != "" && slices.Contains([]token.Type{token.SingleQuoteType, token.DoubleQuoteType}, n.GetToken().Type)
	isInt = isInt || !quoted && decimal.MatchString(s)
	v, err := strconv.ParseUint(strings.ReplaceAll(s, "_", ""), 10, 64)
	switch {
	case quoted && decimal.MatchString(s):
		r.bad(at, strings.Replace(example, "{}", s, 1), "%s is a text in quotes, not a number", what)
	case isInt && strings.HasPrefix(s, "-"), isInt && decimal.MatchString(s) && (err != nil || v < lo || v > hi):
		bounds := fmt.Sprintf("between %d and %d", lo, hi)
		if hi >= math.MaxInt64 {
			bounds = fmt.Sprintf("%d or more", lo)
		}
		r.bad(at, strings.Replace(example, "{}", strconv.FormatUint(max(lo, 1), 10), 1), "%s is %s; it must be %s", what, s, bounds)
	case !isInt || !decimal.MatchString(s):
		meant := max(lo, 1)
		if n, ok := inFull(s); ok && n >= lo && n <= hi {
			meant = n
		}
		r.bad(at, strings.Replace(example, "{}", strconv.FormatUint(meant, 10), 1), "%s must be a whole number, not %s", what, kindOf(n))
	default:
		return v, true
	}
	return 0, false
}

var shortNumber = regexp.MustCompile(`^([1-9][0-9]{0,2}(?:,[0-9]{3})+|[1-9][0-9]{0,8})([kKmM]?)$`)

// inFull is a number that was written as 100k, 2M or 1,000,000.
func inFull(s string) (uint64, bool) {
	part := shortNumber.FindStringSubmatch(s)
	if part == nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.ReplaceAll(part[1], ",", ""), 10, 32)
	return n * map[string]uint64{"": 1, "k": 1e3, "m": 1e6}[strings.ToLower(part[2])], err == nil
}

// number is integer for the value of a key, kept in dst.
func number[T int | int64 | uint64](r *reader, m map[string]entry, name string, dst *T, lo, hi uint64) {
	if e, ok := m[name]; ok {
		if v, ok := r.integer(e.value, name, name+": {}", lo, hi); ok {
			*dst = T(v)
		}
	}
}

var (
	timeText = regexp.MustCompile(`^[0-9]+(ms|s|m|h)$`)
	digits   = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)
	longUnit = regexp.MustCompile(`^([0-9]+) *(ms|s|sec|secs|seconds?|m|min|mins|minutes?|h|hours?)$`)
)

// longest is a day: no window that is longer tells more.
const longest = 24 * time.Hour

// duration reads a time such as 10s or 1m30s, of at least lo and at most `most`.
func (r *reader) duration(m map[string]entry, name string, dst *time.Duration, lo, most time.Duration) {
	e, ok := m[name]
	if !ok {
		return
	}
	n := r.resolve(e.value)
	if n == nil {
		return
	}
	s, _ := scalar(n)
	d, err := time.ParseDuration(s)
	unit := longUnit.FindStringSubmatch(s)
	if err != nil && unit != nil && timeText.MatchString(s) {
		r.bad(e.value, e.like(), "%s is %s; it must be at most %v", name, s, most) // too large to be read
		return
	}
	if err != nil && unit != nil {
		short := map[byte]string{'s': "s", 'm': "m", 'h': "h"}[unit[2][0]]
		if unit[2] == "ms" {
			short = "ms"
		}
		r.bad(e.value, name+": "+unit[1]+short, "%s: %q is not a duration", name, s)
		return
	}
	switch {
	case err != nil && digits.MatchString(s):
		r.bad(e.value, name+": "+s+"s", "%s: %s has no unit", name, s)
	case err != nil:
		r.bad(e.value, e.like(), "%s must be a duration such as 500ms, 10s or 1m30s, not %s", name, kindOf(n))
	case d < lo:
		r.bad(e.value, e.like(), "%s is %s; it must be at least %v", name, s, lo)
	case d > most:
		r.bad(e.value, e.like(), "%s is %s; it must be at most %v", name, s, most)
	default:
		*dst = d
	}
}

// enum reads one of a few words.
func enum[T ~string](r *reader, m map[string]entry, name string, dst *T, allowed ...T) {
	e, ok := m[name]
	if !ok {
		return
	}
	var words []string
	for _, a := range allowed {
		words = append(words, string(a))
	}
	s, ok := r.text(e.value, name, name+": "+words[0])
	if !ok {
		return
	}
	if i := slices.Index(words, s); i >= 0 {
		*dst = allowed[i]
		return
	}
	instead := name + ": " + strings.Join(words, " | ")
	if near, ok := nearest(s, words); ok {
		instead = name + ": " + near
	}
	r.bad(e.value, instead, "%s: %q is not one of %s", name, s, strings.Join(words, ", "))
}

func (r *reader) boolean(m map[string]entry, name string, dst *bool) {
	e, ok := m[name]
	if !ok {
		return
	}
	n := r.resolve(e.value)
	if n == nil {
		return
	}
	b, ok := n.(*ast.BoolNode)
	if !ok {
		// yes, no, on and off were booleans in YAML 1.1 and are texts in 1.2.
		r.bad(e.value, name+": true | false", "%s must be true or false, not %s", name, kindOf(n))
		return
	}
	*dst = b.Value
}

// list gives the items of a list; an empty one is an error unless mayBeEmpty.
func (r *reader) list(e entry, mayBeEmpty bool) ([]ast.Node, bool) {
	n := r.resolve(e.value)
	if n == nil {
		return nil, false
	}
	l, ok := n.(*ast.SequenceNode)
	switch {
	case !ok:
		instead := e.like()
		if s, isText := scalar(n); isText && s != "" {
			instead = fmt.Sprintf("%s: [%s]", e.name, s)
		}
		r.bad(e.value, instead, "%s must be a list, not %s", e.name, kindOf(n))
	case len(l.Values) == 0 && !mayBeEmpty:
		r.bad(e.value, e.like(), "%s is an empty list", e.name)
	default:
		return l.Values, true
	}
	return nil, false
}
