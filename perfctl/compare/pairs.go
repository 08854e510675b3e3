package compare

import (
	"slices"
)

// pair is a cell and the base's cell that it is compared with.
type pair struct{ cell, base *cell }

// pairs finds for each cell the one that it is compared with: of the base, or of
// the nearest earlier version. It has the same host, workload, clients and
// driver, and the same protocol, or the only other one that version has.
func (b *builder) pairs(previous bool) []pair {
	type key struct {
		family
		version string
	}
	of := map[key][]*cell{}
	for _, c := range b.all {
		k := key{c.family(), c.version}
		of[k] = append(of[k], c)
	}
	var ps []pair
	for _, c := range b.all {
		for _, v := range b.against(c.version, previous) {
			candidates := of[key{c.family(), v}]
			i := slices.IndexFunc(candidates, func(x *cell) bool { return x.protocol == c.protocol })
			if i < 0 && len(candidates) == 1 {
				i = 0
			}
			if i >= 0 {
				ps = append(ps, pair{c, candidates[i]})
				break
			}
		}
	}
	return ps
}

// against gives the versions that one may be compared with, the best first.
func (b *builder) against(version string, previous bool) (vs []string) {
	switch {
	case !previous && version != b.base:
		return []string{b.base}
	case !previous:
		return nil
	}
	for i := slices.Index(b.versions, version) - 1; i >= 0; i-- {
		if v := b.versions[i]; b.releases[v].series(b.releases[version]) {
			vs = append(vs, v)
		}
	}
	return vs
}
