package compare

import (
	"cmp"
	"maps"
	"slices"

	"opcost/perfctl/result"
)

// Difference is one thing that should be alike where costs are compared, and is not.
type Difference struct {
	Name string // as in warnings of the code "unlike": charset, TLS, log_bin, "machine: kernel", "plan of ...", ...
	// Base and New are its values, several of one side separated by " / "; what
	// a side lacks is "absent".
	Base, New string
}

// Absent is the value of a [Difference] that a side lacks.
const Absent = absent

func pointers(runs []result.Run) (ps []*result.Run) {
	for i := range runs {
		ps = append(ps, &runs[i])
	}
	return ps
}

// Differences are those between two sets of runs, by name. The seed is not
// among them: other keys are no other cost.
func Differences(base, new []result.Run) (ds []Difference) {
	known := factSets{}
	b, n := newGathering(), newGathering()
	b.add(known.ofCell(pointers(base)))
	n.add(known.ofCell(pointers(new)))
	both := side{}
	maps.Copy(both, b.side)
	maps.Copy(both, n.side)
	for f := range both {
		if from, to := b.side[f].String(), n.side[f].String(); from != to && f.name != "seed" {
			ds = append(ds, Difference{f.name, from, to})
		}
	}
	slices.SortFunc(ds, func(a, b Difference) int { return cmp.Compare(a.Name, b.Name) })
	return ds
}
