package workload

import (
	"strings"
	"testing"
)

// Whatever EXPLAIN gives in a row: one line, the same for the same remarks in
// another order.
func FuzzPlanRow(f *testing.F) {
	f.Add("sbtest1", "range", "PRIMARY", "4", "SIMPLE", "Using where; Using MRR")
	f.Add("", "", "", "", "", "Rowid-ordered scan;;  ; Using MRR")
	f.Add("<derived2>", "ALL", "", "5", "DERIVED", "\xff;")
	f.Fuzz(func(t *testing.T, table, access, key, length, kind, extra string) {
		row := map[string]string{"table": table, "type": access, "key": key, "key_len": length, "select_type": kind, "extra": extra}
		got := planRow(row)
		if got == "" {
			t.Error("a row of nothing")
		}
		remarks := strings.Split(extra, ";")
		for i := range len(remarks) / 2 {
			remarks[i], remarks[len(remarks)-1-i] = remarks[len(remarks)-1-i], remarks[i]
		}
		row["extra"] = strings.Join(append(remarks, remarks...), ";")
		if again := planRow(row); again != got {
			t.Errorf("%q, and with its remarks the other way round %q", got, again)
		}
	})
}

// Whatever a plan names: tests, each once, or an error that shows the name.
func FuzzResolve(f *testing.F) {
	for _, s := range []string{"point-query", "set-42,all", "random-points_range=10", "random-points", "pont-query", "", "range=", "read-only.pre", strings.Repeat("x", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return // a suggestion is searched for among all tests
		}
		tests, err := Resolve(strings.Split(text, ","))
		if (err == nil) != (len(tests) > 0) {
			t.Errorf("%d tests, %v", len(tests), err)
		}
		seen := map[string]bool{}
		for _, test := range tests {
			if seen[test.ID] || test.ID == "" {
				t.Errorf("%q", test.ID)
			}
			seen[test.ID] = true
		}
	})
}
