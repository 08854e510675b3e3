package report

import (
	"fmt"

	"opcost/perfctl/compare"
)

// A report for people shows so many warnings of a kind; the rest is counted.
const mostShown = 12

// warnings of a report for people: what is unlike goes above the tables, the
// rest below.
func warnings(r compare.Report) (unlike, other []string) {
	for _, w := range r.Warnings {
		if w.Code == "unlike" {
			unlike = append(unlike, plain(w.Text))
		} else {
			other = append(other, plain(w.Text))
		}
	}
	return capped(unlike), capped(other)
}

func capped(texts []string) []string {
	if more := len(texts) - mostShown; more > 1 {
		return append(texts[:mostShown:mostShown], fmt.Sprintf("and %d more (`--format json` lists them)", more))
	}
	return texts
}
