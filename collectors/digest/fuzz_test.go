package digest

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"opcost/testbed/linear"
)

// answers gives the same rows to whatever is asked.
type answers struct{ rows [][]string }

func (a answers) Query(context.Context, string) ([][]string, error) { return a.rows, nil }
func (answers) Statements() int64                                   { return 1 }

// Whatever the tables hold: counts, or an error; texts that can be kept; and
// hashes that can stand in a statement.
func FuzzRows(f *testing.F) {
	for _, s := range []string{
		"d\taa\t2026\t1\t2\t3\t4\t5\t6\t7\t8\t9\nd\t\t2026\t18446744073709551615\t0\t0\t0\t0\t0\t0\t0\t0",
		"statement/sql/select\t100\t5000\n", "aa\tSELECT `k` FROM `t` WHERE `id` = ? \n", "a'b\t\xff\x00" + strings.Repeat("é", 2000), "\n\n", "x\t-1\t1e3",
	} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, cpu bool) {
		var sql answers
		for line := range strings.Lines(text) {
			sql.rows = append(sql.rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
		kinds, err := readKinds(t.Context(), sql)
		if err == nil && len(kinds) > len(sql.rows) {
			t.Errorf("%v", kinds)
		}
		digests, err := readDigests(t.Context(), sql, cpu)
		if err == nil && len(digests) > len(sql.rows) {
			t.Errorf("%v", digests)
		}
		texts, err := readTexts(t.Context(), sql, executed(nil, digests))
		for _, s := range texts {
			if len(s) > textBytes || !utf8.ValidString(s) {
				t.Errorf("%d bytes: %q", len(s), s)
			}
		}
		if err != nil && len(texts) > 0 {
			t.Errorf("%v, and %q", err, texts)
		}
		for k := range digests {
			if isHash(k.hash) && strings.ContainsAny(k.hash, "'\\\x00") {
				t.Errorf("%q would be sent", k.hash)
			}
		}
		w := window{begin: edge{kinds: kinds}, end: edge{digests: digests, kinds: kinds, statements: 3}, texts: texts, on: switches{cpu: cpu}}
		readings, rows := w.result(3)
		if _, err := json.Marshal([]any{readings, rows}); err != nil {
			t.Error(err)
		}
	})
}

func TestManyDigests(t *testing.T) {
	linear.Check(t, func(bytes int) string { return strings.Repeat("d\taa\t2026\t1\t2\t3\t4\t5\t6\t7\t8\t9\n", bytes/32) }, func(s string) {
		var sql answers
		for line := range strings.Lines(s) {
			sql.rows = append(sql.rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
		if _, err := readDigests(t.Context(), sql, false); err != nil {
			t.Error(err)
		}
	})
}
