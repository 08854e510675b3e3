package workload

import (
	"database/sql/driver"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// BEGIN and COMMIT are always sent as text: before MySQL 8 and MariaDB 10.6
// the server refuses to prepare BEGIN (error 1295), and a transaction is to
// cost every version the same protocol.
const (
	sqlBegin    = "BEGIN"
	sqlCommit   = "COMMIT"
	sqlRollback = "ROLLBACK"
)

// Statement is one statement of a test, on table sbtest1.
type Statement struct {
	Template string // with ?, long lists of them shortened: fit for a key or a document
	SQL      string // with literals: can be sent as it is, or explained
	Explain  bool   // EXPLAIN takes it (BEGIN and COMMIT it does not)
}

// Statements are the statements of a test in their order, each once.
func Statements(t Test, d Data) []Statement {
	var out []Statement
	k := newKeys(Data{Tables: 1, Rows: d.Rows}, d.Seed)
	k.begin(d.Seed, 0, 0, "statements")
	for _, s := range t.steps {
		c := compile(s.sql, 1)
		values := k.values(c.args, nil)
		out = append(out, Statement{
			Template: c.template,
			SQL:      string(c.appendText(nil, values)),
			Explain:  s.sql != sqlBegin && s.sql != sqlCommit,
		})
	}
	return out
}

// argKind says what a value of a statement is drawn from.
type argKind uint8

const (
	argID argKind = iota
	argZipf
	argK
	argX     // the start of a range
	argAfter // the start of the range plus n
	argHot   // the n'th hot id
	argSame  // the id of the statement before
	argC
	argPad
)

type arg struct {
	kind argKind
	n    int64
}

// compiled is a statement on one table, ready for both protocols.
type compiled struct {
	prepared string   // with ?
	template string   // the same, long lists shortened
	parts    []string // what stands around the arguments, for text
	args     []arg
	reads    bool // gives rows
	same     bool // on the table of the statement before
	plain    bool // BEGIN, COMMIT: text always
}

var braces = regexp.MustCompile(`\{(t|[a-z]+)(?:([*+])(\d+))?\}`)

var kinds = map[string]argKind{"id": argID, "zipf": argZipf, "k": argK, "x": argX, "hot": argHot, "same": argSame, "c": argC, "pad": argPad}

// compile reads the notation of the table of tests. It panics on a fault in
// it, which the tests of this package would show.
func compile(sql string, table int) compiled {
	c := compiled{reads: strings.HasPrefix(sql, "SELECT"), plain: sql == sqlBegin || sql == sqlCommit}
	var part, prepared, template strings.Builder
	text := func(s string) {
		part.WriteString(s)
		prepared.WriteString(s)
		template.WriteString(s)
	}
	mark := func(a arg) {
		c.parts = append(c.parts, part.String())
		part.Reset()
		c.args = append(c.args, a)
		prepared.WriteByte('?')
	}
	at := 0
	for _, m := range braces.FindAllStringSubmatchIndex(sql, -1) {
		text(sql[at:m[0]])
		at = m[1]
		name := sql[m[2]:m[3]]
		if name == "t" {
			text(strconv.Itoa(table))
			continue
		}
		kind, ok := kinds[name]
		if !ok {
			panic(fmt.Sprintf("unknown argument %q in %q", name, sql))
		}
		op, n := "", int64(0)
		if m[4] >= 0 {
			op = sql[m[4]:m[5]]
			n, _ = strconv.ParseInt(sql[m[6]:m[7]], 10, 64) // digits by the expression
		}
		switch {
		case op == "*":
			for i := range n {
				if i > 0 {
					part.WriteString(", ")
					prepared.WriteString(", ")
				}
				mark(arg{kind, i})
			}
			fmt.Fprintf(&template, "?, ... %d", n)
			continue
		case op == "+":
			mark(arg{argAfter, n})
		default:
			mark(arg{kind, 0})
		}
		c.same = c.same || kind == argSame
		template.WriteByte('?')
	}
	text(sql[at:])
	c.parts = append(c.parts, part.String())
	c.prepared, c.template = prepared.String(), template.String()
	return c
}

// appendText writes the statement with its values as literals. Strings are of
// our making and hold digits and hyphens only, so quotes are enough.
func (c *compiled) appendText(b []byte, values []driver.Value) []byte {
	for i, v := range values {
		b = append(b, c.parts[i]...)
		switch v := v.(type) {
		case int64:
			b = strconv.AppendInt(b, v, 10)
		case []byte:
			b = append(b, '\'')
			b = append(b, v...)
			b = append(b, '\'')
		}
	}
	return append(b, c.parts[len(c.parts)-1]...)
}
