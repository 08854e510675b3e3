package workload

import (
	"fmt"
	"slices"
	"strings"
)

// Tests are all the tests there are, group by group.
func Tests() []Test { return slices.Clone(table) }

// Resolve turns names into tests, in the order given, each once. A name is an
// id; the Name of a test with several ranges, which means a range of 100 (or
// the only one there is); or a group: point, range, range-agg, write, all.
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
	if d, ok := defaults[name]; ok {
		id = d
	}
	if i := slices.IndexFunc(table, func(t Test) bool { return t.ID == id }); i >= 0 {
		return table[i : i+1]
	}
	var found []Test
	for _, t := range table {
		if name == "all" || string(t.Group) == name || t.Name == name {
			found = append(found, t)
		}
	}
	return found
}

func unknown(name string) error {
	names := []string{"all", string(Point), string(Range), string(RangeAgg), string(Write)}
	for _, t := range table {
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
