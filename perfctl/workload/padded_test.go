package workload

import (
	"strings"
	"testing"
)

func TestPadded(t *testing.T) {
	d := Data{Tables: 1, Rows: 1000, Seed: 1}
	for _, id := range []string{"point-query", "read-only"} {
		plain := test(t, id)
		padded := plain.Padded(100)
		if padded.ID == plain.ID {
			t.Errorf("%s: the padded test has the same id", id)
		}
		was, is := Statements(plain, d), Statements(padded, d)
		for i := range was {
			more := 100
			if !was[i].Explain { // BEGIN, COMMIT
				more = 0
			}
			if rest, ok := strings.CutPrefix(is[i].SQL, was[i].SQL); !ok || len(rest) != more {
				t.Errorf("%s: %q became %q", id, was[i].SQL, is[i].SQL)
			}
		}
		if again := Statements(test(t, id), d); again[0].SQL != was[0].SQL {
			t.Errorf("%s: padding changed the test itself: %q", id, again[0].SQL)
		}
	}
}
