package diff

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/profiles"
	"opcost/profiles/granularity"
)

// small is a profile of stacks written "root;...;leaf" with an object for all.
func small(t *testing.T, e profiles.Event, about profiles.About, object string, stacks map[string]int64) Side {
	t.Helper()
	b := profiles.NewBuilder(e)
	names := make([]string, 0, len(stacks))
	for s := range stacks {
		names = append(names, s)
	}
	slices.Sort(names)
	for _, s := range names {
		var frames []int32
		parts := strings.Split(s, ";")
		for _, name := range slices.Backward(parts) {
			f := profiles.Frame{Function: name, Object: object, Space: profiles.User}
			if strings.HasPrefix(name, "0x") {
				f.Function, f.Address = "", uint64(len(name))
			}
			if name != "" {
				frames = append(frames, b.Frame(f))
			}
		}
		if err := b.Add("", frames, stacks[s], 0); err != nil {
			t.Fatal(err)
		}
	}
	p := b.Profile()
	p.About = about
	return Side{Profile: p}
}

// TestBuild: reckoned by hand. 10 operations in the base, 20 in the new version.
func TestBuild(t *testing.T) {
	base := small(t, instructions, profiles.About{Operations: 10, Binary: "/a/mysqld", Version: "old"}, "/a/mysqld", map[string]int64{
		"do_command;btr_cur_search_to_nth_level":       1000,
		"do_command;btr_cur_search_to_nth_level;0x1":   50, // takes its caller's place
		"do_command;MYSQLparse":                        400,
		"do_command;query_cache_send_result_to_client": 100,
		"": 10,
	})
	new := small(t, instructions, profiles.About{Operations: 20, Binary: "/b/mariadbd", Version: "new"}, "/b/mariadbd", map[string]int64{
		"do_command;btr_cur_search_to_nth_level.part.0": 3000,
		"do_command;btr_cur_search_to_nth_level;0x1":    100,
		"do_command;MYSQLparse(THD*)":                   800,
		"do_command;pfs_start_statement_vc":             200,
		"":                                              20,
	})
	table := build(t, []Side{base}, []Side{new}, Options{})
	share := func(v float64) *float64 { v /= 50; return &v }
	want := []Row{
		{Function: "btr_cur_search_to_nth_level", Object: "server", Subsystem: "InnoDB B-tree", Change: Change{Base: 100, New: 150, Delta: 50}, Share: share(50), State: Both},
		{Function: "pfs_start_statement_vc", Object: "server", Subsystem: "performance_schema", Change: Change{New: 10, Delta: 10}, Share: share(10), State: OnlyNew},
		{Function: "query_cache_send_result_to_client", Object: "server", Subsystem: "session", Change: Change{Base: 10, Delta: -10}, Share: share(-10), State: OnlyBase},
		{Function: "MYSQLparse", Object: "server", Subsystem: "parser", Change: Change{Base: 40, New: 40}, Share: share(0), State: Both},
		{Function: "[no name]", Object: "server", Subsystem: "InnoDB B-tree", Change: Change{Base: 5, New: 5}, Share: share(0), State: Unresolved, Inherited: 1},
		{Function: "[no stack]", Subsystem: "unresolved", Change: Change{Base: 1, New: 1}, Share: share(0), State: Unresolved},
	}
	if d := cmp.Diff(want, table.Rows); d != "" {
		t.Errorf("rows (-want +got)\n%s", d)
	}
	if want := (Change{Base: 156, New: 206, Delta: 50}); table.Total != want {
		t.Errorf("total %+v, want %+v", table.Total, want)
	}
	if got := table.Subsystems[0]; got.Subsystem != "InnoDB B-tree" || got.Base != 105 || got.New != 155 || got.Inherited < 0.03 || got.Inherited > 0.05 {
		t.Errorf("first subsystem %+v", got)
	}
	if got := table.Quality; got.Base.Version != "old" || got.New.Operations != 20 || *got.Named != 1 {
		t.Errorf("quality %+v", got)
	}
}

// TestByObject: the levels above a function.
func TestByObject(t *testing.T) {
	a := small(t, instructions, profiles.About{Operations: 1}, "/x/libc-2.31.so", map[string]int64{"malloc": 3, "0x1": 2})
	b := small(t, instructions, profiles.About{Operations: 1}, "/y/libc.so.6", map[string]int64{"malloc": 7, "0x1": 2})
	for by, want := range map[granularity.Level][]string{
		granularity.Object:    {"/libc.so"},
		granularity.Name:      {"malloc/", "[no name]/libc.so"},
		granularity.Subsystem: {"/", "/"},
	} {
		var got []string
		for _, r := range build(t, []Side{a}, []Side{b}, Options{By: by}).Rows {
			got = append(got, r.Function+"/"+r.Object)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("by %s (-want +got)\n%s", by, d)
		}
	}
	if _, err := Build([]Side{a}, []Side{b}, Options{By: "line"}); err == nil {
		t.Error("by line: no error")
	}
}

// TestMicroseconds: CPU is sampled in nanoseconds and told in microseconds.
func TestMicroseconds(t *testing.T) {
	e := profiles.Event{Name: "cpu-clock", Unit: profiles.Nanoseconds}
	a := small(t, e, profiles.About{Operations: 10}, "/m", map[string]int64{"f": 50_000})
	b := small(t, e, profiles.About{Operations: 10}, "/m", map[string]int64{"f": 90_000})
	if got := build(t, []Side{a}, []Side{b}, Options{}); got.Unit != "us" || got.Total.Base != 5 || got.Total.New != 9 {
		t.Errorf("%s %+v, want 5 and 9 us", got.Unit, got.Total)
	}
}

// TestUnlike: what must not be compared is an error that says what to do; what may
// explain a change is a warning.
func TestUnlike(t *testing.T) {
	at := func(e profiles.Event, a profiles.About) Side {
		return small(t, e, a, "/m", map[string]int64{"f": 1})
	}
	ten := profiles.About{Operations: 10}
	good := at(instructions, ten)
	for name, c := range map[string]struct {
		other Side
		want  string
	}{
		"event":      {at(profiles.Event{Name: "cycles", Unit: profiles.Instructions, Counted: true}, ten), "unlike events"},
		"scope":      {at(profiles.Event{Name: "Ir:u", Unit: profiles.Instructions, Counted: true}, ten), "unlike events"},
		"unit":       {at(profiles.Event{Name: "Ir", Unit: profiles.Events, Counted: true}, ten), "is in events"},
		"counted":    {at(profiles.Event{Name: "Ir", Unit: profiles.Instructions}, ten), "sampled"},
		"per":        {at(instructions, profiles.About{Operations: 10, Per: "row"}), "per row"},
		"operations": {at(instructions, profiles.About{}), "give their number"},
		"missing":    {Side{}, "missing"},
	} {
		for _, sides := range [][2][]Side{{{good}, {c.other}}, {{good, c.other}, {good}}} {
			_, err := Build(sides[0], sides[1], Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
		}
	}
	if _, err := Build(nil, []Side{good}, Options{}); err == nil {
		t.Error("no base: no error")
	}
	same := map[string]string{"cycles:P": "cycles", "cpu/cycles/": "cycles", "cpu/cycles/u": "cycles:u", "instructions:upp": "instructions:u"}
	for a, b := range same {
		x, y := at(profiles.Event{Name: a, Unit: profiles.Cycles}, ten), at(profiles.Event{Name: b, Unit: profiles.Cycles}, ten)
		if _, err := Build([]Side{x}, []Side{y}, Options{}); err != nil {
			t.Errorf("%s and %s: %v", a, b, err)
		}
	}
	for _, pair := range [][2]string{{"cycles:u", "cycles"}, {"cpu_core/cycles/", "cpu_atom/cycles/"}, {"sched:sched_switch", "sched:sched_wakeup"}} {
		x, y := at(profiles.Event{Name: pair[0], Unit: profiles.Events}, ten), at(profiles.Event{Name: pair[1], Unit: profiles.Events}, ten)
		if _, err := Build([]Side{x}, []Side{y}, Options{}); err == nil {
			t.Errorf("%s and %s are compared", pair[0], pair[1])
		}
	}
	other := at(instructions, profiles.About{Operations: 10, Workload: "b", Clients: 4})
	first := at(instructions, profiles.About{Operations: 10, Workload: "a", Clients: 4})
	if w := build(t, []Side{first}, []Side{other}, Options{}).Quality.Warnings; len(w) != 1 || !strings.Contains(w[0], "workload") {
		t.Errorf("warnings %q, want one of the workload", w)
	}
}

// TestJSON: the keys that are promised.
func TestJSON(t *testing.T) {
	a := small(t, instructions, profiles.About{Operations: 1}, "/m", map[string]int64{"f": 1, "0x1": 4})
	text, err := json.Marshal(build(t, []Side{a}, []Side{a}, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"event", "unit", "per", "total", "rows", "subsystems", "quality"} {
		if got[key] == nil {
			t.Errorf("no %q in %s", key, text)
		}
	}
	for _, key := range []string{"base", "new", "delta"} {
		if _, ok := got["total"].(map[string]any)[key].(float64); !ok {
			t.Errorf("no number %q in the total of %s", key, text)
		}
	}
	for _, key := range []string{"function", "object", "subsystem", "base", "new", "delta", "share", "state"} {
		if _, ok := got["rows"].([]any)[0].(map[string]any)[key]; !ok {
			t.Errorf("no %q in the first row of %s", key, text)
		}
	}
}
