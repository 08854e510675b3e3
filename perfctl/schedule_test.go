package perfctl

import (
	"strings"
	"testing"

	"opcost/perfctl/plan"
	"opcost/perfctl/result"
	"opcost/perfctl/workload"
)

func twoVersions() *plan.Plan {
	return &plan.Plan{
		Versions: []plan.Version{{Name: "A"}, {Name: "B"}},
		Clients:  []int{1, 4}, Repeats: 2, Restart: plan.RestartSet,
	}
}

var (
	point  = workload.Test{ID: "point-query"}
	scan   = workload.Test{ID: "scan", Per: workload.PerRow}
	update = workload.Test{ID: "update-index", Write: true}
)

func ids(p *plan.Plan, starts []Start) string {
	var b strings.Builder
	for _, s := range starts {
		b.WriteString(s.ID(p))
		if s.Restore {
			b.WriteString(" (restored)")
		}
		for _, c := range s.Cells {
			b.WriteString("\n  " + s.RunID(p, c))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestScheduleAlternatesVersions(t *testing.T) {
	p := twoVersions()
	p.Clients = []int{1}
	got := ids(p, Schedule(p, []workload.Test{point, update}, []result.PassKind{result.PassCount}))
	want := `r00-A-point-query-c1-count
  r00-A-point-query-c1-count
r00-B-point-query-c1-count
  r00-B-point-query-c1-count
r00-A-update-index-c1-count (restored)
  r00-A-update-index-c1-count
r00-B-update-index-c1-count (restored)
  r00-B-update-index-c1-count
r01-B-point-query-c1-count
  r01-B-point-query-c1-count
r01-A-point-query-c1-count
  r01-A-point-query-c1-count
r01-B-update-index-c1-count (restored)
  r01-B-update-index-c1-count
r01-A-update-index-c1-count (restored)
  r01-A-update-index-c1-count
`
	if got != want {
		t.Errorf("schedule:\n%s\nwant:\n%s", got, want)
	}
}

func TestScheduleSharesAStartAmongReadsOnly(t *testing.T) {
	p := twoVersions()
	p.Repeats = 1
	starts := Schedule(p, []workload.Test{point, update, scan}, []result.PassKind{result.PassCount, result.PassCallgrind})
	// count: reads (2 tests x 2 client counts) and update at 1 and 4 clients;
	// callgrind: 1 client only.
	var counted, under, alone int
	for _, s := range starts {
		for _, c := range s.Cells {
			if c.Test.Write && (len(s.Cells) != 1 || !s.Restore) {
				t.Errorf("%s: a write test needs restored data and a start of its own", s.ID(p))
			}
			if s.Pass == result.PassCallgrind && c.Clients != 1 {
				t.Errorf("%s: %d clients under callgrind", s.ID(p), c.Clients)
			}
		}
		switch {
		case len(s.Cells) == 1:
			alone++
		case s.Pass == result.PassCount:
			counted += len(s.Cells)
		default:
			under += len(s.Cells)
		}
	}
	if counted != 2*4 || under != 2*2 || alone != 2*(2+1) {
		t.Errorf("cells in shared starts: %d counting, %d under callgrind; %d starts of one cell; want 8, 4, 6", counted, under, alone)
	}

	p.Restart = plan.RestartRun
	for _, s := range Schedule(p, []workload.Test{point, scan}, []result.PassKind{result.PassCount}) {
		if len(s.Cells) != 1 {
			t.Errorf("restart: run, but %s has %d cells", s.ID(p), len(s.Cells))
		}
	}
}

func TestMissingKeepsOnlyWhatIsNotOnDisk(t *testing.T) {
	p := twoVersions()
	all := Schedule(p, []workload.Test{point, scan}, []result.PassKind{result.PassCount})
	have := map[string]bool{}
	for _, s := range all {
		for _, c := range s.Cells {
			have[s.RunID(p, c)] = true
		}
	}
	if left := missing(all, p, have); len(left) != 0 {
		t.Errorf("all is there, but %d starts are left", len(left))
	}
	have["r01-B-scan-c4-count"] = false // it is there, and incomplete
	left := missing(all, p, have)
	if len(left) != 1 || len(left[0].Cells) != 1 || left[0].RunID(p, left[0].Cells[0]) != "r01-B-scan-c4-count" {
		t.Errorf("left: %s", ids(p, left))
	}
}
