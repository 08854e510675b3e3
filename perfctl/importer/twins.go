package importer

import (
	"fmt"

	"opcost/perfctl/importer/smalldatum"
)

// From how many equal numbers on two columns are one measurement under two
// names: whole numbers, and ratios, of which many are equal by themselves.
const (
	twinNumbers = 10
	twinRatios  = 20
)

// column is one server's numbers in one table, by what they are.
type column struct {
	from   *source
	name   string
	values map[string]string
}

// twin finds a column of another table of the same folder that has the same
// numbers wherever both have one: csv repeats a tsv, and a post's table the
// script's under other names.
func (b *batch) twin(t table, name string, cells []smalldatum.Cell) (other string, ok bool) {
	values := make(map[string]string, len(cells))
	for _, c := range cells {
		values[fmt.Sprint(c.Test, " ", c.Metric, " ", t.column(c), " ", c.Host, " ", c.Clients)] = c.Text
	}
	enough := twinNumbers
	if t.file.Kind == smalldatum.QPSRelative {
		enough = twinRatios
	}
	key := fmt.Sprint(t.from.set, t.file.Kind)
	for _, had := range b.seen[key] {
		if had.from == t.from || had.name == name {
			continue
		}
		if n := equal(values, had.values); n >= enough {
			return had.name, true
		}
	}
	if b.seen == nil {
		b.seen = map[string][]column{}
	}
	if name != "" {
		b.seen[key] = append(b.seen[key], column{t.from, name, values})
	}
	return "", false
}

// equal is how many numbers two columns share; -1 where one differs.
func equal(a, b map[string]string) (n int) {
	for key, v := range a {
		w, both := b[key]
		if both && v != w {
			return -1
		}
		if both {
			n++
		}
	}
	return n
}
