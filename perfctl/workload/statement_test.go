package workload

import (
	"database/sql/driver"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The SQL of the published benchmarks, as notes on them give it.
func TestTemplates(t *testing.T) {
	const (
		point    = "SELECT c FROM sbtest1 WHERE id=?"
		simple   = "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ?"
		sum      = "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN ? AND ?"
		order    = "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c"
		distinct = "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c"
		index    = "UPDATE sbtest1 SET k=k+1 WHERE id=?"
		nonindex = "UPDATE sbtest1 SET c=? WHERE id=?"
		remove   = "DELETE FROM sbtest1 WHERE id=?"
		again    = "INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, ?, ?)"
	)
	for id, want := range map[string][]string{
		"point-query":            {point},
		"random-points_range=10": {"SELECT c FROM sbtest1 WHERE id IN (?, ... 10)"},
		"random-points":          {"SELECT c FROM sbtest1 WHERE id IN (?, ... 100)"},
		"hot-points":             {"SELECT c FROM sbtest1 WHERE id IN (?, ... 100)"},
		"points-covered-pk":      {"SELECT id FROM sbtest1 WHERE id IN (?, ... 100)"},
		"points-notcovered-pk":   {"SELECT id, c FROM sbtest1 WHERE id IN (?, ... 100)"},
		"points-covered-si":      {"SELECT k FROM sbtest1 WHERE k IN (?, ... 100)"},
		"points-notcovered-si":   {"SELECT k, c FROM sbtest1 WHERE k IN (?, ... 100)"},
		"range-covered-pk":       {"SELECT id FROM sbtest1 WHERE id BETWEEN ? AND ?"},
		"range-notcovered-pk":    {"SELECT id, c FROM sbtest1 WHERE id BETWEEN ? AND ?"},
		"range-covered-si":       {"SELECT k FROM sbtest1 WHERE k BETWEEN ? AND ?"},
		"range-notcovered-si":    {"SELECT k, c FROM sbtest1 WHERE k BETWEEN ? AND ?"},
		"scan":                   {"SELECT * FROM sbtest1 WHERE LENGTH(c) < 0"},
		"read-only":              {"BEGIN", point, simple, sum, order, distinct, "COMMIT"},
		"read-only-order":        {"BEGIN", point, order, "COMMIT"},
		"read-only-count":        {"SELECT COUNT(c) FROM sbtest1 WHERE id BETWEEN ? AND ?"},
		"update-index":           {index},
		"update-nonindex":        {nonindex},
		"update-zipf":            {nonindex},
		"update-one-index":       {"UPDATE sbtest1 SET k=k+1 WHERE id=1"},
		"update-one":             {"UPDATE sbtest1 SET c=? WHERE id=1"},
		"update-inlist":          {"UPDATE sbtest1 SET k=k+1 WHERE id IN (?, ... 10)"},
		"delete":                 {remove},
		"insert":                 {"INSERT INTO sbtest1 (id, k, c, pad) VALUES (0, ?, ?, ?)"},
		"write-only":             {"BEGIN", index, nonindex, remove, again, "COMMIT"},
		"read-write":             {"BEGIN", point, simple, sum, order, distinct, index, nonindex, remove, again, "COMMIT"},
	} {
		var got []string
		for _, s := range Statements(test(t, id), Data{Tables: 1, Rows: 1000}) {
			got = append(got, s.Template)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
}

func TestStatementsPerTransaction(t *testing.T) {
	for id, want := range map[string]int{"point-query": 1, "read-only": 16, "read-only-sum": 13, "write-only": 6, "read-write": 20} {
		n := 0
		for _, s := range test(t, id).steps {
			n += max(1, s.times)
		}
		if n != want {
			t.Errorf("%s: %d statements, want %d", id, n, want)
		}
	}
}

func TestRangesHoldAsManyRowsAsTheySay(t *testing.T) {
	for id, want := range map[string]int64{"range-covered-pk": 101, "read-only-count": 1000, "read-only_range=10": 10} {
		x := test(t, id)
		c := compile(x.steps[len(x.steps)/2].sql, 1)
		v := newKeys(Data{Tables: 1, Rows: 1 << 20}, 1).values(c.args, nil)
		if got := v[1].(int64) - v[0].(int64) + 1; got != want {
			t.Errorf("%s: %d rows, want %d", id, got, want)
		}
	}
}

func TestBothProtocols(t *testing.T) {
	c := compile("UPDATE sbtest{t} SET c={c}, k={k} WHERE id IN ({id*3})", 12)
	if want := "UPDATE sbtest12 SET c=?, k=? WHERE id IN (?, ?, ?)"; c.prepared != want {
		t.Errorf("prepared %q", c.prepared)
	}
	got := string(c.appendText(nil, []driver.Value{[]byte("00-11"), int64(7), int64(1), int64(2), int64(3)}))
	if want := "UPDATE sbtest12 SET c='00-11', k=7 WHERE id IN (1, 2, 3)"; got != want {
		t.Errorf("text %q", got)
	}
}

func TestEveryStatementIsComplete(t *testing.T) {
	for _, x := range Tests() {
		for _, s := range Statements(x, Data{Tables: 1, Rows: 50, Seed: 3}) {
			if strings.ContainsAny(s.SQL, "{}?") {
				t.Errorf("%s: %s", x.ID, s.SQL)
			}
			if s.Explain == (s.SQL == "BEGIN" || s.SQL == "COMMIT") {
				t.Errorf("%s: %s: explain %v", x.ID, s.SQL, s.Explain)
			}
		}
		for _, s := range x.steps {
			c := compile(s.sql, 1)
			if n := strings.Count(c.prepared, "?"); n != len(c.args) {
				t.Errorf("%s: %d marks, %d arguments", x.ID, n, len(c.args))
			}
		}
	}
}
