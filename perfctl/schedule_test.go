package perfctl

import (
	"fmt"
	"slices"
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

// With reads before and behind the writes the tests keep their order; the reads
// behind see a table that all the writes of the repeat were done to.
func TestScheduleInOrder(t *testing.T) {
	before, insert := workload.Test{ID: "point-query.pre", Pre: true}, workload.Test{ID: "insert", Write: true}
	tests := []workload.Test{before, update, insert, scan, point}
	past := func(s Start) (all []string) {
		for _, p := range s.Past {
			all = append(all, fmt.Sprintf("%d:%s-c%d-%s", p.Repeat, p.Cell.Test.ID, p.Cell.Clients, p.Pass))
		}
		return all
	}
	show := func(p *plan.Plan, passes ...result.PassKind) string {
		var b strings.Builder
		for _, s := range Schedule(p, tests, passes) {
			if s.Version != 0 {
				continue // the other's are the same
			}
			fmt.Fprintf(&b, "%d", s.Repeat)
			for _, c := range s.Cells {
				fmt.Fprintf(&b, " %s-c%d", c.Test.ID, c.Clients)
			}
			fmt.Fprintf(&b, " restore=%v past=%s\n", s.Restore, strings.Join(past(s), " "))
		}
		return b.String()
	}
	p := twoVersions()
	p.Clients, p.Repeats = []int{1, 4}, 1
	want := `0 point-query.pre-c1 point-query.pre-c4 restore=false past=
0 update-index-c1 restore=true past=
0 update-index-c4 restore=true past=
0 insert-c1 restore=true past=
0 insert-c4 restore=true past=
0 scan-c1 scan-c4 point-query-c1 point-query-c4 restore=false past=0:update-index-c1-count 0:update-index-c4-count 0:insert-c1-count 0:insert-c4-count
`
	if got := show(p, result.PassCount); got != want {
		t.Errorf("copies:\n%s\nwant\n%s", got, want)
	}
	p.Restore.Kind, p.Clients, p.Repeats = "replay", []int{1}, 2
	tests = []workload.Test{point, update, scan}
	want = `0 point-query-c1 restore=false past=
0 update-index-c1 restore=false past=
0 scan-c1 restore=false past=0:update-index-c1-count
1 point-query-c1 restore=false past=0:update-index-c1-count
1 update-index-c1 restore=false past=0:update-index-c1-count
1 scan-c1 restore=false past=0:update-index-c1-count 1:update-index-c1-count
`
	if got := show(p, result.PassCount); got != want {
		t.Errorf("replay:\n%s\nwant\n%s", got, want)
	}
	p.Restart = plan.RestartRun
	tests = []workload.Test{point, scan}
	if got := Schedule(p, tests, []result.PassKind{result.PassCount}); len(got) != 2*2*2 {
		t.Errorf("restart: run: %d starts, want 8", len(got))
	}
}

// What has to be done to the data before a start.
func TestMissingPast(t *testing.T) {
	a := Past{Cell{update, 1}, 0, result.PassCount}
	b := Past{Cell{update, 4}, 0, result.PassCount}
	again := Past{Cell{update, 1}, 1, result.PassCount}
	p := twoVersions()
	for _, c := range []struct {
		name       string
		want, done []Past
		restore    bool
		dirty      bool
		loaded     bool
		todo       []Past
	}{
		{"nothing", nil, nil, false, false, false, nil},
		{"a write test of its own", nil, nil, true, false, true, nil},
		{"nobody knows", []Past{a}, []Past{a}, false, true, true, []Past{a}},
		{"all is done", []Past{a, b}, []Past{a, b}, false, false, false, nil},
		{"gone on with", []Past{a, b, again}, []Past{a}, false, false, false, []Past{b, again}},
		{"too much was done", []Past{a}, []Past{a, b}, false, false, true, []Past{a}},
		{"another was done", []Past{a, b}, []Past{again}, false, false, true, []Past{a, b}},
	} {
		loaded, todo := missingPast(p, Start{Restore: c.restore, Past: c.want}, c.done, c.dirty)
		if loaded != c.loaded || !slices.EqualFunc(todo, c.todo, Past.same) {
			t.Errorf("%s: loaded %v, %d to do; want %v, %d", c.name, loaded, len(todo), c.loaded, len(c.todo))
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
