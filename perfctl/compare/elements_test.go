package compare

import "testing"

func TestApart(t *testing.T) {
	for _, c := range []struct{ name, base, new, wantBase, wantNew string }{
		{"one switch turned, one new", "mrr=off,a=on,b=on,c=on", "mrr=on,a=on,b=on,c=on,d=on", "mrr=off", "mrr=on,d=on"},
		{"one more on one side", "A,B,C", "A,B,C,D", "absent", "D"},
		{"short lists are read whole", "A,B", "A", "A,B", "A"},
		{"no list", "latin1", "utf8mb4", "latin1", "utf8mb4"},
		{"nothing in common", "A,B,C,D", "E", "A,B,C,D", "E"},
		{"two values of one side", "A,B,C,D / A,B,C,E", "A,B,C,D", "A,B,C,D / A,B,C,E", "A,B,C,D"},
		{"a sentence", "t: range, k(a,b), 5 rows, sorted", "t: ref, k(a,b), 5 rows, sorted", "t: range, k(a,b), 5 rows, sorted", "t: ref, k(a,b), 5 rows, sorted"},
		{"another order", "A,B,C,D", "B,A,C,D", "A,B,C,D", "B,A,C,D"},
	} {
		if base, new := Apart(c.base, c.new); base != c.wantBase || new != c.wantNew {
			t.Errorf("%s: %q, %q; want %q, %q", c.name, base, new, c.wantBase, c.wantNew)
		}
	}
}
