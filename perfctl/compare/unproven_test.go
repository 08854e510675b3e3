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

// TestSwayed: what other programs have a part in, by what each metric counts.
func TestSwayed(t *testing.T) {
	for want, names := range map[bool]string{
		true: "qps tps response_us response_us_p99 server_latency_us cycles_per_query branch_misses_per_query cpu_us_per_query cpu_background_us_per_query " +
			"context_switches_per_query run_queue_us_per_query cpu/o cs/o r/o rKB/o wKB/o o/s",
		false: "instructions_per_query instructions_user_per_query branches_per_query syscalls_per_query page_faults_per_query read_kb_per_query write_kb_per_query rows_read_per_query",
	} {
		for _, name := range strings.Fields(names) {
			if swayed(name) != want {
				t.Errorf("%s: %v", name, !want)
			}
		}
	}
}
