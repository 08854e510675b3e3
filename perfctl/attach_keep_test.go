package perfctl

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"opcost/collectors"
	"opcost/collectors/perfstat"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
	"opcost/perfctl/window"
)

// leaving is a server that goes away after a time, as seen by what reads it: it
// does 1,000 operations a second, and each costs 1.
type leaving struct {
	start       time.Time
	gone, ended time.Duration // our connection, the process; 0: never
}

func (l *leaving) since() time.Duration { return time.Since(l.start) }
func (l *leaving) Read(context.Context) (result.OpCount, error) {
	if l.start.IsZero() {
		l.start = time.Now()
	}
	if l.gone > 0 && l.since() > l.gone {
		return result.OpCount{}, errors.New("the connection was lost")
	}
	return result.OpCount{Source: result.SourceServer, Per: "statement", End: l.since().Milliseconds()}, nil
}
func (l *leaving) Ended() bool { return l.ended > 0 && l.since() > l.ended }

// again reads the server's costs, at each edge and in between.
type again struct {
	*leaving
	name string
	end  int64
	fail error // of the last End
}

func (a *again) Name() string { return a.name }
func (a *again) Arm(context.Context, collectors.Target, probe.Caps) (collectors.Armed, error) {
	return a, nil
}
func (a *again) Begin(context.Context) error { return nil }
func (a *again) End(context.Context) error {
	if a.Ended() {
		return errors.New("no such process")
	}
	if a.fail != nil && a.since() > 1500*time.Millisecond {
		return a.fail
	}
	a.end = a.since().Milliseconds()
	return nil
}
func (a *again) Rereadable() {}
func (a *again) Close() ([]result.Reading, error) {
	return []result.Reading{result.Got("of_"+a.name, float64(a.end), "count", result.SourceProc, "")}, nil
}

// once is a collector that can read its end only once.
type once struct{ collectors.Armed }

func (o once) Name() string { return "once" }
func (o once) Arm(context.Context, collectors.Target, probe.Caps) (collectors.Armed, error) {
	return o, nil
}

func TestKeep(t *testing.T) {
	for _, c := range []struct {
		name        string
		gone, ended time.Duration
		fail        error
		length      time.Duration
		kept        int64 // operations, of which costs are as many
		err, reason string
	}{
		{"nothing happens", 0, 0, nil, 1200 * time.Millisecond, 1200, "", ""},
		{"the server ends", 0, 1400 * time.Millisecond, nil, time.Minute, 1000, "", "the server has ended, 1.4s after the window's begin; the values are of its first 1s"},
		{"at once", 0, 400 * time.Millisecond, nil, time.Minute, 0, "the server has ended, 400ms after the window's begin: nothing of it can be kept", ""},
		{"the connection, then the server", 1200 * time.Millisecond, 2500 * time.Millisecond, nil, time.Minute, 1000, "", "the server has ended"},
		{"the connection", 1200 * time.Millisecond, 0, nil, 2200 * time.Millisecond, 1000, "", "the connection was lost"},
		{"a reading", 0, 0, errors.New("it is hidden"), time.Minute, 2000, "", "late: it is hidden"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := &leaving{gone: c.gone, ended: c.ended}
			p := Pass{Length: window.Length{Duration: c.length}, Ended: l.Ended, Collectors: []collectors.Collector{
				once{&again{leaving: l, name: "single"}}, &again{leaving: l, name: "late", fail: c.fail}, &again{leaving: l, name: "proc"},
			}}
			w, err := Measure(context.Background(), collectors.Target{}, p, l, nil)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("%v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if (w.State == result.Partial) != (c.reason != "") || !strings.Contains(w.Reason, c.reason) {
				t.Errorf("%s: %q, want %q", w.State, w.Reason, c.reason)
			}
			// A busy machine reads late, and the length and the count with it.
			n := w.Ops.N()
			if n < c.kept || n > c.kept+900 || max(n-w.DurationNS/1e6, w.DurationNS/1e6-n) > 300 || w.EdgeNS[1] <= 0 {
				t.Errorf("%d operations in %v, edge %v; want %d", n, time.Duration(w.DurationNS), time.Duration(w.EdgeNS[1]), c.kept)
			}
			cost, known := value(w, "of_proc")
			if !known || cost < float64(n) || cost > float64(n)+300 {
				t.Errorf("cost %v of %d operations: it is of another moment", cost, n)
			}
			// What has no value at the moment that is kept has none at all.
			if _, known := value(w, "of_single"); known != (c.reason == "") {
				t.Errorf("what is read once: known %v", known)
			}
			if _, known := value(w, "of_late"); known != (c.fail == nil) {
				t.Errorf("what failed: known %v", known)
			}
		})
	}
}

// TestSharedStatus: the operations and the collector of the server's status take
// one answer at each edge.
func TestSharedStatus(t *testing.T) {
	ctx := context.Background()
	rows := func(n string) [][]string { return [][]string{{"Uptime", "9"}, {"questions", n}, {"Threads", "x"}} }
	sql := &status{answers: [][][]string{rows("100"), rows("205"), rows("310")}}
	o := &StatusOps{SQL: sql, Per: "statement", Names: []string{"Questions"}, Own: true}
	collector := o.forCollector()
	read := func() result.OpCount {
		t.Helper()
		c, err := o.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	query := func() string {
		t.Helper()
		got, err := collector.Query(ctx, showStatus)
		if err != nil {
			t.Fatal(err)
		}
		return got[1][1]
	}
	if first, begin := query(), read(); first != "100" || begin.End != 99 {
		t.Errorf("begin: %s, %d", first, begin.End)
	}
	// At the end the other way round, and in between once more.
	for i, want := range []struct {
		n    int64
		text string
	}{{203, "205"}, {307, "310"}} {
		if end, last := read(), query(); end.End != want.n || last != want.text || end.Uncertainty < 0 {
			t.Errorf("end %d: %d, %s; want %+v", i, end.End, last, want)
		}
	}
	if len(sql.asked) != 3 {
		t.Errorf("asked %d times: %q", len(sql.asked), sql.asked)
	}
	if _, err := collector.Query(ctx, showStatus); err == nil {
		t.Error("an answer was given twice")
	}
}

func TestWithoutOwn(t *testing.T) {
	w := result.Window{
		Threads: []result.Thread{{TID: 1, CPUUS: 900, State: result.OK, Connection: 4}, {TID: 2, CPUUS: 100, Voluntary: 3, Involuntary: 1, RunQueueUS: 7, Own: true, Connection: 5, State: result.OK}},
		Readings: []result.Reading{
			result.Got("cpu_us", 1000, "us", result.SourceProc, result.UserKernel),
			result.Got("context_switches", 50, "count", result.SourceProc, result.UserKernel),
			result.Got("run_queue_us", 5, "us", result.SourceProc, result.UserKernel),
			result.Got("page_faults", 5, "count", result.SourceProc, result.UserKernel),
			result.Lacking("cpu_connection_us", "us", result.SourceProc, result.UserKernel, result.Unsupported, "not known", ""),
		},
	}
	withoutOwn(&w)
	byThread(&w)
	for name, want := range map[string]float64{"cpu_us": 900, "context_switches": 46, "run_queue_us": 0, "page_faults": 5, "cpu_connection_us": 900} {
		if got, known := value(w, name); !known || got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestHardwareOnly: of perf's software events only the clock stays, beside
// events that need it.
func TestHardwareOnly(t *testing.T) {
	sets := hardwareOnly([]perfstat.EventSet{
		{Name: "core", Groups: [][]string{{"instructions:u", "cycles:u"}, {"task-clock"}, {"context-switches"}, {"cpu-migrations"}, {"page-faults"}}},
		{Name: "software", Groups: [][]string{{"task-clock"}, {"context-switches"}}},
		{Name: "branches", Groups: [][]string{{"instructions:u", "branches"}, {"task-clock"}}},
	})
	var text []string
	for _, s := range sets {
		for _, g := range s.Groups {
			text = append(text, s.Name+":"+strings.Join(g, "+"))
		}
	}
	if got, want := strings.Join(text, " "), "core:instructions:u+cycles:u core:task-clock branches:instructions:u+branches branches:task-clock"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
