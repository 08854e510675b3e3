package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"opcost/perfctl/result"
)

// explainLacking gives each main metric that the cell lacks altogether a state
// and a reason: the collector that failed, the pass that could not be made, or
// that nothing counted it. And it removes what only carried such reasons. It
// gives the collectors that failed: what they count beside the main metrics would
// be missing without a word.
func (c *cell) explainLacking(keep func(metric string) bool) (failed []result.Warning) {
	lost := map[result.Source]*estimate{}
	var names []string
	for name := range c.metrics {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if strings.HasPrefix(name, lostCollector) {
			e := c.metrics[name]
			if lost[e.Source] == nil {
				lost[e.Source] = e
			}
			if e.State == result.Failed && c.driver != Attached && c.whole() { // a live table says it in its place, a partial window why
				failed = append(failed, result.Warning{Code: "collector", Text: fmt.Sprintf("a window lacks what %s counts: %s", strings.TrimPrefix(name, lostCollector), e.Reason)})
			}
			delete(c.metrics, name)
		}
	}
	for _, m := range Metrics {
		if !m.Main || c.metrics[m.Name] != nil || keep != nil && !keep(m.Name) {
			continue
		}
		c.metrics[m.Name] = c.lacking(m.Name, lost)
	}
	return failed
}

// whole tells whether all windows that were kept are.
func (c *cell) whole() bool {
	for _, r := range c.runs {
		for _, p := range r.Passes {
			if slices.ContainsFunc(p.Windows, func(w result.Window) bool { return w.State != result.OK }) {
				return false
			}
		}
	}
	return true
}

func (c *cell) lacking(name string, lost map[result.Source]*estimate) *estimate {
	e := &estimate{M: M{Unit: "count", Per: c.per(), Source: result.SourcePerf, State: result.NotCounted}}
	switch name {
	case "ipc":
		const need = "needs cycles and instructions of one window, counted by perf"
		for _, part := range []string{"cycles_per_query", "instructions_per_query"} {
			if why, ok := c.metrics[part]; ok && !why.State.Usable() {
				e.State, e.Reason, e.Remedy = why.State, need+": "+why.Reason, why.Remedy
				break
			}
		}
		e.Reason = cmp.Or(e.Reason, need)
	case "cpu_us_per_query":
		e.Unit, e.Source = "us", result.SourceProc
	case "context_switches_per_query":
		e.Source = result.SourceProc
	case "qps":
		e.Unit, e.Per, e.Source = "statement", "second", result.SourceClient
	}
	if name == "qps" && c.per() == perSecond {
		e.Reason = "operations were not counted, so values are per second"
	}
	if e.Reason == "" && lost[e.Source] != nil {
		why := lost[e.Source]
		e.State, e.Reason, e.Remedy = why.State, why.Reason, why.Remedy
	}
	if e.Reason == "" {
		e.State, e.Reason = c.failedPass(e.Source == result.SourcePerf)
	}
	if e.Reason == "" && c.imported() {
		e.State, e.Source, e.Reason = result.NotCounted, result.SourceImport, "what was imported does not have it"
	}
	if e.Reason == "" {
		e.State, e.Reason = result.NotCounted, strings.ReplaceAll(readingOf(name), "_", " ")+": none of the passes counted it"
	}
	return e
}

// per is what the cell's operations are.
func (c *cell) per() string {
	for _, r := range c.runs {
		for _, p := range costly(r) {
			for _, w := range p.Windows {
				return perOf(w)
			}
		}
	}
	return "statement"
}

// failedPass gives the reason of a pass that could not be made. A pass that was
// made may still say why it has no hardware counters.
func (c *cell) failedPass(hardware bool) (result.State, string) {
	for _, r := range c.runs {
		for _, p := range costly(r) {
			if p.State != result.OK && p.State != result.Partial || (p.Reason != "" && len(p.Windows) == 0) {
				return cmp.Or(p.State, result.Failed), cmp.Or(p.Reason, "the pass failed")
			}
		}
	}
	if !hardware {
		return "", ""
	}
	for _, r := range c.runs {
		for _, p := range costly(r) {
			if p.State == result.OK && p.Reason != "" {
				return result.Unsupported, p.Reason
			}
		}
	}
	return "", ""
}
