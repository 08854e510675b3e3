package explain_test

import (
	"testing"

	"opcost/perfctl/explain"
	"opcost/profiles"
	"opcost/profiles/diff"
)

// counted is the difference of two profiles with counted calls: main calls f so
// often a query, at so much each, over 100 queries.
func counted(t *testing.T, baseCalls, baseEach, newCalls, newEach int64) *explain.Code {
	t.Helper()
	side := func(version string, calls, each int64) []diff.Side {
		b := profiles.NewBuilder(profiles.Event{Name: "Ir", Unit: profiles.Instructions, Counted: true})
		frame := func(name string) int32 {
			return b.Frame(profiles.Frame{Function: name, Object: "/usr/sbin/mysqld", Space: profiles.User})
		}
		main, f := frame("main"), frame("f")
		for _, s := range []struct {
			frame  int32
			weight int64
		}{{main, 1000}, {f, 100 * calls * each}} {
			if err := b.Add("conn", []int32{s.frame}, s.weight, 0); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Call("conn", main, f, 100*calls, 100*calls*each); err != nil {
			t.Fatal(err)
		}
		p := b.Profile()
		p.About = profiles.About{Version: version, Operations: 100, Per: "statement"}
		return []diff.Side{{Profile: p}}
	}
	table, err := diff.Build(side("old", baseCalls, baseEach), side("new", newCalls, newEach), diff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return explain.CodeOf(table)
}
