package quality

import (
	"math"

	"opcost/profiles"
)

// Rule is one check.
type Rule struct {
	Name    string
	Limit   float64 // the value may be as large
	Meaning string  // what the value is, for the documentation
	// Text tells what it means that the limit was passed, and what to do. It is a
	// format for the value.
	Text    string
	percent bool // the value is a share, shown as percent
	value   func(facts) (v float64, known bool)
	more    func(facts) string
}

// Rules are all checks, in the order in which they are given.
var Rules = []Rule{
	{Name: "unresolved", Limit: 0.10, percent: true,
		Meaning: "own cost of functions outside the kernel that have no name, as a share of all",
		Text:    "%.1f%% of the cost is in functions without a name",
		value:   func(f facts) (float64, bool) { return f.share(f.unnamedUser) }, more: objects},
	{Name: "unresolved_kernel", Limit: 0.05, percent: true,
		Meaning: "own cost of the kernel's functions that have no name, as a share of all",
		Text:    "%.1f%% of the cost is in kernel functions without a name; let perf read the kernel's symbols: sysctl kernel.kptr_restrict=0 (and kernel.perf_event_paranoid=1), then measure again",
		value:   func(f facts) (float64, bool) { return f.share(f.unnamedKernel) }},
	{Name: "broken_stacks", Limit: 0.20, percent: true,
		Meaning: "samples whose stack ends before the thread's start, as a share of all",
		Text:    "%.0f%% of the stacks are broken, so totals of callers are too small (own costs are right); record with dwarf call graphs, or give a build with frame pointers (-fno-omit-frame-pointer)",
		value:   func(f facts) (float64, bool) { return f.perSample(f.p.Problems.Broken) }},
	{Name: "no_stack", Limit: 0.02, percent: true,
		Meaning: "samples without any frame, as a share of all",
		Text:    "%.1f%% of the samples have no stack at all, and no function has their cost; record with call graphs, and let perf read the program's files (--symfs for another root)",
		value:   func(f facts) (float64, bool) { return f.perSample(f.bare()) }},
	{Name: "lost", Limit: 0.01, percent: true,
		Meaning: "samples that the kernel dropped, as a share of those taken",
		Text:    "%.1f%% of the samples were lost, so costs are as much too small; sample less often, without dwarf call graphs, or with larger buffers (perf record -m)",
		value: func(f facts) (float64, bool) {
			taken := f.samples + f.p.Problems.Lost
			return float64(f.p.Problems.Lost) / float64(taken), !f.p.Event.Counted && taken > 0
		}},
	{Name: "throttled", Limit: 0,
		Meaning: "times that the kernel stopped sampling for a while",
		Text:    "the kernel stopped sampling %.0f times, and what ran meanwhile is missing; sample less often, or raise kernel.perf_event_max_sample_rate and kernel.perf_cpu_time_max_percent",
		value: func(f facts) (float64, bool) {
			return float64(f.p.Problems.Throttled), !f.p.Event.Counted && f.samples > 0
		}},
	{Name: "without_period", Limit: 0.01, percent: true,
		Meaning: "samples that do not say how much each stands for, as a share of all",
		Text:    "%.0f%% of the samples do not say how much they stand for and count as 1 each; give the period too (perf script -F +period), or the perf.data file itself",
		value:   func(f facts) (float64, bool) { return f.perSample(f.p.Problems.Periods) }},
	{Name: "cpu_differs", Limit: 0.05, percent: true,
		Meaning: "difference of the CPU time that the samples stand for from the process's own clock, beyond what chance explains; events that sample time",
		Text:    "the samples stand for a CPU time %.1f%% off the process's clock: samples are missing, or another window's operations were used; measure longer, and look at lost and throttled",
		value:   cpuDiffers},
	{Name: "rate_differs", Limit: 0.30, percent: true,
		Meaning: "difference of the samples taken from the rate asked for times the process's CPU time; events that do not sample time",
		Text:    "the samples are %.0f%% off what the rate and the process's CPU time give: the kernel did not hold the rate, or samples are missing; measure longer, and look at lost and throttled",
		value:   rateDiffers},
	{Name: "few_samples", Limit: 0.20, percent: true,
		Meaning: "how far chance alone can put off (95%) the cost of a function that has a tenth of the samples, as a share of that cost",
		Text:    "there are so few samples that a function with a tenth of the cost is known to ±%.0f%% only; measure longer, or sample more often",
		value: func(f facts) (float64, bool) {
			return 1.96 * math.Sqrt((1-0.1)/(0.1*float64(f.samples))), !f.p.Event.Counted && f.samples > 0
		}},
}

func (f facts) perSample(n int64) (float64, bool) {
	return float64(n) / float64(f.samples), !f.p.Event.Counted && f.samples > 0
}

// bare is the samples without a frame, by the reader's count or by the stacks.
func (f facts) bare() int64 {
	n := f.p.Problems.NoStack
	seen := int64(0)
	for _, s := range f.p.Stacks {
		if len(s.Frames) == 0 {
			seen += s.Samples
		}
	}
	return max(n, seen)
}

func cpuDiffers(f facts) (float64, bool) {
	if f.p.Event.Unit != profiles.Nanoseconds || f.p.About.CPUUS <= 0 || f.samples == 0 {
		return 0, false
	}
	seen := float64(f.weight) / 1000 / f.p.About.CPUUS
	return max(0, math.Abs(seen-1)-chance(f.samples)), true
}

func rateDiffers(f facts) (float64, bool) {
	a := f.p.About
	if f.p.Event.Counted || f.p.Event.Unit == profiles.Nanoseconds || a.CPUUS <= 0 || a.Hz <= 0 || f.samples == 0 {
		return 0, false
	}
	seen := float64(f.samples) / (float64(a.Hz) * a.CPUUS / 1e6)
	return max(0, math.Abs(seen-1)-chance(f.samples)), true
}

// chance is two standard deviations of a count, as a share of it.
func chance(samples int64) float64 { return 2 / math.Sqrt(float64(samples)) }
