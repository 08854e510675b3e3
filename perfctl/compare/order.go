package compare

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/result"
)

// release is what a version's name or its server says of its place among
// releases.
type release struct {
	flavor string // "" where it is not known
	number []int  // 8 0 28; nil where it is not known
}

func (r release) compare(s release) int {
	return cmp.Or(cmp.Compare(min(1, len(s.number)), min(1, len(r.number))), // those without a number last
		cmp.Compare(flavorRank(r.flavor), flavorRank(s.flavor)), cmp.Compare(r.flavor, s.flavor), slices.Compare(r.number, s.number))
}

// series tells whether two releases may follow one another.
func (r release) series(s release) bool {
	return r.flavor == s.flavor || r.flavor == "" || s.flavor == ""
}

func flavorRank(f string) int {
	switch f {
	case "", "mysql":
		return 0
	case "mariadb":
		return 1
	}
	return 2
}

var (
	dotted = regexp.MustCompile(`(?:^|[^0-9.])([0-9]{1,2})\.([0-9]{1,2})(?:\.([0-9]{1,3}))?(?:[^0-9]|$)`)
	// packed is a release as Small Datum's names write it: my5651 is MySQL
	// 5.6.51, my8028 8.0.28, ma101114 MariaDB 10.11.14.
	packed   = regexp.MustCompile(`(?:^|[^a-z])(my|ma|fbmy)([0-9]{4}|[0-9]{6})(?:[^0-9]|$)`)
	prefixed = regexp.MustCompile(`(?:^|[^a-z])(my|ma)[a-z]*-?[0-9]`)
)

// releaseOf finds a run's release: by its server's own word, else by the name
// of its version.
func releaseOf(r result.Run) release {
	rel := release{flavor: r.Server.Flavor}
	if m := dotted.FindStringSubmatch(r.Server.Number); m != nil {
		rel.number = numbers(m[1:])
		return rel
	}
	name := strings.ToLower(r.Version)
	if m := packed.FindStringSubmatch(name); m != nil {
		digits := m[2]
		n := len(digits) - 4 // of the first number: my5651 has one digit, ma101114 two
		if n == 0 {
			rel.number = numbers([]string{digits[:1], digits[1:2], digits[2:]})
		} else {
			rel.number = numbers([]string{digits[:2], digits[2:4], digits[4:]})
		}
		rel.flavor = cmp.Or(rel.flavor, flavorOf(m[1]))
		return rel
	}
	if m := dotted.FindStringSubmatch(name); m != nil {
		rel.number = numbers(m[1:])
		if p := prefixed.FindStringSubmatch(name); p != nil {
			rel.flavor = cmp.Or(rel.flavor, flavorOf(p[1]))
		}
	}
	return rel
}

func flavorOf(prefix string) string {
	if prefix == "ma" {
		return "mariadb"
	}
	return "mysql"
}

func numbers(texts []string) (ns []int) {
	for _, t := range texts {
		if n, err := strconv.Atoi(t); err == nil {
			ns = append(ns, n)
		}
	}
	return ns
}

// releases of the versions, from the first run of each that tells.
func releases(runs []result.Run) map[string]release {
	found := map[string]release{}
	for _, r := range runs {
		if old, ok := found[r.Version]; !ok || old.number == nil {
			found[r.Version] = releaseOf(r)
		}
	}
	return found
}

// byNumber orders versions by their releases' numbers, MySQL before MariaDB;
// those that are alike, or have none, stay as they are, the latter last.
func byNumber(versions []string, found map[string]release) []string {
	sorted := slices.Clone(versions)
	slices.SortStableFunc(sorted, func(a, b string) int { return found[a].compare(found[b]) })
	return sorted
}

// groupOrder is the order of the groups in Small Datum's tables.
var groupOrder = []string{"point", "range", "range-agg", "write"}

// testOrder is the order of the microbenchmarks within them.
var testOrder = []string{
	"hot-points", "point-query", "points-covered-pk", "points-covered-si", "points-notcovered-pk", "points-notcovered-si", "random-points",
	"range-covered-pk", "range-covered-si", "range-notcovered-pk", "range-notcovered-si",
	"read-only-count", "read-only-distinct", "read-only-order", "read-only", "read-only-simple", "read-only-sum", "scan",
	"delete", "insert", "read-write", "update-index", "update-inlist", "update-nonindex", "update-one", "update-zipf", "write-only",
}

// workloadOrder compares workloads as those tables order them: by group, then
// test, then the larger range first. Others follow by name.
func workloadOrder(groupA, a, groupB, b string) int {
	testA, rangeA := splitWorkload(a)
	testB, rangeB := splitWorkload(b)
	return cmp.Or(
		cmp.Compare(place(groupOrder, groupA), place(groupOrder, groupB)), cmp.Compare(groupA, groupB),
		cmp.Compare(place(testOrder, testA), place(testOrder, testB)), cmp.Compare(testA, testB),
		cmp.Compare(rangeB, rangeA), cmp.Compare(a, b))
}

func place(order []string, name string) int {
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}

// splitWorkload parts random-points_range=1000 into its test and its range; 0
// where it has none.
func splitWorkload(workload string) (test string, size int) {
	test, rest, ok := strings.Cut(workload, "_range=")
	if ok {
		size, _ = strconv.Atoi(rest) // 0 for what is no number: then by name
	}
	return test, size
}

// again tells a workload that is another one of the group measured at another
// time: random-points.pre_range=10 is random-points_range=10 before the writes.
// It would count twice in what sums a group up.
func again(workload string, measured func(workload string) bool) bool {
	before, after, ok := strings.Cut(workload, ".pre")
	return ok && measured(before+after)
}
