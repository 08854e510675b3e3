package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// explanations gathers, while a report is laid out, what its marks mean.
type explanations struct {
	intervals, ratios bool // of 95%
	edges, edgeRatios bool // bounds by the edges of a live server's windows
	partial, scaled   bool
	footnotes         []string       // in the order of their letters
	letters           map[string]int // footnote -> place
	sources           []string       // in order of appearance
	bySource          map[string][]string
	remarks           []string // about cells, with where they hold
	remarkAt          map[string][]string
}

func newExplanations() *explanations {
	return &explanations{letters: map[string]int{}, bySource: map[string][]string{}, remarkAt: map[string][]string{}}
}

// absent gives the letter of the footnote that says why a value is absent.
func (e *explanations) absent(m compare.M) string {
	text := stateText(m.State)
	if m.Reason != "" {
		// A tool's own words may begin with the state's.
		text += ": " + strings.TrimPrefix(plain(m.Reason), text+": ")
	}
	if m.Remedy != "" {
		text += ". Remedy: " + plain(m.Remedy)
	}
	i, ok := e.letters[text]
	if !ok {
		i = len(e.footnotes)
		e.letters[text] = i
		e.footnotes = append(e.footnotes, text)
	}
	return letter(i)
}

// letter numbers footnotes a, b, ... z, aa, ab, ...
func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return letter(i/26-1) + letter(i%26)
}

// mark stands before a value that is not simply what was counted.
func (e *explanations) mark(m compare.M) string {
	switch m.State {
	case result.Partial:
		e.partial = true
		return "~"
	case result.Scaled:
		e.scaled = true
		return "≈"
	}
	return ""
}

// source notes who counted a metric that has a row of its own.
func (e *explanations) source(metric string, m compare.M) {
	name := sourceText(m.Source, m.Scope)
	if e.bySource[name] == nil {
		e.sources = append(e.sources, name)
	}
	if label := labelPer(metric, m.Per); !slices.Contains(e.bySource[name], label) {
		e.bySource[name] = append(e.bySource[name], label)
	}
}

func sourceText(s result.Source, scope result.Scope) string {
	name := map[result.Source]string{
		result.SourcePerf: "perf", result.SourceCallgrind: "callgrind (instruction counting under valgrind)",
		result.SourceProc: "the process's clock and procfs", result.SourceServer: "the server's status",
		result.SourceClient: "the client", result.SourceHost: "the whole host", result.SourceImport: "imported",
	}[s]
	switch {
	case s == result.SourceProc || s == result.SourceClient || scope == "":
	case scope == result.User:
		name += ", user space only"
	case scope == result.Kernel:
		name += ", kernel only"
	case scope == result.UserKernel:
		name += ", user and kernel"
	}
	return cmp.Or(name, string(s))
}

// fewer notes a metric that not all of the row's starts gave.
func (e *explanations) fewer(metric string, m compare.M, r compare.Row) {
	if m.N < r.Runs {
		e.remark(fmt.Sprintf("%s is from %d of %d starts", labelOf(metric), m.N, r.Runs), r)
	}
}

// unjudged notes why a ratio that could carry a verdict has none.
func (e *explanations) unjudged(metric string, v compare.R, r compare.Row) {
	if r.Driver == compare.Attached {
		return // said once, in the legend
	}
	switch metric {
	case "instructions_per_query", "cpu_us_per_query", "qps":
		if v.Verdict == compare.None && v.Reason != "" {
			e.remark(fmt.Sprintf("no verdict by %s: %s", labelOf(metric), plain(v.Reason)), r)
		}
	}
}

func (e *explanations) remark(text string, r compare.Row) {
	if e.remarkAt[text] == nil {
		e.remarks = append(e.remarks, text)
	}
	e.remarkAt[text] = append(e.remarkAt[text], placeText(r))
}

func placeText(r compare.Row) string {
	place := plain(r.Version) + ", " + plain(r.Workload)
	if r.Clients > 0 {
		place += ", " + compare.ClientsText(r.Clients)
	}
	return place
}

// legend is what stands below the tables, a sentence or more an entry.
func (e *explanations) legend(r compare.Report) []string {
	var out []string
	for i, f := range e.footnotes {
		out = append(out, fmt.Sprintf("(%s) %s", letter(i), f))
	}
	if e.partial {
		out = append(out, "~ partial: not the whole window was counted; no verdict is taken from it")
	}
	if e.scaled {
		out = append(out, "≈ scaled: counters were shared in time, and the value is extrapolated")
	}
	var means []string
	if e.intervals {
		means = append(means, "± is the longer arm of the 95% interval of the value, which is the median of the starts")
	}
	if e.ratios {
		means = append(means, "[ ] is the 95% interval of the ratio to "+plain(r.Base))
	}
	if e.edges {
		means = append(means, "± is how far off a value may be, since a live server's counters and operations cannot be read at one moment")
	}
	if e.edgeRatios {
		means = append(means, "[ ] bounds the ratio to "+plain(r.Base)+" by the same; how much such windows differ by themselves is not known, so there are no verdicts")
	}
	if len(means) > 0 {
		out = append(out, strings.Join(means, "; "))
	}
	var counted []string
	for _, s := range e.sources {
		counted = append(counted, s+": "+strings.Join(e.bySource[s], ", "))
	}
	if len(counted) > 0 {
		out = append(out, "Counted by "+strings.Join(counted, "; by "))
	}
	for _, s := range e.remarks {
		at := e.remarkAt[s]
		if len(at) > 1 {
			s += fmt.Sprintf(" (%s, and %d more)", at[0], len(at)-1)
		} else {
			s += fmt.Sprintf(" (%s)", at[0])
		}
		out = append(out, s)
	}
	return out
}
