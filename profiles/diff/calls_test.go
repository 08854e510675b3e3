package diff

import (
	"math"
	"testing"

	"opcost/profiles"
)

// TestCalls by hand: 30 and 50 calls in 10 queries are 3 and 5 a query; of two
// repeats it is the mean. What is never called has 0, and where one profile has
// not counted calls, no row has any.
func TestCalls(t *testing.T) {
	side := func(calls int64, count bool) Side {
		b := profiles.NewBuilder(profiles.Event{Name: "Ir", Unit: profiles.Instructions, Counted: true})
		main := b.Frame(profiles.Frame{Function: "main", Object: "/usr/sbin/mysqld", Space: profiles.User})
		f := b.Frame(profiles.Frame{Function: "f", Object: "/usr/sbin/mysqld", Space: profiles.User})
		_ = b.Add("t", []int32{main}, 100, 0)
		_ = b.Add("t", []int32{f}, 10*calls, 0)
		if count {
			if err := b.Call("t", main, f, calls, 10*calls); err != nil {
				t.Fatal(err)
			}
		}
		p := b.Profile()
		p.About.Operations = 10
		return Side{Profile: p}
	}
	of := func(base, new []Side, function string) *Calls {
		table, err := Build(base, new, Options{KeepNoise: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range table.Rows {
			if r.Function == function {
				return r.Calls
			}
		}
		t.Fatalf("no row %s", function)
		return nil
	}
	if c := of([]Side{side(30, true)}, []Side{side(50, true)}, "f"); c == nil || c.Base != 3 || c.New != 5 {
		t.Errorf("%+v", c)
	}
	if c := of([]Side{side(30, true)}, []Side{side(50, true)}, "main"); c == nil || c.Base != 0 || c.New != 0 {
		t.Errorf("never called: %+v", c)
	}
	if c := of([]Side{side(30, true), side(20, true)}, []Side{side(50, true), side(60, true)}, "f"); c == nil || math.Abs(c.Base-2.5) > 1e-12 || math.Abs(c.New-5.5) > 1e-12 {
		t.Errorf("of two repeats: %+v", c)
	}
	if c := of([]Side{side(30, true)}, []Side{side(50, false)}, "f"); c != nil {
		t.Errorf("calls that were not counted: %+v", c)
	}
}
