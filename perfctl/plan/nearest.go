package plan

import "strings"

// nearest is the candidate that name was probably meant to be: the one with
// the fewest edits, if these are at most a third of its letters. Case and the
// choice between - and _ cost nothing.
func nearest(name string, candidates []string) (string, bool) {
	plain := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }
	best, bestEdits := "", 0
	for _, c := range candidates {
		n := edits(plain(name), plain(c))
		if n <= max(1, len(c)/3) && (best == "" || n < bestEdits) {
			best, bestEdits = c, n
		}
	}
	return best, best != ""
}

// edits is the number of letters to insert, delete, replace, or swap with
// their neighbour (optimal string alignment) that turn a into b.
func edits(a, b string) int {
	if len(a) > 100 || len(b) > 100 { // no key is so long; bounds the work
		return 1000
	}
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := 1
			if a[i-1] == b[j-1] {
				replace = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
