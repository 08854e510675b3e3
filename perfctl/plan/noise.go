package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// noiseStarts is the least number of server starts that a noise floor is
// estimated from: five degrees of freedom a workload.
const noiseStarts = 6

// NoiseFloor is the plan that measures the base version against itself: the
// plan's workloads and lengths, its base alone, and enough starts of it. Its
// hash is another one, so that its runs are not mixed with the plan's.
func (p *Plan) NoiseFloor() *Plan {
	n := *p
	n.Versions = slices.DeleteFunc(slices.Clone(p.Versions), func(v Version) bool { return v.Name != p.Base })
	n.Repeats = max(p.Repeats, noiseStarts)
	n.Budget = 0
	n.Profile, n.Sampling = false, Sampling{}
	sum := sha256.Sum256([]byte("noise floor of " + p.Hash))
	n.Hash = hex.EncodeToString(sum[:8])
	return &n
}
