package workload

import (
	"context"
	"database/sql"
	"regexp"
	"strings"
	"testing"
)

func TestRowsAreAFunctionOfTheSeed(t *testing.T) {
	all := func(d Data, table int) string {
		var b strings.Builder
		for r := newRows(d, table); r.id < d.Rows; {
			b.Write(r.insert(table))
		}
		return b.String()
	}
	d := Data{Tables: 2, Rows: 6000, Seed: 1}
	one := all(d, 1)
	if one != all(d, 1) {
		t.Error("two makings differ")
	}
	body := func(s string) string { return s[strings.Index(s, "VALUES"):][:2000] }
	if body(one) == body(all(d, 2)) {
		t.Error("two tables have the same rows")
	}
	d.Seed = 2
	if body(one) == body(all(d, 1)) {
		t.Error("two seeds give the same rows")
	}
	form := regexp.MustCompile(`^ \(1,\d+,'\d{11}(-\d{11}){9}','\d{11}(-\d{11}){4}'\),\(2,`)
	if !form.MatchString(strings.TrimPrefix(body(one), "VALUES")) {
		t.Errorf("rows look like %.300s", body(one))
	}
	if n := strings.Count(one, "INSERT"); n < 2 || len(one)/n > 1<<20 {
		t.Errorf("%d bytes in %d statements", len(one), n)
	}
}

func TestLoadLive(t *testing.T) {
	d := Data{Tables: 2, Rows: 6000, Seed: 7}
	a := load(t, d)
	db := control(t, a)
	for _, c := range []struct {
		query string
		want  string
	}{
		{"SELECT CONCAT(COUNT(*), ' ', MIN(id), ' ', MAX(id), ' ', MIN(k) >= 1, ' ', MAX(k) <= 6000) FROM sbtest2", "6000 1 6000 1 1"},
		{"SELECT COUNT(DISTINCT c) FROM sbtest1", "6000"},
		{"SELECT COUNT(*) FROM sbtest1 JOIN sbtest2 USING (c)", "0"},
		{"SELECT GROUP_CONCAT(CONCAT(INDEX_NAME, ':', COLUMN_NAME, ':', NON_UNIQUE) ORDER BY INDEX_NAME) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'sbtest2'", "k_2:k:1,PRIMARY:id:0"},
		{"SELECT GROUP_CONCAT(CONCAT(COLUMN_NAME, ' ', COLUMN_TYPE, ' ', IS_NULLABLE, ' ', IFNULL(COLLATION_NAME, ''), ' ', EXTRA) ORDER BY ORDINAL_POSITION) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'sbtest1'",
			"id int(11) NO  auto_increment,k int(11) NO  ,c char(120) NO latin1_swedish_ci ,pad char(60) NO latin1_swedish_ci "},
	} {
		if got := ask[string](t, db, c.query); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.query, got, c.want)
		}
	}
	// The server's own checksum agrees between two loads, and tells seeds apart.
	checksum := func(a Access) int64 {
		var name string
		var sum int64
		if err := control(t, a).QueryRow("CHECKSUM TABLE sbtest1").Scan(&name, &sum); err != nil {
			t.Fatal(err)
		}
		return sum
	}
	same, other := load(t, d), load(t, Data{Tables: 1, Rows: 6000, Seed: 8})
	if checksum(a) != checksum(same) {
		t.Error("two loads of the same data have other checksums")
	}
	if checksum(a) == checksum(other) {
		t.Error("another seed has the same checksum")
	}
	err := Load(context.Background(), a, d, nil)
	if err == nil || !strings.Contains(err.Error(), "sbtest1") || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("loading twice: %v", err)
	}
}

func TestLoadProgressAndCancel(t *testing.T) {
	d := Data{Tables: 2, Rows: 6000, Seed: 7}
	a := load(t, Data{Tables: 1, Rows: 1})
	a.Database += "_progress"
	var last, total int64
	if err := Load(context.Background(), a, d, func(done, all int64) {
		if done <= last {
			t.Errorf("%d rows after %d", done, last)
		}
		last, total = done, all
	}); err != nil {
		t.Fatal(err)
	}
	if last != 12000 || total != 12000 {
		t.Errorf("%d of %d rows", last, total)
	}
	a.Database += "_cancel"
	ctx, cancel := context.WithCancel(context.Background())
	if err := Load(ctx, a, d, func(int64, int64) { cancel() }); err == nil || !strings.Contains(err.Error(), "sbtest1") {
		t.Errorf("cancelled: %v", err)
	}
}

func TestWarmReadsEveryIndexToItsEnd(t *testing.T) {
	d := Data{Tables: 2, Rows: 3000, Seed: 7}
	a := load(t, d)
	db := control(t, a)
	for _, query := range warming(2, []Test{test(t, "update-index")}) {
		rows, err := db.Query("EXPLAIN " + query)
		if err != nil {
			t.Fatal(err)
		}
		var id, kind, table, access, keys, key, keyLen, ref, n, extra sql.NullString
		rows.Next()
		if err := rows.Scan(&id, &kind, &table, &access, &keys, &key, &keyLen, &ref, &n, &extra); err != nil {
			t.Fatal(err)
		}
		rows.Close()
		want := "PRIMARY"
		if strings.Contains(query, "k_2") {
			want = "k_2"
		}
		if key.String != want {
			t.Errorf("%s uses index %q", query, key.String)
		}
	}
	for id, want := range map[string]int64{"point-query": 2 * 3000, "update-index": 4 * 3000} {
		before := status(t, db)
		if err := Warm(context.Background(), a, d, []Test{test(t, id)}); err != nil {
			t.Fatal(err)
		}
		after := status(t, db)
		// A range over a whole index; each scan takes one look beyond the end.
		if read := after["Handler_read_next"] - before["Handler_read_next"]; read < want || read > want+4 {
			t.Errorf("%s: %d rows read, want %d", id, read, want)
		}
	}
}
