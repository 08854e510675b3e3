package workload

import (
	"strings"
	"testing"
)

// Rows as the manuals of MySQL 8.0, "EXPLAIN Output Format", and MariaDB,
// "EXPLAIN", print them for one plan.
func TestPlanRow(t *testing.T) {
	mysql := map[string]string{"id": "1", "select_type": "UPDATE", "table": "sbtest1", "partitions": "", "type": "range", "possible_keys": "PRIMARY",
		"key": "PRIMARY", "key_len": "4", "ref": "const", "rows": "10", "filtered": "100.00", "extra": "Using where"}
	mariadb := map[string]string{"id": "1", "select_type": "SIMPLE", "table": "sbtest1", "type": "range", "possible_keys": "PRIMARY",
		"key": "PRIMARY", "key_len": "4", "ref": "", "rows": "9", "extra": "Using where"}
	const want = "sbtest1 range PRIMARY(4) Using where"
	if a, b := planRow(mysql), planRow(mariadb); a != want || b != want {
		t.Errorf("one plan is %q to MySQL and %q to MariaDB, want %q", a, b, want)
	}
	for _, c := range []struct{ table, kind, access, key, length, extra, want string }{
		{"t", "SIMPLE", "ALL", "", "", "Using filesort; Using where;  Using temporary", "t ALL - Using filesort, Using temporary, Using where"},
		{"t", "SIMPLE", "ALL", "", "", "Using where; Using temporary; Using filesort", "t ALL - Using filesort, Using temporary, Using where"},
		{"t", "SIMPLE", "range", "k_1", "4", "Using index condition; Using MRR", "t range k_1(4) Using index condition, multi-range read"},
		{"t", "SIMPLE", "range", "k_1", "4", "Using index condition; Rowid-ordered scan", "t range k_1(4) Using index condition, multi-range read"},
		{"t", "DEPENDENT SUBQUERY", "ref", "k", "4", "", "t ref k(4) [DEPENDENT SUBQUERY]"},
		{"", "SIMPLE", "", "", "", "no matching row in const table", "- - - no matching row in const table"},
	} {
		got := planRow(map[string]string{"table": c.table, "select_type": c.kind, "type": c.access, "key": c.key, "key_len": c.length, "extra": c.extra})
		if got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// On a real server every statement of every test has a plan, by the access type
// and the index that the test's own table of indexes names.
func TestDescribeLive(t *testing.T) {
	d := Data{Tables: 1, Rows: 5000, Seed: 3}
	a := load(t, d)
	for _, x := range Tests() {
		plans, session, err := Describe(t.Context(), a, Statements(x, d))
		if err != nil {
			t.Fatalf("%s: %v", x.ID, err)
		}
		if session["character_set_client"] != "latin1" || session["ssl_cipher"] != "" {
			t.Errorf("%s: session %v", x.ID, session)
		}
		if _, ok := session["ssl_cipher"]; !ok {
			t.Errorf("%s: the session says nothing of TLS", x.ID)
		}
		if len(plans) == 0 {
			t.Errorf("%s: no plan", x.ID)
		}
		for statement, plan := range plans {
			if strings.HasPrefix(plan, NotExplained) {
				t.Errorf("%s: %s: %s", x.ID, statement, plan)
			}
			if strings.ContainsAny(statement, "'") || strings.Contains(plan, "'") {
				t.Errorf("%s: a value in %q or %q", x.ID, statement, plan)
			}
		}
	}
	one := func(id string) (string, string) {
		plans, _, err := Describe(t.Context(), a, Statements(test(t, id), d))
		if err != nil {
			t.Fatal(err)
		}
		for s, p := range plans {
			return s, p
		}
		return "", ""
	}
	for id, want := range map[string]string{
		"point-query": "sbtest1 const PRIMARY(4)", "range-covered-si": "sbtest1 range k_1(4) Using index, Using where",
		"scan": "sbtest1 ALL - Using where", "update-index": "sbtest1 range PRIMARY(4) Using where",
	} {
		if s, got := one(id); got != want {
			t.Errorf("%s: %s is %q, want %q", id, s, got, want)
		}
	}
	// Without the index, the plan is another; with another charset, the session.
	if _, err := control(t, a).Exec("DROP INDEX k_1 ON sbtest1"); err != nil {
		t.Fatal(err)
	}
	if s, got := one("range-covered-si"); got != "sbtest1 ALL - Using where" {
		t.Errorf("without the index, %s is %q", s, got)
	}
	a.Charset = "utf8mb4"
	_, session, err := Describe(t.Context(), a, nil)
	if err != nil || session["character_set_client"] != "utf8mb4" || session["collation_connection"] != "utf8mb4_general_ci" {
		t.Errorf("session with utf8mb4: %v, %v", session, err)
	}
	// What the server cannot explain is a state, not an error, and quotes nothing.
	plans, _, err := Describe(t.Context(), a, []Statement{{Template: "nonsense", SQL: "SELECT 'secret' FROM nowhere", Explain: true}})
	if got := plans["nonsense"]; err != nil || !strings.HasPrefix(got, NotExplained) || !strings.Contains(got, "1146") || strings.Contains(got, "secret") {
		t.Errorf("a statement that is none: %q, %v", got, err)
	}
}
