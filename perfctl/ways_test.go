package perfctl

import (
	"strings"
	"testing"
	"time"

	"opcost/collectors/callgrind"
	"opcost/collectors/probe"
	"opcost/perfctl/plan"
	"opcost/perfctl/result"
	"opcost/perfctl/workload"
)

func caps(pmu, valgrind bool) probe.Caps {
	c := probe.Caps{}
	c.Perf.PMU = probe.Ability{OK: pmu, Reason: "no PMU here", Remedy: "use another machine"}
	c.Valgrind.Ability = probe.Ability{OK: valgrind, Reason: "not installed", Remedy: "apt-get install valgrind"}
	return c
}

func TestChooseTakesTheBestThatCounts(t *testing.T) {
	for _, c := range []struct {
		name     string
		counters plan.Counters
		caps     probe.Caps
		passes   string // kinds
		lacking  string // names of readings that say why
		err      string
	}{
		{"a PMU", plan.CountersAuto, caps(true, true), "count", "", ""},
		{"valgrind", plan.CountersAuto, caps(false, true), "count callgrind", "cycles", ""},
		{"neither", plan.CountersAuto, caps(false, false), "count", "cycles instructions", ""},
		{"perf asked for", plan.CountersPerf, caps(true, false), "count", "", ""},
		{"perf asked for in vain", plan.CountersPerf, caps(false, true), "", "", "no PMU here"},
		{"callgrind asked for", plan.CountersCallgrind, caps(true, true), "count callgrind", "", ""},
		{"callgrind asked for in vain", plan.CountersCallgrind, caps(true, false), "", "", "apt-get install valgrind"},
		{"none", plan.CountersNone, caps(false, true), "count", "instructions cycles", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ws, err := choose(c.counters, c.caps)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want one with %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var kinds, lacking []string
			for _, w := range ws {
				kinds = append(kinds, string(w.kind))
				for _, r := range w.lacking {
					if c.name == "neither" && r.Name == "instructions" && (!strings.Contains(r.Remedy, "another machine") || !strings.Contains(r.Remedy, "valgrind")) {
						t.Errorf("remedy %q names not both ways", r.Remedy)
					}
					lacking = append(lacking, r.Name)
					if r.Reason == "" || r.Remedy == "" || r.State.Usable() {
						t.Errorf("lacking without reason and remedy: %+v", r)
					}
				}
			}
			if got := strings.Join(kinds, " "); got != c.passes {
				t.Errorf("passes %q, want %q", got, c.passes)
			}
			if got := strings.Join(lacking, " "); got != c.lacking {
				t.Errorf("lacking %q, want %q", got, c.lacking)
			}
		})
	}
}

// TestChooseWithoutTheKernelsSide: an unprivileged user's table says why the
// kernel's instructions are missing.
func TestChooseWithoutTheKernelsSide(t *testing.T) {
	c := caps(true, false)
	c.Perf.Events = map[string]probe.Event{
		"instructions:u": {Ability: probe.Ability{OK: true}},
		"instructions:k": {Ability: probe.Ability{Reason: "no permission", Remedy: "sysctl kernel.perf_event_paranoid=1"}},
	}
	ws, err := choose(plan.CountersAuto, c)
	if err != nil || len(ws) != 1 || len(ws[0].lacking) != 1 {
		t.Fatalf("%+v, %v", ws, err)
	}
	if r := ws[0].lacking[0]; r.Name != "instructions_kernel" || r.Scope != result.Kernel || !strings.Contains(r.Remedy, "paranoid") {
		t.Errorf("%+v", r)
	}
}

func TestPassesOfACell(t *testing.T) {
	p := &plan.Plan{Tables: 2, Rows: 300, Warmup: time.Second, Duration: 3 * time.Second}
	under := way{kind: result.PassCallgrind}
	ps := under.passes(p, scan, probe.Caps{}, callgrind.Wrapper{})
	if len(ps) != 1 || ps[0].Length.Operations != 600 || ps[0].Length.Duration != 0 {
		t.Errorf("callgrind, scan: %+v; want one window of the tables' 600 rows", ps)
	}
	if l := under.warmup(p, point); l.Duration != 0 || l.Operations == 0 {
		t.Errorf("warm-up under callgrind: %v; want a number of operations", l)
	}
	if a, b := instructionOps(p, point), instructionOps(p, workload.Test{Range: 10_000}); a <= b || b < 50 {
		t.Errorf("%d point queries, %d ranges of 10,000: the costlier needs fewer, and not too few", a, b)
	}

	count := way{kind: result.PassCount}
	ps = count.passes(p, point, probe.Caps{}, callgrind.Wrapper{})
	var names []string
	for _, c := range ps[0].Collectors {
		names = append(names, c.Name())
	}
	// The status reads cost the server CPU, so they must be outermost.
	if got := strings.Join(names, " "); len(ps) != 1 || got != "mysqlstatus host proc" {
		t.Errorf("collectors without perf: %q", got)
	}
}
