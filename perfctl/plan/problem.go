package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing in a plan that has to be changed before anything can be
// measured.
type Problem struct {
	File      string // as given
	Line, Col int    // from 1
	Text      string // what is wrong
	Instead   string // what to write there
}

func (p Problem) String() string {
	s := fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Col, p.Text)
	if p.Instead != "" {
		s += "\n    write instead: " + strings.ReplaceAll(p.Instead, "\n", "\n                   ")
	}
	return s
}

// Error is all that is wrong with a plan, in the order of its lines.
type Error struct{ Problems []Problem }

func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// sorted brings problems into the order of the file, each once: what is wrong
// in an anchored part is found again by every alias of it.
func sorted(ps []Problem) []Problem {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	seen := map[Problem]bool{}
	return slices.DeleteFunc(ps, func(p Problem) bool {
		again := seen[p]
		seen[p] = true
		return again
	})
}
