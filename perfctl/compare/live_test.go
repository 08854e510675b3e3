package compare

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/perfctl/result"
)

// A prepared execution is in questions, com_stmt_execute and com_select at once
// (seen in MariaDB 10.11): 600 of 1,000 statements are SELECTs however they are
// sent, and what has no counter of its own is "other".
func TestKinds(t *testing.T) {
	lt := Live(live("statement", func(w *result.Window) {
		w.Readings = []result.Reading{status("questions", 1000), status("com_select", 600), status("com_stmt_execute", 900),
			status("com_stmt_prepare", 3), status("com_update", 250), status("com_delete", 0), status("qcache_hits", 50), wentBack("com_insert")}
	}))
	type row struct {
		label     string
		n, second float64
		share     float64 // -1: none
		apart     bool
	}
	var got []row
	for _, k := range lt.Kinds {
		s := -1.0
		if k.Share != nil {
			s = *k.Share
		}
		got = append(got, row{k.Label, value(k.Count), value(k.PerSecond), s, k.Apart})
	}
	want := []row{{"SELECT", 600, 60, 0.6, false}, {"UPDATE", 250, 25, 0.25, false}, {"SELECT from the query cache", 50, 5, 0.05, false},
		{"other", 100, 10, 0.1, false}, {"of these, prepared executions", 900, 90, 0.9, true}, {"statements prepared", 3, 0.3, 0.003, true}, {"INSERT", 0, 0, -1, false}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(row{})); d != "" {
		t.Error(d)
	}
	last := lt.Kinds[len(lt.Kinds)-1]
	if last.Count != nil || last.State != result.Failed || !strings.Contains(last.Reason, "went back") {
		t.Errorf("the void counter: %+v", last)
	}
	if len(lt.Warnings) != 1 || lt.Warnings[0].Text != "com_insert is void: the counter went back from 9 to 2" {
		t.Errorf("warnings %v", lt.Warnings)
	}
	if *lt.Operations != 1000 || lt.Seconds != 10 || *lt.Statements != 1000 {
		t.Errorf("%+v", lt)
	}
}

func TestKindsWithoutTotal(t *testing.T) {
	lt := Live(live("statement", func(w *result.Window) {
		w.Readings = []result.Reading{wentBack("questions"), status("com_select", 600)}
	}))
	if lt.Statements != nil || len(lt.Kinds) != 1 || lt.Kinds[0].Share != nil {
		t.Errorf("shares of a void total: %+v", lt)
	}
}

func TestKindsOfStoredPrograms(t *testing.T) {
	lt := Live(live("statement", func(w *result.Window) {
		w.Readings = []result.Reading{status("questions", 100), status("com_call_procedure", 100), status("com_select", 300)}
	}))
	if len(lt.Kinds) != 2 || len(lt.Warnings) != 1 || !strings.Contains(lt.Warnings[0].Text, "300 more statements") {
		t.Errorf("%+v", lt)
	}
}

func TestVoidedAreNamed(t *testing.T) {
	lt := Live(live("statement", func(w *result.Window) {
		p := status("com_update", 3)
		p.State, p.Reason = result.Partial, "FLUSH STATUS ran"
		w.Readings = []result.Reading{wentBack("com_insert"), wentBack("handler_write"), p}
	}))
	want := []string{"2 of the server's counters are void (com_insert, handler_write); the first: the counter went back from 9 to 2", "com_update is partial: FLUSH STATUS ran"}
	var got []string
	for _, w := range lt.Warnings {
		got = append(got, w.Text)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestDigestCosts(t *testing.T) {
	us := 400.0
	a := digest("d", "SELECT ?", 200, 3000)
	a.CPUUS, a.RowsExamined, a.RowsSent = &us, 1000, 200
	void := digest("d", "UPDATE", 7, 1)
	void.State, void.Reason = result.Failed, "went back"
	lt := Live(live("statement", func(w *result.Window) {
		w.Digests = []result.Digest{void, digest("d", "COMMIT", 100, 1000), a}
		w.Readings = []result.Reading{result.Lacking("digest_cpu_us", "us", result.SourceServer, "", result.Unsupported, "off", "switch it on")}
	}))
	d := lt.Digests[0]
	near(t, "a second", d.PerSecond, 20, 0)
	near(t, "share", d.LatencyShare, 0.75, 0)
	near(t, "latency", d.LatencyUS, 15, 0)
	near(t, "CPU", d.CPUUS, 2, 0)
	near(t, "examined", d.RowsExamined, 5, 0)
	near(t, "sent", d.RowsSent, 1, 0)
	if lt.Digests[1].CPUUS != nil || lt.CPULack == nil || lt.CPULack.Remedy != "switch it on" {
		t.Errorf("CPU that was not collected: %+v, %+v", lt.Digests[1], lt.CPULack)
	}
	if v := lt.Digests[2]; v.Text != "UPDATE" || v.Count != nil || v.LatencyUS != nil || v.PerSecond != nil || v.Reason != "went back" {
		t.Errorf("void: %+v", v)
	}
}

func TestThreadCosts(t *testing.T) {
	in, cy := 2e9, 1e9
	lt := Live(live(perSecond, func(w *result.Window) {
		w.Threads = []result.Thread{
			{TID: 1, CPUUS: 1e6, Voluntary: 50, RunQueueUS: 2e6, State: result.OK},
			{TID: 2, CPUUS: 3e6, Voluntary: 10, Involuntary: 20, Instructions: &in, Cycles: &cy, RunningFraction: 0.5, State: result.OK},
			{TID: 0, Others: 9, CPUUS: 6e6, State: result.OK},
			{TID: 4, State: result.Failed, Reason: "it ended"},
		}
		w.Readings = []result.Reading{result.Lacking("collector_digest", "", result.SourceServer, "", result.Unsupported, "performance_schema is off", "restart")}
	}))
	if lt.Operations != nil || lt.Per != "second" {
		t.Errorf("operations of a window that has none: %+v", lt)
	}
	b := lt.Threads[0]
	if b.TID != 2 || lt.Threads[1].TID != 1 || lt.Threads[2].TID != 4 || lt.Threads[3].Others != 9 {
		t.Errorf("order: %+v", lt.Threads)
	}
	near(t, "CPU %", b.CPUPercent, 30, 0)
	near(t, "CPU share", b.CPUShare, 0.3, 0)
	near(t, "IPC", b.IPC, 2, 0)
	near(t, "instructions", b.InstructionsPerSecond, 2e8, 0)
	near(t, "wait %", lt.Threads[1].RunQueuePercent, 20, 0)
	if v := lt.Threads[2]; v.CPUUS != nil || v.CPUPercent != nil || v.Voluntary != nil {
		t.Errorf("a thread that could not be read: %+v", v)
	}
	if lt.DigestsLack == nil || lt.DigestsLack.Remedy != "restart" {
		t.Errorf("why no digests: %+v", lt.DigestsLack)
	}
	for o, want := range map[Order]int{ByCPU: 2, ByCount: 1, ByWait: 1, ByLatency: 2} {
		if s := lt.Sorted(o); s.Threads[0].TID != want || s.Threads[3].Others != 9 {
			t.Errorf("by %s: %+v", o, s.Threads)
		}
	}
}

func TestTopAddsUp(t *testing.T) {
	one, two := 100.0, 200.0
	lt := Live(live("statement", func(w *result.Window) {
		a, b, c := digest("d", "a", 10, 5000), digest("d", "b", 10, 400), digest("d", "c", 30, 100)
		a.CPUUS, b.CPUUS, c.CPUUS = &one, &one, &two
		b.RowsExamined = 80
		void := digest("d", "v", 0, 0)
		void.State = result.Failed
		w.Digests = []result.Digest{a, b, c, void}
		w.Threads = []result.Thread{{TID: 1, CPUUS: 4e6, State: result.OK}, {TID: 2, CPUUS: 2e6, Voluntary: 20, State: result.OK}, {Others: 5, CPUUS: 1e6, State: result.OK}}
		w.Readings = []result.Reading{status("questions", 100), status("com_select", 40), status("com_update", 30), status("com_delete", 20), status("com_begin", 10), status("com_stmt_execute", 9)}
	})).Top(2, 1, 1)
	if len(lt.Kinds) != 4 || lt.Kinds[2].Label != "2 other kinds" || *lt.Kinds[2].Count != 30 || !lt.Kinds[3].Apart {
		t.Errorf("kinds %+v", lt.Kinds)
	}
	near(t, "share of other kinds", lt.Kinds[2].Share, 0.3, 1e-12)
	d := lt.Digests[1]
	if len(lt.Digests) != 2 || d.Others != 3 || *d.Count != 40 || d.State != result.Partial {
		t.Errorf("digests %+v", d)
	}
	near(t, "latency of the rest", d.LatencyUS, 500./40, 1e-12)
	near(t, "CPU of the rest", d.CPUUS, 300./40, 1e-12)
	near(t, "examined by the rest", d.RowsExamined, 2, 1e-12)
	near(t, "share of the rest", d.LatencyShare, 500./5500, 1e-12)
	th := lt.Threads[1]
	if len(lt.Threads) != 2 || th.Others != 6 {
		t.Errorf("threads %+v", th)
	}
	near(t, "CPU of other threads", th.CPUUS, 3e6, 0)
	near(t, "switches of other threads", th.VoluntaryPerSecond, 2, 0)
}

func TestLiveOfNoWindow(t *testing.T) {
	lt := Live(result.Run{Version: "v"})
	if lt.KindsLack == nil || lt.Kinds == nil || lt.Digests == nil || lt.Threads == nil {
		t.Errorf("%+v", lt)
	}
}
