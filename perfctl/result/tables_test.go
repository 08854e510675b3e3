package result

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTables(t *testing.T) {
	n := 12.5
	run := aRun("tables", 1)
	w := &run.Passes[0].Windows[0]
	w.Digests = []Digest{
		{Schema: "d", Digest: "ab", Text: "SELECT ?", Count: 3, LatencyUS: 1.5, CPUUS: &n, State: OK},
		{Text: "void", State: Failed, Reason: "emptied"},
	}
	w.Threads = []Thread{
		{TID: 7, Connection: 1<<64 - 1, User: "u", Statement: "select ?", CPUUS: 3, Instructions: &n, Cycles: &n, Scope: User, RunningFraction: 1, State: OK},
		{Others: 4, State: Partial, Reason: "2 ended"},
	}
	got, warnings := mustRead(t, written(t, run))
	if len(got) != 1 || len(warnings) > 0 {
		t.Fatalf("%d runs, %v", len(got), warnings)
	}
	back := got[0].Passes[0].Windows[0]
	if d := cmp.Diff(w.Digests, back.Digests); d != "" {
		t.Errorf("digests (-written +read):\n%s", d)
	}
	if d := cmp.Diff(w.Threads, back.Threads); d != "" {
		t.Errorf("threads (-written +read):\n%s", d)
	}

	bad := -1.0
	for name, change := range map[string]func(){
		"state":                 func() { w.Digests[0].State = "" },
		"reason":                func() { w.Threads[1].Reason = "" },
		"negative":              func() { w.Digests[0].RowsSent = -1 },
		"negative where given":  func() { w.Digests[0].CPUUS = &bad },
		"not a number":          func() { w.Threads[0].CPUUS = math.NaN() },
		"negative instructions": func() { w.Threads[0].Instructions = &bad },
	} {
		digest, thread, other := w.Digests[0], w.Threads[0], w.Threads[1]
		change()
		if err := check(run); err == nil || !strings.Contains(err.Error(), "digest") && !strings.Contains(err.Error(), "thread") {
			t.Errorf("%s: %v", name, err)
		}
		w.Digests[0], w.Threads[0], w.Threads[1] = digest, thread, other
	}
	if err := check(run); err != nil {
		t.Error(err)
	}
}
