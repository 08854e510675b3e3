package compare

import (
	"strings"

	"opcost/perfctl/result"
)

// addImported takes a rate or a cost that was imported as it was printed: a
// metric by its own name, which is not divided again.
func (ts *tallies) addImported(w result.Window, r result.Reading) {
	ts.add(measure{r.Name, r.Source, r.Scope, importedPer(r.Name)}, amountOf(r).and(doubt(w)), exactly(1))
}

// importedPer is what an imported metric stands for one of.
func importedPer(name string) string {
	switch {
	case name == "qps", name == "tps", name == "o/s", strings.HasSuffix(name, "_per_second"):
		return perSecond
	case name == "qps_relative", strings.HasSuffix(name, "_percent"):
		return ""
	case strings.HasPrefix(name, "transaction_us"):
		return "transaction"
	case strings.HasPrefix(name, "event_us"):
		return "event"
	}
	return "statement"
}

// imported tells a cell whose runs were all imported.
func (c *cell) imported() bool {
	for _, r := range c.runs {
		for _, p := range r.Passes {
			for _, w := range p.Windows {
				if w.Ops.Source != result.SourceImport {
					return false
				}
			}
		}
	}
	return true
}
