package workload

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"opcost/perfctl/window"
)

// TestEveryTestLive sends each test's statements to a real server, and compares
// what the server sent and changed with what the SQL asks for. The numbers are
// worked out by hand for one round of a test's statements on 20,000 rows; an id
// drawn twice is found once, a range at the table's end has fewer rows, k has
// one row a value on average.
func TestEveryTestLive(t *testing.T) {
	d := Data{Tables: 1, Rows: 20_000, Seed: 7}
	a := load(t, d)
	db := control(t, a)
	type per struct {
		sent, updated, deleted, inserted float64
		within                           float64 // a share of sent; 0: exactly
	}
	want := map[string]per{
		"hot-points": {sent: 100, within: 0.02}, "point-query": {sent: 1},
		"points-covered-pk": {sent: 100, within: 0.02}, "points-notcovered-pk": {sent: 100, within: 0.02},
		"points-covered-si": {sent: 100, within: 0.1}, "points-notcovered-si": {sent: 100, within: 0.1},
		"random-points_range=10": {sent: 10, within: 0.02}, "random-points_range=100": {sent: 100, within: 0.02},
		"random-points_range=1000": {sent: 975.5, within: 0.02}, // 20000 * (1 - (1 - 1/20000)^1000)
		"range-covered-pk":         {sent: 101, within: 0.1}, "range-notcovered-pk": {sent: 101, within: 0.1},
		"range-covered-si": {sent: 101, within: 0.1}, "range-notcovered-si": {sent: 101, within: 0.1},
		"scan": {}, // LENGTH(c) < 0: reads all, sends nothing
		// 10 points, then simple, sum (one row), order, distinct.
		"read-only_range=10": {sent: 41, within: 0.02}, "read-only_range=100": {sent: 311, within: 0.05},
		"read-only_range=10000":      {sent: 10 + 1 + 3*7500.25, within: 0.25}, // a start in the upper half is cut short
		"read-only-count_range=1000": {sent: 1}, "read-only-sum_range=1000": {sent: 11},
		"read-only-simple_range=1000": {sent: 10 + 975, within: 0.25}, "read-only-order_range=1000": {sent: 10 + 975, within: 0.25},
		"read-only-distinct_range=1000": {sent: 10 + 975, within: 0.25},

		"update-index": {updated: 1}, "update-nonindex": {updated: 1}, "update-one": {updated: 1}, "update-zipf": {updated: 1},
		"update-one-index": {updated: 1}, "update-inlist": {updated: 10, within: 0.02},
		"delete": {deleted: 1, within: 0.02}, "insert": {inserted: 1},
		"write-only":          {updated: 2, deleted: 1, inserted: 1, within: 0.04},
		"read-write_range=10": {sent: 41, updated: 2, deleted: 1, inserted: 1, within: 0.04}, "read-write_range=100": {sent: 311, updated: 2, deleted: 1, inserted: 1, within: 0.05},
	}
	status(t, db)
	first := status(t, db)
	own := status(t, db)["Rows_sent"] - first["Rows_sent"] // of one SHOW GLOBAL STATUS
	tests := Tests()
	slices.SortStableFunc(tests, func(a, b Test) int { return cmp.Compare(deletes(a), deletes(b)) })
	ran := 0
	for i, x := range tests {
		w, ok := want[x.ID]
		if x.Pre {
			continue // the same statements; TestPreIsTheSameStatement
		}
		if !ok {
			t.Errorf("%s: no numbers were worked out for it", x.ID)
			continue
		}
		ran++
		t.Run(x.ID, func(t *testing.T) {
			rounds := float64(40)
			if x.Range >= 1000 {
				rounds = 15
			}
			n := int64(0)
			for _, s := range x.steps {
				n += int64(max(1, s.times))
			}
			operations := n * int64(rounds)
			if x.Per == PerRow {
				rounds, operations = 1, d.Rows
			}
			b := startLoad(t, BuiltinConfig{Access: a, Test: x, Data: d, Clients: 1, Seed: uint64(i)}) // a seed each: else the ids that one deletes are those of the next
			before := status(t, db)
			<-b.Release(window.Phase{Name: "x", Operations: operations})
			count := quiesce(t, b)
			after := status(t, db)
			if count.End < operations || count.Errors != 0 {
				t.Fatalf("%+v, want %d operations", count, operations)
			}
			for name, each := range map[string]float64{"Rows_sent": w.sent, "Handler_update": w.updated, "Handler_delete": w.deleted, "Handler_write": w.inserted} {
				got := float64(after[name] - before[name])
				if name == "Rows_sent" {
					got -= float64(own)
				}
				got /= rounds
				if math.Abs(got-each) > w.within*each+1e-9 {
					t.Errorf("%s is %.3f a round, want %.3f +- %.0f%%", name, got, each, 100*w.within)
				}
			}
			if x.ID == "delete" && count.Misses >= count.End/10 {
				t.Errorf("%d of %d deletes missed", count.Misses, count.End)
			}
		})
	}
	if ran != 33 {
		t.Errorf("%d tests ran, want the 32 of the published set and update-one-index", ran)
	}
}

// deletes is how much of the table a test takes away: those come last.
func deletes(x Test) int {
	return map[string]int{"read-write": 1, "write-only": 2, "delete": 3}[x.Name]
}
