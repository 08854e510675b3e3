package workload

import (
	"context"
	"fmt"
	"slices"
)

// Warm reads once, from end to end, the tables and every index that the tests
// use, so that the warm-up begins with all of them in memory (as far as the
// buffer pool holds them).
func Warm(ctx context.Context, a Access, d Data, tests []Test) error {
	db, err := pool(a)
	if err != nil {
		return err
	}
	defer db.Close()
	for t := 1; t <= d.Tables; t++ {
		for _, sql := range warming(t, tests) {
			var rows int64
			if err := db.QueryRowContext(ctx, sql).Scan(&rows); err != nil {
				return fmt.Errorf("warm table sbtest%d: %s: %w", t, sql, err)
			}
		}
	}
	return nil
}

// warming is the statements that read a table. Each has a condition that the
// server must look at every entry for: a bare COUNT(*) may be answered from
// another index than the one named.
func warming(table int, tests []Test) []string {
	sql := []string{fmt.Sprintf("SELECT COUNT(*) FROM sbtest%d FORCE INDEX (PRIMARY) WHERE id > 0 AND LENGTH(pad) > 0", table)}
	for _, t := range tests {
		if slices.Contains(t.Indexes, "k") {
			return append(sql, fmt.Sprintf("SELECT COUNT(*) FROM sbtest%d FORCE INDEX (k_%d) WHERE k > 0", table, table))
		}
	}
	return sql
}
