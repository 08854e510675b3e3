package workload

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Tests are all the tests there are: group by group, then those of no group.
func Tests() []Test { return slices.Concat(table, further) }

// Sets are the names of the published lists of tests.
func Sets() []string { return slices.Sorted(maps.Keys(sets)) }

// Groups are the names that stand for several tests, beside the sets.
func Groups() []string {
	return []string{"all", string(Point), string(Range), string(RangeAgg), string(Write)}
}

// Resolve turns names into tests, in the order given, each once. A name is an
// id; the Name of a test with several ranges, which means a range of 100 (or
// the only one there is); a group: point, range, range-agg, write, all; or a
// set: set-27, set-32, set-42, in its own order.
func Resolve(names []string) ([]Test, error) {
	var out []Test
	seen := map[string]bool{}
	for _, name := range names {
		found := matching(name)
		if len(found) == 0 {
			return nil, unknown(name)
		}
		for _, t := range found {
			if !seen[t.ID] {
				seen[t.ID] = true
				out = append(out, t)
			}
		}
	}
	return out, nil
}

func matching(name string) []Test {
	id := name
	bare, isPre := strings.CutSuffix(name, pre)
	if d, ok := defaults[bare]; ok {
		if id = d; isPre {
			id = preID(d)
		}
	}
	tests := Tests()
	if i := slices.IndexFunc(tests, func(t Test) bool { return t.ID == id }); i >= 0 {
		return tests[i : i+1]
	}
	var found []Test
	for _, id := range sets[name] {
		found = append(found, matching(id)...)
	}
	for _, t := range table {
		if name == "all" || string(t.Group) == name || t.Name == name {
			found = append(found, t)
		}
	}
	return found
}

func unknown(name string) error {
	names := slices.Concat(Groups(), Sets())
	for _, t := range Tests() {
		names = append(names, t.ID)
	}
	near, best := "", 1+len(name)/3
	for _, n := range names {
		if d := distance(name, n); d <= best && (near == "" || d < best) {
			near, best = n, d
		}
	}
	hint := ""
	if near != "" {
		hint = fmt.Sprintf(", did you mean %q?", near)
	}
	return fmt.Errorf("unknown workload %q%s (there are: %s)", name, hint, strings.Join(names, ", "))
}

// distance is how many characters must be changed, added or taken away to make
// b of a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
