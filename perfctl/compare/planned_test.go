package compare

import (
	"slices"
	"testing"
	"time"

	"opcost/perfctl/result"
)

// TestPlanned: a report from disk has the base and the order of the plan, not
// those in which the runs happened to be measured.
func TestPlanned(t *testing.T) {
	run := func(version string, place, second int) result.Run {
		return result.Run{PlanHash: "p", Base: "new", Version: version, Place: place, Started: time.Unix(int64(second), 0)}
	}
	runs := []result.Run{run("old", 0, 2), run("new", 1, 1)}
	if r := Build(runs, Options{}); r.Base != "new" || !slices.Equal(r.Versions, []string{"old", "new"}) {
		t.Errorf("base %q, versions %v", r.Base, r.Versions)
	}
	runs[1].PlanHash = "another"
	if r := Build(runs, Options{}); r.Base != "new" || !slices.Equal(r.Versions, []string{"new", "old"}) {
		t.Errorf("two plans: base %q, versions %v; want those measured first", r.Base, r.Versions)
	}
}

// TestUnderCallgrindOptions: what valgrind needs of every server is no
// difference between the runs of a version.
func TestUnderCallgrindOptions(t *testing.T) {
	run := func(kind result.PassKind, aio string) result.Run {
		return result.Run{Version: "a", Passes: []result.Pass{{Kind: kind}}, Server: result.Server{Variables: map[string]string{"innodb_use_native_aio": aio}}}
	}
	both := Build([]result.Run{run(result.PassCount, "ON"), run(result.PassCallgrind, "OFF")}, Options{})
	counted := Build([]result.Run{run(result.PassCount, "ON"), run(result.PassCount, "OFF")}, Options{})
	mixed := func(w result.Warning) bool { return w.Code == "mixed" }
	if slices.ContainsFunc(both.Warnings, mixed) || !slices.ContainsFunc(counted.Warnings, mixed) {
		t.Errorf("with a callgrind run: %v\nwithout: %v", both.Warnings, counted.Warnings)
	}
}
