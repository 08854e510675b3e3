package workload

import (
	"fmt"
	"slices"
	"strings"
)

// Padded is the test with a comment of n bytes (its marks included, so 4 or
// more) behind each statement. By the text protocol the server reads them each
// time, so that it does a little more for the same rows: a change of known size
// and place, for tests of how small a change is found.
func (t Test) Padded(n int) Test {
	t.Name = fmt.Sprintf("%s_padded=%d", t.Name, n)
	t.ID = fmt.Sprintf("%s_padded=%d", t.ID, n)
	t.steps = slices.Clone(t.steps)
	comment := "/*" + strings.Repeat("x", max(0, n-4)) + "*/"
	for i := range t.steps {
		if sql := t.steps[i].sql; sql != sqlBegin && sql != sqlCommit { // these are known by their text
			t.steps[i].sql += comment
		}
	}
	return t
}
