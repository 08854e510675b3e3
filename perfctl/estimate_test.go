package perfctl

import (
	"testing"
	"time"

	"opcost/perfctl/plan"
	"opcost/perfctl/result"
	"opcost/perfctl/server"
	"opcost/perfctl/workload"
)

var (
	maria1011 = server.Identity{Flavor: server.MariaDB, Major: 10, Minor: 11, Patch: 6}
	mysql80   = server.Identity{Flavor: server.MySQL, Major: 8, Minor: 0, Patch: 36}
	steady    = pace{cpu: 1, fsync: time.Millisecond}
)

func demoPlan() *plan.Plan {
	p := twoVersions()
	p.Clients, p.Tables, p.Rows, p.Repeats = []int{1}, 1, 20_000, 3
	p.Warmup, p.Duration = time.Second, 3*time.Second
	return p
}

func needOf(p *plan.Plan, w ways, paced pace) Need {
	return estimate(p, w, Schedule(p, []workload.Test{point, update}, w.kinds()), []server.Identity{maria1011, maria1011}, paced)
}

var both = ways{{kind: result.PassCount}, {kind: result.PassCallgrind}}

// How the estimate depends on the plan; how good it is, is measured with
// `make bench` (TestBenchEstimate).
func TestEstimateFollowsThePlan(t *testing.T) {
	base := needOf(demoPlan(), both, steady)
	if base.Starts != 24 || len(base.Parts) != 3 || base.Parts[0].Number != 2 || base.Parts[1].Number != 12 || base.Parts[2].Number != 12 {
		t.Errorf("%+v", base)
	}
	// 12 starts of 1 s and 3 s are 48 s that no one can save.
	if counting := base.Parts[1].Time; counting < 48*time.Second || counting > 90*time.Second {
		t.Errorf("counting takes %v", counting)
	}
	if base.Screen != base.Time || base.Budget != 0 {
		t.Errorf("without a budget the screen is all: %v of %v", base.Screen, base.Time)
	}
	change := func(what string, c func(*plan.Plan), more func(Need) bool) {
		t.Helper()
		p := demoPlan()
		c(p)
		if n := needOf(p, both, steady); !more(n) {
			t.Errorf("%s: %v and %d MB, before %v and %d MB", what, n.Time, n.Disk>>20, base.Time, base.Disk>>20)
		}
	}
	change("twice the repeats", func(p *plan.Plan) { p.Repeats = 6 }, func(n Need) bool {
		return n.Starts == 48 && n.Time-n.Parts[0].Time == 2*(base.Time-base.Parts[0].Time) && n.Disk < base.Disk*11/10
	})
	change("10 s more", func(p *plan.Plan) { p.Duration += 10 * time.Second }, func(n Need) bool { return n.Parts[1].Time == base.Parts[1].Time+120*time.Second })
	change("a million rows", func(p *plan.Plan) { p.Rows = 1_000_000 }, func(n Need) bool {
		more := n.Disk - base.Disk // 4 copies of 980,000 rows
		return n.Time > base.Time && more > 4*980_000*200 && more < 4*980_000*350
	})
	change("a small redo log", func(p *plan.Plan) {
		for i := range p.Versions {
			p.Versions[i].Options = []string{"innodb_log_file_size=16M"}
		}
	}, func(n Need) bool { return base.Disk-n.Disk == 4*80<<20 })
	// It runs 4 s beyond each of the 12 windows, less what arming takes anyhow.
	change("sysbench", func(p *plan.Plan) { p.Driver.Name = workload.DriverSysbench }, func(n Need) bool {
		more := n.Parts[1].Time - base.Parts[1].Time
		return more > 12*3500*time.Millisecond && more < 12*4*time.Second && n.Parts[2].Time == base.Parts[2].Time
	})
	change("a budget", func(p *plan.Plan) { p.Budget = time.Hour }, func(n Need) bool {
		return n.Time == base.Time && n.Screen < base.Time && n.Screen > base.Time/2
	})
	if slow := needOf(demoPlan(), both, pace{cpu: 3, fsync: time.Millisecond}); slow.Parts[2].Time < 2*base.Parts[2].Time {
		t.Errorf("on a CPU of a third: %v, before %v", slow.Parts[2].Time, base.Parts[2].Time)
	}
	if slow := needOf(demoPlan(), both, pace{cpu: 1, fsync: 11 * time.Millisecond}); slow.Parts[2].Time < base.Parts[2].Time+6*20*time.Second {
		t.Errorf("with a slow disk: %v, before %v", slow.Parts[2].Time, base.Parts[2].Time) // 6 starts of 2,000 updates, 10 ms more each
	}
	none := estimate(demoPlan(), both, nil, []server.Identity{maria1011, maria1011}, steady)
	if none.Starts != 0 || none.Time != 0 || none.Disk != 0 {
		t.Errorf("nothing is left to measure: %+v", none)
	}
}

// Sums by hand of what servers make by default and by options.
func TestCopyOf(t *testing.T) {
	p := demoPlan()
	rows := int64(20_000*rowBytes + tableBytes)
	logRows := int64(20_000 * loggedRow)
	for _, c := range []struct {
		options []string
		id      server.Identity
		want    int64
	}{
		{nil, maria1011, systemBytes + rows + 96<<20},
		{[]string{"log-bin"}, maria1011, systemBytes + rows + 96<<20 + logRows},
		{[]string{"innodb-log-file-size=1G", "innodb_log_files_in_group=3"}, maria1011, systemBytes + rows + 3<<30},
		{[]string{"innodb-redo-log-capacity=8m"}, mysql80, mysqlSystem + rows + 8<<20 + logRows},
		{[]string{"skip-log-bin", "innodb-log-file-size=50331648"}, mysql80, mysqlSystem + rows + 96<<20},
		{[]string{"innodb-log-file-size=nonsense"}, maria1011, systemBytes + rows + 96<<20},
	} {
		if got := copyOf(p, plan.Version{Options: c.options}, c.id); got != c.want {
			t.Errorf("%s %v: %d, want %d", c.id, c.options, got, c.want)
		}
	}
}

// The time left is what starts of the same pass took, in proportion.
func TestClockLearns(t *testing.T) {
	p := demoPlan()
	starts := Schedule(p, []workload.Test{point}, []result.PassKind{result.PassCount})
	c := newClock(costs{plan: p, ways: both, pace: steady}, nil)
	c.left = starts
	first := c.estimate()
	if want := 6 * c.expected(starts[0]); first != want {
		t.Errorf("%v left of 6 starts, want %v", first, want)
	}
	c.begin(starts)
	c.begun = c.begun.Add(-3 * c.expected(starts[0])) // it took three times as long
	c.end(starts[0])
	c.begun = time.Time{}
	if got, want := c.estimate(), 15*c.expected(starts[0]); got < want || got > want+want/100 {
		t.Errorf("%v left of 5 slow starts, want %v", got, want)
	}
	p.Budget = time.Minute
	c.born = time.Now().Add(-50 * time.Second)
	screen := 3 * c.cost(starts[1]) // two of four are measured, and one more is left of the screen
	if got := c.estimate(); got < screen || got > screen+10*time.Second {
		t.Errorf("%v left, want the screen's %v and no more than is left of the budget", got, screen)
	}
}
