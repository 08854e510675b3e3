package top

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"opcost/profiles"
	"opcost/profiles/granularity"
)

var (
	search  = profiles.Frame{Function: "_Z15row_search_mvccPhmP14row_prebuilt_tmm", Object: "/usr/sbin/mysqld", Space: profiles.User}
	cold    = profiles.Frame{Function: "row_search_mvcc(unsigned char*) [clone .cold]", Object: "/usr/sbin/mysqld", Space: profiles.User}
	command = profiles.Frame{Function: "do_command", Object: "/usr/sbin/mysqld", Space: profiles.User}
	hidden  = profiles.Frame{Object: "/usr/sbin/mysqld", Start: 0x40, BuildID: "aa", Space: profiles.User}
	lost    = profiles.Frame{Object: "/usr/lib/liba.so.1", Address: 7, Space: profiles.User}
	lost2   = profiles.Frame{Object: "/usr/lib/liba.so.1", Address: 8, Space: profiles.User}
	send    = profiles.Frame{Function: "tcp_sendmsg", Object: "[kernel.kallsyms]", Space: profiles.Kernel}
)

func sampledProfile(t *testing.T) *profiles.Profile {
	t.Helper()
	b := profiles.NewBuilder(profiles.Event{Name: "cpu-clock", Unit: profiles.Nanoseconds})
	add := func(weight int64, frames ...profiles.Frame) {
		var ix []int32
		for _, f := range frames {
			ix = append(ix, b.Frame(f))
		}
		if err := b.Add("w", ix, weight, weight/1000); err != nil {
			t.Fatal(err)
		}
	}
	add(50_000, search, command)
	add(10_000, cold, search, command) // a part of it: one row, counted once
	add(20_000, hidden, search, command)
	add(6000, lost, command)
	add(4000, lost2, command)
	add(9000, send, command)
	add(1000)
	p := b.Profile()
	p.About.Operations, p.About.Per = 10, "statement"
	return p
}

func us(v float64) *float64 { return &v }
func ns(v int64) *int64     { return &v }

// TestByFunction: reckoned by hand.
func TestByFunction(t *testing.T) {
	got, err := Build(sampledProfile(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	row := func(function, object, place string, self, total int64) Row {
		return Row{Function: function, Object: object, Subsystem: place, Self: self, SelfSamples: self / 1000, Share: float64(self) / 100_000,
			SelfPerQuery: us(float64(self) / 10_000), Total: ns(total), TotalPerQuery: us(float64(total) / 10_000)}
	}
	want := []Row{
		row("row_search_mvcc", "mysqld", "InnoDB record", 60_000, 80_000),
		row("mysqld+0x40", "mysqld", "InnoDB record", 20_000, 20_000),
		row("[no name]", "liba.so", "session", 10_000, 10_000),
		row("tcp_sendmsg", "[kernel]", "kernel network", 9000, 9000),
		row("[no stack]", "", "unresolved", 1000, 1000),
		row("do_command", "mysqld", "session", 0, 99_000),
	}
	for _, i := range []int{1, 2, 4} {
		want[i].Kind = Unresolved
	}
	want[1].Inherited, want[2].Inherited = true, true
	if d := cmp.Diff(want, got.Rows, cmpopts.EquateApprox(1e-12, 0)); d != "" {
		t.Errorf("rows (-want +got)\n%s", d)
	}
	if got.Unit != "us" || *got.PerQuery != 10 || got.Weight != 100_000 || got.Samples != 100 {
		t.Errorf("table %+v", got)
	}
}

// TestBySubsystem: a caller's place is under way while what it calls runs.
func TestBySubsystem(t *testing.T) {
	got, err := Build(sampledProfile(t), Options{By: granularity.Subsystem})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]int64{"InnoDB record": {80_000, 80_000}, "session": {10_000, 99_000}, "kernel network": {9000, 9000}, "unresolved": {1000, 1000}}
	for _, r := range got.Rows {
		if w := want[r.Subsystem]; r.Self != w[0] || *r.Total != w[1] {
			t.Errorf("%s: self %d, total %d; want %v", r.Subsystem, r.Self, *r.Total, w)
		}
		delete(want, r.Subsystem)
	}
	if len(want) > 0 {
		t.Errorf("lacking: %v", want)
	}
}

// TestCounted: calls per query where calls were counted; no operations, no value
// per query.
func TestCounted(t *testing.T) {
	b := profiles.NewBuilder(profiles.Event{Name: "Ir", Unit: profiles.Instructions, Counted: true})
	caller, callee := b.Frame(command), b.Frame(hidden)
	for i, w := range []int64{100, 900} {
		if err := b.Add("", []int32{[]int32{caller, callee}[i]}, w, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Call("", caller, callee, 30, 900); err != nil {
		t.Fatal(err)
	}
	p := b.Profile()
	got, err := Build(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.PerQuery != nil || got.Rows[0].SelfPerQuery != nil || got.Rows[0].CallsPerQuery != nil {
		t.Errorf("values per query of an unknown number of operations: %+v", got.Rows[0])
	}
	p.About.Operations = 10
	if got, err = Build(p, Options{}); err != nil {
		t.Fatal(err)
	}
	first, second := got.Rows[0], got.Rows[1]
	if first.Self != 900 || *first.CallsPerQuery != 3 || *first.SelfPerQuery != 90 || first.Subsystem != "session" || !first.Inherited {
		t.Errorf("first row %+v", first)
	}
	if second.Self != 100 || *second.Total != 1000 || got.Unit != profiles.Instructions {
		t.Errorf("second row %+v", second)
	}
	if got, err = Build(p, Options{By: granularity.Subsystem}); err != nil || got.Rows[0].Self != 1000 || got.Rows[0].Total != nil {
		t.Errorf("by subsystem: %+v, %v; a total is not known", got.Rows, err)
	}
}

// TestAddsUp: at every level and limit the own costs are the profile's total, to
// the unit, and no total is above it.
func TestAddsUp(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 0))
		b := profiles.NewBuilder(profiles.Event{Name: "cycles", Unit: profiles.Cycles})
		objects := []string{"/usr/sbin/mysqld", "/lib/libc.so.6", "[kernel.kallsyms]", ""}
		for range 1 + r.IntN(300) {
			var frames []int32
			for range r.IntN(6) {
				f := profiles.Frame{Function: fmt.Sprintf("btr_%d", r.IntN(40)), Object: objects[r.IntN(4)]}
				if r.IntN(4) == 0 {
					f = profiles.Frame{Object: f.Object, Address: r.Uint64N(50)}
				}
				frames = append(frames, b.Frame(f))
			}
			if err := b.Add("", frames, r.Int64N(1<<50), 1+r.Int64N(9)); err != nil {
				t.Fatal(err)
			}
		}
		p := b.Profile()
		weight, samples := p.Total()
		for _, by := range granularity.Levels {
			for _, limit := range []int{0, 1, 3, 10, 1000} {
				table, err := Build(p, Options{By: by, Limit: limit})
				if err != nil {
					t.Fatal(err)
				}
				var self, n int64
				for i, row := range table.Rows {
					self, n = self+row.Self, n+row.SelfSamples
					if row.Total != nil && (*row.Total > weight || *row.Total < row.Self) {
						t.Errorf("seed %d by %s: %+v of %d", seed, by, row, weight)
					}
					if i > 0 && row.Kind != Rest && row.Self > table.Rows[i-1].Self {
						t.Errorf("seed %d by %s: row %d is out of order", seed, by, i)
					}
				}
				if self != weight || n != samples {
					t.Errorf("seed %d by %s, limit %d: %d in %d samples, want %d in %d", seed, by, limit, self, n, weight, samples)
				}
				if limit > 0 && len(table.Rows) > limit+1 {
					t.Errorf("seed %d by %s: %d rows at a limit of %d", seed, by, len(table.Rows), limit)
				}
			}
		}
	}
}

// One row alone is not folded into a row that stands for it.
func TestLimitLeavesOne(t *testing.T) {
	for limit, want := range map[int]int{5: 6, 4: 5, 6: 6} { // of 6 rows
		table, err := Build(sampledProfile(t), Options{Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		last := table.Rows[len(table.Rows)-1]
		if len(table.Rows) != want || (last.Kind == Rest) != (limit == 4) || last.Folded == 1 {
			t.Errorf("limit %d: %d rows, the last %+v", limit, len(table.Rows), last)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		p *profiles.Profile
		o Options
	}{{nil, Options{}}, {&profiles.Profile{}, Options{By: "line"}}, {&profiles.Profile{}, Options{Limit: -1}}} {
		if _, err := Build(c.p, c.o); err == nil {
			t.Errorf("%+v: no error", c.o)
		}
	}
	if got, err := Build(&profiles.Profile{}, Options{}); err != nil || len(got.Rows) != 0 {
		t.Errorf("an empty profile: %+v, %v", got, err)
	}
}
