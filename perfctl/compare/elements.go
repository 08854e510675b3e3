package compare

import (
	"slices"
	"strings"
)

// fewest elements of a list whose likes are left out: a short one is read whole.
const fewestElements = 4

// Apart leaves of two values that are lists with commas (optimizer_switch,
// sql_mode) the elements that only one of them has; what has none left is
// "absent". Other values, and pairs that have nothing in common, come back as
// they are; so do sentences with commas, and several values of one side ("x / y"),
// whose pieces would mean something else.
func Apart(base, new string) (string, string) {
	if strings.ContainsAny(base+new, " (") {
		return base, new
	}
	a, b := strings.Split(base, ","), strings.Split(new, ",")
	if max(len(a), len(b)) < fewestElements {
		return base, new
	}
	onlyA, onlyB := without(a, b), without(b, a)
	if len(onlyA) == len(a) || len(onlyA)+len(onlyB) == 0 { // unlike in order alone, which may matter
		return base, new
	}
	return orAbsent(onlyA), orAbsent(onlyB)
}

func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

func orAbsent(list []string) string {
	if len(list) == 0 {
		return absent
	}
	return strings.Join(list, ",")
}
