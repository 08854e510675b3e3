package compare

import (
	"slices"

	"opcost/perfctl/result"
)

// costly are the passes of a run that values are taken from: all but the sampled
// windows. Sampling slows the server, so what was read there is no cost of the
// version's, and no check of it doubts one.
func costly(r *result.Run) []result.Pass {
	if !slices.ContainsFunc(r.Passes, isSampled) {
		return r.Passes
	}
	return slices.DeleteFunc(slices.Clone(r.Passes), isSampled)
}

func isSampled(p result.Pass) bool { return p.Kind == result.PassProfile }
