package workload

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ids(tests []Test) []string {
	var out []string
	for _, t := range tests {
		out = append(out, t.ID)
	}
	return out
}

// The members of the groups are those of the published tables (27 tests and
// the five read-only variants).
func TestGroups(t *testing.T) {
	for group, want := range map[string]string{
		"point": "hot-points point-query points-covered-pk points-covered-si points-notcovered-pk points-notcovered-si " +
			"random-points_range=10 random-points_range=100 random-points_range=1000",
		"range": "range-covered-pk range-covered-si range-notcovered-pk range-notcovered-si scan",
		"range-agg": "read-only_range=10 read-only_range=100 read-only_range=10000 read-only-count_range=1000 " +
			"read-only-distinct_range=1000 read-only-order_range=1000 read-only-simple_range=1000 read-only-sum_range=1000",
		"write": "delete insert read-write_range=10 read-write_range=100 update-index update-inlist update-nonindex update-one update-zipf write-only",
	} {
		got, err := Resolve([]string{group})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Fields(want), ids(got)); diff != "" {
			t.Errorf("%s: %s", group, diff)
		}
		for _, x := range got {
			if string(x.Group) != group || x.Write != (group == "write") {
				t.Errorf("%s: group %s, write %v", x.ID, x.Group, x.Write)
			}
		}
	}
	all, err := Resolve([]string{"all"})
	if err != nil || len(all) != 32 {
		t.Errorf("all: %d tests, %v", len(all), err)
	}
	seen := map[string]bool{}
	for _, x := range Tests() {
		if seen[x.ID] {
			t.Errorf("%s is there twice", x.ID)
		}
		seen[x.ID] = true
	}
}

// The sets' members and their order, typed by hand from the published list:
// w1, w2, w3 and w4 are the warm-ups that every cell has here.
func TestSets(t *testing.T) {
	writes := "update-inlist update-index update-nonindex update-one update-zipf write-only read-write_range=10 read-write_range=100 "
	readOnly := "scan read-only_range=10 read-only_range=100 read-only_range=10000 "
	kinds := "read-only-simple_range=1000 read-only-sum_range=1000 read-only-order_range=1000 read-only-distinct_range=1000 read-only-count_range=1000 "
	rest := "point-query random-points_range=10 random-points_range=100 random-points_range=1000 hot-points " +
		"points-covered-pk points-notcovered-pk range-covered-pk range-notcovered-pk " +
		"points-covered-si points-notcovered-si range-covered-si range-notcovered-si delete insert"
	before := "point-query.pre random-points.pre_range=10 random-points.pre_range=100 random-points.pre_range=1000 " +
		"read-only.pre_range=10 read-only.pre_range=100 read-only.pre_range=10000 points-covered-pk.pre points-notcovered-pk.pre " +
		"points-covered-si.pre points-notcovered-si.pre range-covered-pk.pre range-notcovered-pk.pre range-covered-si.pre range-notcovered-si.pre "
	for set, want := range map[string]string{
		"set-27": writes + readOnly + rest,
		"set-32": writes + readOnly + kinds + rest,
		"set-42": before + writes + readOnly + rest,
	} {
		got, err := Resolve([]string{set})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Fields(want), ids(got)); diff != "" || fmt.Sprintf("set-%d", len(got)) != set {
			t.Errorf("%s: %d tests: %s", set, len(got), diff)
		}
		for i, x := range got {
			if x.Pre != (set == "set-42" && i < 15) || x.Pre && (x.Write || !strings.Contains(x.ID, ".pre")) {
				t.Errorf("%s: %s: before the writes: %v", set, x.ID, x.Pre)
			}
		}
	}
}

// A read before the writes is the same read.
func TestPreIsTheSameStatement(t *testing.T) {
	for _, id := range []string{"point-query", "read-only_range=10", "points-notcovered-si"} {
		d := Data{Tables: 1, Rows: 1000}
		plain, before := test(t, id), test(t, preID(id))
		if diff := cmp.Diff(Statements(plain, d), Statements(before, d)); diff != "" || before.Group != plain.Group || before.Range != plain.Range {
			t.Errorf("%s: %s", before.ID, diff)
		}
	}
}

func TestResolveOrderAndDefaults(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"update-index point-query", "update-index point-query"},
		{"scan range", "scan range-covered-pk range-covered-si range-notcovered-pk range-notcovered-si"},
		{"point-query point-query", "point-query"},
		{"random-points", "random-points_range=100"},
		{"read-only", "read-only_range=100"},
		{"read-write", "read-write_range=100"},
		{"random-points.pre", "random-points.pre_range=100"},
		{"point-query.pre update-one-index", "point-query.pre update-one-index"},
		{"point-query set-27 hot-points", "point-query " + strings.Replace(strings.Join(sets["set-27"], " "), "point-query ", "", 1)},
		{"read-only-sum", "read-only-sum_range=1000"},
		{"read-write_range=10 read-write", "read-write_range=10 read-write_range=100"},
	} {
		got, err := Resolve(strings.Fields(c.in))
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
		}
		if diff := cmp.Diff(strings.Fields(c.want), ids(got)); diff != "" {
			t.Errorf("%s: %s", c.in, diff)
		}
	}
}

func TestResolveUnknown(t *testing.T) {
	for in, hint := range map[string]string{
		"point_query":            `did you mean "point-query"?`,
		"update-indx":            `did you mean "update-index"?`,
		"random-points_range=20": `did you mean "random-points_range=10"?`,
		"set-33":                 `did you mean "set-32"?`,
		"writes":                 `did you mean "write"?`,
	} {
		_, err := Resolve([]string{in})
		if err == nil || !strings.Contains(err.Error(), hint) || !strings.Contains(err.Error(), "read-write_range=10,") {
			t.Errorf("%s: %v", in, err)
		}
	}
	if _, err := Resolve([]string{"tpcc"}); err == nil || strings.Contains(err.Error(), "did you mean") {
		t.Errorf("tpcc: %v", err)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestProtocolAndIndexes(t *testing.T) {
	if got := test(t, "insert").Protocol(Prepared); got != Text {
		t.Errorf("insert is sent %s", got)
	}
	if got := test(t, "point-query").Protocol(Prepared); got != Prepared {
		t.Errorf("point-query is sent %s", got)
	}
	if got := test(t, "scan").Per; got != PerRow {
		t.Errorf("scan is per %s", got)
	}
	for _, x := range Tests() {
		// What a statement with a condition on k reads, and what changes k.
		usesK := slices.ContainsFunc(x.steps, func(s step) bool {
			return strings.Contains(s.sql, "WHERE k") || strings.Contains(s.sql, "SET k") ||
				strings.HasPrefix(s.sql, "INSERT") || strings.HasPrefix(s.sql, "DELETE")
		})
		if usesK != slices.Contains(x.Indexes, "k") {
			t.Errorf("%s: indexes %v", x.ID, x.Indexes)
		}
	}
}
