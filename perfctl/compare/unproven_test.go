package compare

import (
	"strings"
	"testing"

	"opcost/perfctl/result"
)

// TestNoVerdictByCPUBesideOtherPrograms: 30% more CPU/query in each start, but
// other programs ran beside most of one side's windows.
func TestNoVerdictByCPUBesideOtherPrograms(t *testing.T) {
	for _, c := range []struct {
		name           string
		beside         int // so many of the four starts of each side
		old, new       bool
		want           Verdict
		byInstructions bool
	}{
		{"a quiet machine", 0, true, true, Slower, false},
		{"all starts of the new", 4, false, true, Unsure, false},
		{"all starts of the base", 4, true, false, Unsure, false},
		{"half of them", 2, true, true, Slower, false},
		{"instructions are the version's own", 4, true, true, Slower, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			side := func(v string, us float64, disturb bool) (runs []result.Run) {
				for i := range 4 {
					r := run(v, i, cpu((us+float64(i)/10)*1000))
					if c.byInstructions {
						r = run(v, i, cpu(us*1000), perf("instructions", (us*100+float64(i))*1000, result.UserKernel))
					}
					r.Passes[0].Windows[0].Quality = []result.Quality{{Name: result.CheckOthers, Limit: 0.1, OK: !disturb || i >= c.beside}}
					runs = append(runs, r)
				}
				return runs
			}
			r := Build(join(side("old", 100, c.old), side("new", 130, c.new)), Options{Base: "old"})
			row := rowOf(t, r, "new")
			got := row.VsBase[row.Primary]
			if got.Verdict != c.want || (c.want == Unsure) != strings.Contains(got.Reason, "other programs") {
				t.Errorf("%s: %s, %q, want %s", row.Primary, got.Verdict, got.Reason, c.want)
			}
			if got.Low == nil || *got.Low < 1.2 {
				t.Errorf("the interval stays what it is: %+v", got)
			}
		})
	}
}
