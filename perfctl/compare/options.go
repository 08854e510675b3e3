package compare

import "opcost/perfctl/result"

// Options of a comparison. The zero value is the usual comparison.
type Options struct {
	// Base is the version that ratios are taken to; "": the plan's where the
	// runs are of one plan, else the first of Order.
	Base string
	// Order of the versions; nil: the plan's where the runs are of one plan.
	// Versions that it lacks follow by their first start.
	Order []string
	// Threshold is the share of change that matters, for every metric
	// (0.01 is 1%); 0: each metric's own, see [Metrics].
	Threshold float64
	// FDR is the share of wrong verdicts allowed among those given; 0: 0.05.
	FDR float64
	// NoiseFloor is this machine's noise between server starts, from A/A
	// measurements; nil when none is stored.
	NoiseFloor map[NoiseKey]Noise
}

// NoiseKey names what a stored noise is of.
type NoiseKey struct {
	Metric string
	Source result.Source
}

// Noise is the run-to-run noise of one metric from one source.
type Noise struct {
	// SD is the standard deviation of the natural logarithm of a start's value.
	// (The log ratio of two single starts has √2 times that.)
	SD float64
	// DF is its degrees of freedom; 0: so many that SD counts as known.
	DF float64
}
