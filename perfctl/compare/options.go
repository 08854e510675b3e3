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
	// Previous compares each version with the one before it, in place of the
	// base: the nearest earlier one of the same flavour that has the cell.
	Previous bool
	// ByNumber orders the versions by their releases' numbers where neither Order
	// nor a plan does.
	ByNumber bool
	// Metric carries the verdicts, where it can; "": instructions/query, else
	// CPU/query.
	Metric string
	// Only limits the report to these metrics; nil: all. What is not in it costs
	// no time and no memory.
	Only []string
	// Consume gives up the runs' readings once they are worked out, in the runs
	// themselves: of thousands of them memory has to hold but one form.
	Consume bool
	// Whole gives a run with its readings, where the runs come without, so that no
	// more than a few runs' are in memory at a time: see [result.ReadPacked]. It is
	// called from several goroutines. nil: they have them.
	Whole func(result.Run) result.Run
	// Threshold is the share of change that matters, for every metric
	// (0.01 is 1%); 0: each metric's own, see [Metrics].
	Threshold float64
	// FDR is the share of wrong verdicts allowed among those given; 0: 0.05.
	FDR float64
	// NoiseFloor is the noise between server starts of the machines that the
	// runs are of, from A/A measurements (see [FloorOf]); nil when none is stored.
	NoiseFloor map[NoiseKey]Noise
}

// LookFDR is the FDR for looking at results while they are measured, to go on
// where they are unsure. Each look is a further chance to be wrong, and what is
// called slower or faster is not looked at again; so a look must be surer than
// the report at the end. See TestLooks.
const LookFDR = 0.01
