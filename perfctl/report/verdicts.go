package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"opcost/perfctl/compare"
)

// verdictLines sum the verdicts up ("3 slower, 28 same, 1 unsure of 32"), say
// against what and by what they were found, and name those that are not "same",
// the worst first. Each has the word it is about, for colouring.
func verdictLines(r compare.Report) (summary, by string, each []verdictLine) {
	count := map[compare.Verdict]int{}
	measured := map[string]bool{}
	total, floor := 0, 0
	for _, row := range r.Rows {
		v, ok := row.VsBase[row.Primary]
		if row.Primary == "" || !ok || v.Verdict == compare.None {
			continue
		}
		total++
		if strings.Contains(v.Method, compare.FloorMethod) {
			floor++
		}
		count[v.Verdict]++
		measured[fmt.Sprintf("%s ±%.3g%%", labelOf(row.Primary), 100*v.Threshold)] = true
		if v.Verdict == compare.Same {
			continue
		}
		text := fmt.Sprintf("%s, %s: %s, %s %s", plain(row.Workload), compare.ClientsText(row.Clients), plain(row.Version), labelOf(row.Primary), ratio(v))
		switch {
		case v.MoreStarts > 0:
			text += fmt.Sprintf("; about %d more starts a side would tell", v.MoreStarts)
		case v.Reason != "":
			text += "; " + plain(v.Reason)
		}
		each = append(each, verdictLine{v.Verdict, text, math.Abs(math.Log(v.Ratio))})
	}
	if total == 0 {
		return "", "", nil
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
	for m := range measured {
		measures = append(measures, m)
	}
	slices.Sort(measures)
	by = fmt.Sprintf("against %s, by %s", plain(r.Base), strings.Join(measures, ", "))
	if floor > 0 {
		by += fmt.Sprintf("; %d of them with %s", floor, compare.FloorMethod)
	}
	return fmt.Sprintf("%s of %d", strings.Join(counts, ", "), total), by, each
}

type verdictLine struct {
	verdict compare.Verdict
	text    string
	size    float64
}
