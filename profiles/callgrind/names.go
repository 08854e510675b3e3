package callgrind

import (
	"fmt"
	"strconv"
	"strings"
)

// names is one of the three spaces of names in a file (objects, source files,
// functions), with their compression: "(7) name" defines 7, "(7)" means it.
// A name is an index, so that a long name costs its length once.
type names struct {
	list  []string
	index map[string]int
	byID  map[uint64]int
}

func newNames() *names {
	n := &names{index: map[string]int{}, byID: map[uint64]int{}}
	n.intern("") // 0 is "not said"
	return n
}

func (n *names) intern(name string) int {
	i, ok := n.index[name]
	if !ok {
		i = len(n.list)
		// A copy, so that the name does not keep its whole line alive.
		name = strings.Clone(name)
		n.list = append(n.list, name)
		n.index[name] = i
	}
	return i
}

// read takes what stands behind "fn=" and the like. "(below main)" is a name:
// only digits between the parentheses are a number.
func (n *names) read(s string) (int, error) {
	s = strings.TrimSpace(s)
	inner, rest, ok := strings.Cut(s, ")")
	digits, open := strings.CutPrefix(inner, "(")
	if !ok || !open || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return n.intern(s), nil
	}
	id, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("name number (%s) does not fit 64 bits", digits)
	}
	if name := strings.TrimSpace(rest); name != "" {
		n.byID[id] = n.intern(name)
	}
	i, known := n.byID[id]
	if !known {
		return 0, fmt.Errorf("(%d) is used before a line has given it a name", id)
	}
	return i, nil
}
