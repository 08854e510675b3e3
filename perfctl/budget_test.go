package perfctl

import (
	"errors"
	"slices"
	"testing"
	"time"

	"opcost/perfctl/result"
	"opcost/perfctl/workload"
)

// spend goes through a queue; each start takes a minute.
func spend(t *testing.T, repeats int, budget time.Duration, undecided func(asked int) []Undecided) (ids []string) {
	t.Helper()
	p := twoVersions()
	p.Clients, p.Repeats, p.Budget = []int{1}, repeats, budget
	spent, asked := time.Duration(0), 0
	q := queue{plan: p, left: Schedule(p, []workload.Test{point, update}, []result.PassKind{result.PassCount, result.PassCallgrind}),
		cost: func(Start) time.Duration { return time.Minute }, elapsed: func() time.Duration { return spent }}
	if undecided != nil {
		q.undecided = func() ([]Undecided, error) { asked++; return undecided(asked), nil }
	}
	for {
		s, more, err := q.next()
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return ids
		}
		spent += time.Minute
		for _, c := range s.Cells {
			ids = append(ids, s.RunID(p, c))
		}
	}
}

// Two versions, two tests and two passes are 8 starts a repeat.
func TestBudget(t *testing.T) {
	pointUnder := []Undecided{{"A", "point-query", 1, result.PassCallgrind}, {"B", "point-query", 1, result.PassCallgrind}}
	for _, c := range []struct {
		name      string
		repeats   int
		budget    time.Duration
		undecided func(int) []Undecided
		further   []string // after the screen of 16
	}{
		{"nothing is unsure", 4, time.Hour, func(int) []Undecided { return nil }, nil},
		{"one is unsure once", 4, time.Hour, func(asked int) []Undecided {
			if asked == 1 {
				return pointUnder
			}
			return nil
		}, []string{"r02-A-point-query-c1-callgrind", "r02-B-point-query-c1-callgrind"}},
		{"unsure to the end", 4, time.Hour, func(int) []Undecided { return pointUnder }, []string{
			"r02-A-point-query-c1-callgrind", "r02-B-point-query-c1-callgrind", "r03-B-point-query-c1-callgrind", "r03-A-point-query-c1-callgrind"}},
		{"until it is used", 100, 19 * time.Minute, func(int) []Undecided { return pointUnder }, []string{
			"r02-A-point-query-c1-callgrind", "r02-B-point-query-c1-callgrind", "r03-B-point-query-c1-callgrind"}},
		{"the screen is whole, however long", 4, time.Minute, func(int) []Undecided { return pointUnder }, nil},
		{"nobody judges: all that fits", 4, 18 * time.Minute, nil, []string{"r02-A-point-query-c1-count", "r02-B-point-query-c1-count"}},
	} {
		got := spend(t, c.repeats, c.budget, c.undecided)
		if len(got) < 16 || !slices.Equal(got[16:], c.further) {
			t.Errorf("%s: %d starts, after the screen %q, want %q", c.name, len(got), got[min(16, len(got)):], c.further)
		}
	}
	if n := len(spend(t, 4, 0, func(int) []Undecided { t.Error("asked without a budget"); return nil })); n != 32 {
		t.Errorf("%d starts without a budget, want 32", n)
	}
}

func TestBudgetPassesErrorsOn(t *testing.T) {
	p := twoVersions()
	p.Repeats, p.Budget = 3, time.Hour
	q := queue{plan: p, left: Schedule(p, []workload.Test{point}, []result.PassKind{result.PassCount})[4:],
		undecided: func() ([]Undecided, error) { return nil, errors.New("the disk is gone") }}
	if _, more, err := q.next(); more || err == nil {
		t.Errorf("%v, %v", more, err)
	}
}
