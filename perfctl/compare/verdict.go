package compare

import (
	"fmt"
	"slices"
)

// contrast is one ratio on its way to a verdict.
type contrast struct {
	shift    *shift
	metric   Metric
	r        R
	into     *R     // where the settled ratio goes
	barred   string // why it may have no verdict; "" when it may
	unproven string // why its verdict is unsure, whatever the interval; "" when not
}

// verdicts settles the ratios of the primary metric together.
//
// A night's plan has hundreds of ratios, so some intervals lie beyond the
// threshold by chance. What is controlled is the false discovery rate: the share
// of ratios called slower or faster that are truly 1 (Y. Benjamini and Y.
// Hochberg, Controlling the False Discovery Rate, JRSS B 57 (1995) 289-300). Of
// m ratios, R are accepted as different from 1 by its step-up rule at rate fdr;
// only these may be slower or faster, and only if the 95% interval is beyond the
// threshold. One that is beyond it and was not accepted gets the wider interval
// at level 1 - fdr (R+1)/m, which holds 1 by the rule itself: so the words stay
// true of the intervals that are printed. The intervals of the others stay at
// 95%: "same" is a claim on which one is wrong in at most 5% of cases.
//
// Adjusting all intervals (Benjamini and Yekutieli, JASA 100 (2005) 71-81) was
// tried and costs more than it gives: of single changes of 2% among seven noisy
// workloads it missed 17% in place of 2%, with no fewer false calls, since the
// threshold already keeps those far below fdr.
func verdicts(cs []contrast, fdr float64) {
	var ps []float64
	for _, c := range cs {
		if c.barred == "" && c.shift.known {
			ps = append(ps, c.shift.p())
		}
	}
	slices.Sort(ps)
	m, accepted := float64(len(ps)), 0
	for k := len(ps); k > 0; k-- {
		if ps[k-1] <= float64(k)*fdr/m {
			accepted = k
			break
		}
	}
	limit := float64(accepted) * fdr / m
	for _, c := range cs {
		if c.barred != "" || !c.shift.known || c.shift.p() <= limit || !c.beyond(alpha) {
			c.settle(alpha)
			continue
		}
		c.shift.method += fmt.Sprintf("; wider than 95%%, as %d ratios were judged and %g%% may be false", len(ps), 100*fdr)
		c.settle(min(alpha, float64(accepted+1)*fdr/m))
	}
}

// beyond: the interval lies wholly beyond the threshold.
func (c contrast) beyond(alpha float64) bool {
	lo, hi, ok := c.shift.interval(alpha)
	return ok && (lo > 1+c.r.Threshold || hi < 1-c.r.Threshold)
}

// settle fills in the ratio's interval at level 1-alpha, and what it says.
func (c contrast) settle(alpha float64) {
	defer func() { *c.into = c.r }()
	lo, hi, ok := c.shift.interval(alpha)
	c.r.Method = c.shift.method
	if ok {
		lo, hi = min(lo, c.r.Ratio), max(hi, c.r.Ratio) // but for rounding they hold it
		c.r.Low, c.r.High = &lo, &hi
		if c.shift.edges == nil {
			c.r.Level = 1 - alpha
		}
	}
	if c.barred != "" {
		c.r.Reason = c.barred
		return
	}
	slow, fast := Slower, Faster
	if c.metric.Sense == Gain {
		slow, fast = Faster, Slower
	}
	switch t := c.r.Threshold; {
	case !ok:
		c.r.Verdict = Unsure
		c.r.Reason = "no interval can be given; repeat the measurement (`repeats:` in the plan)"
		return
	case lo > 1+t:
		c.r.Verdict = slow
	case hi < 1-t:
		c.r.Verdict = fast
	case lo >= 1-t && hi <= 1+t:
		c.r.Verdict = Same
	default:
		c.r.Verdict = Unsure
		c.r.MoreStarts = c.shift.more(t, alpha)
		if c.r.MoreStarts == 0 {
			c.r.Reason = "so close to the threshold that more starts will hardly tell"
		}
	}
	if c.unproven != "" {
		c.r.Verdict, c.r.Reason, c.r.MoreStarts = Unsure, c.unproven, 0
	}
}
