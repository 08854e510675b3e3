package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"opcost/perfctl/compare"
)

// verdictLines sum the verdicts up, and name those that are not "same", the
// largest change first. Each has the word it is about, for colouring.
func verdictLines(r compare.Report) (summary string, each []verdictLine) {
	count := map[compare.Verdict]int{}
	by := map[string]bool{}
	total := 0
	for _, row := range r.Rows {
		v, ok := row.VsBase[row.Primary]
		if row.Primary == "" || !ok || v.Verdict == compare.None {
			continue
		}
		total++
		count[v.Verdict]++
		by[fmt.Sprintf("%s ±%.3g%%", labelOf(row.Primary), 100*v.Threshold)] = true
		if v.Verdict == compare.Same {
			continue
		}
		text := fmt.Sprintf("%s, %s: %s, %s %s", plain(row.Workload), clientsText(row.Clients), plain(row.Version), labelOf(row.Primary), ratio(v))
		switch {
		case v.MoreStarts > 0:
			text += fmt.Sprintf("; about %d more starts a side would tell", v.MoreStarts)
		case v.Reason != "":
			text += "; " + plain(v.Reason)
		}
		each = append(each, verdictLine{v.Verdict, text, math.Abs(math.Log(v.Ratio))})
	}
	if total == 0 {
		return "", nil
	}
	rank := map[compare.Verdict]int{compare.Slower: 0, compare.Unsure: 1, compare.Faster: 2}
	slices.SortStableFunc(each, func(a, b verdictLine) int {
		return cmp.Or(rank[a.verdict]-rank[b.verdict], cmp.Compare(b.size, a.size))
	})
	var counts []string
	for _, v := range []compare.Verdict{compare.Slower, compare.Faster, compare.Same, compare.Unsure} {
		if n := count[v]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, v))
		}
	}
	var measures []string
	for m := range by {
		measures = append(measures, m)
	}
	slices.Sort(measures)
	return fmt.Sprintf("Against %s: %s of %d (by %s)", plain(r.Base), strings.Join(counts, ", "), total, strings.Join(measures, ", ")), each
}

type verdictLine struct {
	verdict compare.Verdict
	text    string
	size    float64
}
