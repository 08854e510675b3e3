package report

import (
	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// What other ways to lay a report out say in the same words: see
// perfctl/report/page.

// Label names a metric for people, with its unit; per is what a cost is per, as
// in [compare.M].
func Label(metric, per string) string {
	for _, l := range linesFor(compare.Attached) {
		if l.metric != metric {
			continue
		}
		if l.part == "" {
			return l.text(per)
		}
		return Label(l.part, per) + ": " + l.label
	}
	return plain(metric)
}

// Part tells whether a metric is a part of another, as user time is of CPU time.
func Part(metric string) bool {
	for _, l := range linesFor(compare.Attached) {
		if l.metric == metric {
			return l.part != ""
		}
	}
	return false
}

// Number writes a value for people.
func Number(v float64) string { return number(v) }

// GroupTitle names a group's workloads above a table.
func GroupTitle(group string) string { return groupTitle(group) }

// Verdicts are a report's verdicts in words.
type Verdicts struct {
	Counts string    // "3 slower, 28 same, 1 unsure of 32"; "" where there are none
	By     string    // against what, and by which metric
	Each   []Verdict // those that are not "same", the worst first
}

// Verdict is one of them, with the word it is about.
type Verdict struct {
	Verdict compare.Verdict
	Text    string
}

// VerdictsOf sums a report's verdicts up.
func VerdictsOf(r compare.Report) Verdicts {
	counts, by, each := verdictLines(r)
	v := Verdicts{Counts: counts, By: by}
	for _, l := range each {
		v.Each = append(v.Each, Verdict{l.verdict, l.text})
	}
	return v
}

// Warnings are those of a report in words: what is unlike, and the rest. Very
// many are cut short, which is said.
func Warnings(ws []result.Warning) (unlike, other []string) {
	return warnings(compare.Report{Warnings: ws})
}

// Sentences stand below a title.
type Sentences struct {
	Title string
	Texts []string
}

// SweepSentences are what there is to say of a sweep: from which number of
// clients on versions are faster, and odd steps.
func SweepSentences(s compare.Sweep) []Sentences { return sweepSheet(s).sentences() }

// SeriesSentences are what there is to say of a series: the steps at which the
// metric changed, odd releases, and where hosts disagree.
func SeriesSentences(s compare.Series) []Sentences { return seriesSheet(s).sentences() }

func (s *sheet) sentences() (all []Sentences) {
	for _, p := range s.parts {
		if said, ok := p.(sentences); ok && len(said.texts) > 0 {
			all = append(all, Sentences{said.title, said.texts})
		}
	}
	return all
}
