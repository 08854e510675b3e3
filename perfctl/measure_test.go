package perfctl

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"opcost/collectors"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
	"opcost/perfctl/window"
)

// story writes down in which order things happened.
type story struct{ lines []string }

func (s *story) add(l string) { s.lines = append(s.lines, l) }

type fakeCollector struct {
	story             *story
	name              string
	arm, begin, close error
}

func (f fakeCollector) Name() string { return f.name }
func (f fakeCollector) Arm(context.Context, collectors.Target, probe.Caps) (collectors.Armed, error) {
	f.story.add(f.name + " armed")
	if f.arm != nil {
		return nil, f.arm
	}
	return f, nil
}
func (f fakeCollector) Begin(context.Context) error { f.story.add(f.name + " begun"); return f.begin }
func (f fakeCollector) End(context.Context) error   { f.story.add(f.name + " ended"); return nil }
func (f fakeCollector) Close() ([]result.Reading, error) {
	f.story.add(f.name + " closed")
	return []result.Reading{result.Got("of_"+f.name, 1000, "count", result.SourceProc, "")}, f.close
}

// fakeLoad does an operation each time it is asked to, and tells its gate.
type fakeLoad struct {
	story *story
	n     atomic.Int64
	fail  error
}

func (l *fakeLoad) Quiesce(context.Context) error { l.story.add("gate closed"); return l.fail }
func (l *fakeLoad) Release(p window.Phase) <-chan struct{} {
	l.story.add("gate open: " + p.Name)
	done := make(chan struct{})
	l.n.Add(max(p.Operations, 7))
	if p.Operations > 0 || l.fail != nil {
		close(done)
	}
	return done
}
func (l *fakeLoad) Read(context.Context) (result.OpCount, error) {
	l.story.add("operations read")
	return result.OpCount{Source: result.SourceClient, Per: "statement", End: l.n.Load()}, nil
}

func TestMeasureReadsTheEdgesBehindTheGate(t *testing.T) {
	s := &story{}
	load := &fakeLoad{story: s}
	load.n.Store(100)
	p := Pass{Phase: "count-0", Length: window.Length{Operations: 50}, Collectors: []collectors.Collector{
		fakeCollector{story: s, name: "slow"}, fakeCollector{story: s, name: "fast"},
	}}
	w, err := Measure(context.Background(), collectors.Target{Tag: "w0"}, p, load, load)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"gate closed", "slow armed", "fast armed", "slow begun", "fast begun", "operations read", "gate open: count-0",
		"gate closed", "operations read", "fast ended", "slow ended", "slow closed", "fast closed",
	}
	if !slices.Equal(s.lines, want) {
		t.Errorf("order:\n%s\nwant:\n%s", strings.Join(s.lines, "\n"), strings.Join(want, "\n"))
	}
	if w.Ops.Begin != 100 || w.Ops.N() != 50 || !w.Gated || w.State != result.OK || len(w.Readings) != 2 {
		t.Errorf("window: %+v", w)
	}
	for _, r := range w.Readings {
		if r.Uncertainty != 0 {
			t.Errorf("%s: uncertainty %v behind a gate", r.Name, r.Uncertainty)
		}
	}
}

func TestMeasureKeepsWhatWorks(t *testing.T) {
	s := &story{}
	load := &fakeLoad{story: s}
	p := Pass{Length: window.Length{Operations: 1}, Collectors: []collectors.Collector{
		fakeCollector{story: s, name: "lacking", arm: &collectors.Unsupported{What: "instructions", Reason: "no PMU", Remedy: "use a machine with one"}},
		fakeCollector{story: s, name: "failing", begin: errors.New("broken pipe")},
		fakeCollector{story: s, name: "good"},
	}}
	w, err := Measure(context.Background(), collectors.Target{}, p, load, load)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]result.Reading{}
	for _, r := range w.Readings {
		got[r.Name] = r
	}
	if r := got["collector_lacking"]; r.State != result.Unsupported || !strings.Contains(r.Reason, "no PMU") || r.Remedy == "" {
		t.Errorf("lacking: %+v", r)
	}
	if r := got["collector_failing"]; r.State != result.Failed || !strings.Contains(r.Reason, "broken pipe") {
		t.Errorf("failing: %+v", r)
	}
	if r := got["of_good"]; r.State != result.OK {
		t.Errorf("good: %+v", r)
	}
	if slices.Contains(s.lines, "failing ended") {
		t.Error("a collector that did not begin was ended")
	}
	if !slices.Contains(s.lines, "failing closed") {
		t.Error("a collector that was armed was not closed")
	}
}

// tabled has tables beside its readings.
type tabled struct{ fakeCollector }

func (f tabled) Arm(ctx context.Context, t collectors.Target, c probe.Caps) (collectors.Armed, error) {
	_, err := f.fakeCollector.Arm(ctx, t, c)
	return f, err
}
func (tabled) Digests() []result.Digest { return []result.Digest{{Text: "SELECT ?", State: result.OK}} }
func (tabled) Threads() []result.Thread { return []result.Thread{{TID: 7, State: result.OK}} }

func TestMeasureTakesTables(t *testing.T) {
	s := &story{}
	load := &fakeLoad{story: s}
	p := Pass{Length: window.Length{Operations: 1}, Collectors: []collectors.Collector{
		fakeCollector{story: s, name: "lacking", arm: &collectors.Unsupported{What: "digests", Reason: "off"}},
		tabled{fakeCollector{story: s, name: "tabled"}},
		fakeCollector{story: s, name: "plain"},
	}}
	w, err := Measure(context.Background(), collectors.Target{}, p, load, load)
	if err != nil || len(w.Digests) != 1 || len(w.Threads) != 1 || w.Threads[0].TID != 7 || len(w.Readings) != 3 {
		t.Errorf("%+v, %v", w, err)
	}
}

func TestMeasureCutShort(t *testing.T) {
	s := &story{}
	ctx, cancel := context.WithCancelCause(context.Background())
	load := &fakeLoad{story: s}
	p := Pass{Length: window.Length{Duration: time.Hour}, Collectors: []collectors.Collector{fakeCollector{story: s, name: "good"}}}
	time.AfterFunc(20*time.Millisecond, func() { cancel(errors.New("interrupted")) })
	w, err := Measure(ctx, collectors.Target{}, p, load, load)
	if err != nil || w.State != result.Partial || !strings.Contains(w.Reason, "interrupted") || w.Ops.N() != 7 || len(w.Readings) != 1 {
		t.Errorf("interrupted: %+v, %v", w, err)
	}

	load = &fakeLoad{story: s, fail: nil}
	failing := &failsInside{fakeLoad: load}
	w, err = Measure(context.Background(), collectors.Target{}, p, failing, failing)
	if err != nil || w.State != result.Partial || !strings.Contains(w.Reason, "server has gone away") {
		t.Errorf("load failed: %+v, %v", w, err)
	}

	// The built-in client says in its count that it has failed; what it did counts.
	for _, c := range []struct {
		last result.OpCount
		kept bool
	}{{result.OpCount{Source: result.SourceClient, Per: "statement", End: 12}, true}, {result.OpCount{}, false}} {
		failing = &failsInside{fakeLoad: &fakeLoad{story: s}, last: &c.last}
		failing.n.Store(5)
		w, err = Measure(context.Background(), collectors.Target{}, p, failing, failing)
		if !c.kept {
			if err == nil || !strings.Contains(err.Error(), "operations at the window's end: gone") {
				t.Errorf("a count that is not known: %+v, %v", w, err)
			}
			continue
		}
		if err != nil || w.State != result.Partial || w.Ops.N() != 7 || len(w.Readings) != 1 || w.DurationNS <= 0 {
			t.Errorf("a count until the load failed: %+v, %v", w, err)
		}
	}
}

// failsInside is a load that fails after the gate was opened.
type failsInside struct {
	*fakeLoad
	open bool
	last *result.OpCount // read then, with an error; nil: the load's own
}

func (f *failsInside) Read(ctx context.Context) (result.OpCount, error) {
	if f.open && f.last != nil {
		return *f.last, errors.New("gone")
	}
	return f.fakeLoad.Read(ctx)
}

func (f *failsInside) Quiesce(ctx context.Context) error {
	if f.open {
		return errors.New("server has gone away")
	}
	return f.fakeLoad.Quiesce(ctx)
}
func (f *failsInside) Release(window.Phase) <-chan struct{} {
	f.open = true
	done := make(chan struct{})
	close(done)
	return done
}

// TestMeasureWithoutGate: the time between a collector's reading and the
// operation count, times the rate, is that reading's uncertainty.
func TestMeasureWithoutGate(t *testing.T) {
	s := &story{}
	load := &fakeLoad{story: s}
	p := Pass{Length: window.Length{Duration: 100 * time.Millisecond}, Collectors: []collectors.Collector{
		fakeCollector{story: s, name: "outer"}, slow{fakeCollector{story: s, name: "inner"}},
	}}
	w, err := Measure(context.Background(), collectors.Target{}, p, load, nil)
	if err != nil || w.Gated {
		t.Fatalf("%+v, %v", w, err)
	}
	// inner's reading takes 20 ms at each edge, so outer's edges are at least
	// 40 ms farther out than the count: 40 of at least 140 ms of its 1000.
	outer, inner := w.Readings[0].Uncertainty, w.Readings[1].Uncertainty
	if outer < 150 || outer > 900 || inner >= outer {
		t.Errorf("uncertainty outer %.1f, inner %.1f of 1000", outer, inner)
	}
	if w.EdgeNS[0] < 20e6 || w.EdgeNS[1] < 20e6 {
		t.Errorf("edges %v ns", w.EdgeNS)
	}
}

type slow struct{ fakeCollector }

func (s slow) Arm(ctx context.Context, t collectors.Target, c probe.Caps) (collectors.Armed, error) {
	_, err := s.fakeCollector.Arm(ctx, t, c)
	return s, err
}
func (s slow) Begin(ctx context.Context) error {
	time.Sleep(20 * time.Millisecond)
	return s.fakeCollector.Begin(ctx)
}
func (s slow) End(ctx context.Context) error {
	err := s.fakeCollector.End(ctx)
	time.Sleep(20 * time.Millisecond)
	return err
}

// rising is a count that is 10 higher at each reading.
type rising struct{ n int64 }

func (r *rising) Read(context.Context) (result.OpCount, error) {
	r.n += 10
	return result.OpCount{End: r.n}, nil
}

// TestMeasureThirds: operations are read after each third of a gated time: at
// the begin (10), after two thirds (20, 30), at the end (40) and behind the
// closed gate (50), which counts.
func TestMeasureThirds(t *testing.T) {
	load := &fakeLoad{story: &story{}}
	timed := Pass{Length: window.Length{Duration: 60 * time.Millisecond}}
	w, err := Measure(context.Background(), collectors.Target{}, timed, &rising{}, load)
	if err != nil || w.Ops.N() != 40 || !slices.Equal(w.Thirds, []int64{10, 10, 20}) {
		t.Errorf("%d operations, thirds %v, %v", w.Ops.N(), w.Thirds, err)
	}
	counted := Pass{Length: window.Length{Operations: 3}}
	if w, _ = Measure(context.Background(), collectors.Target{}, counted, &rising{}, load); w.Thirds != nil {
		t.Errorf("thirds %v of a window that operations end", w.Thirds)
	}
	if w, _ = Measure(context.Background(), collectors.Target{}, timed, &rising{}, nil); w.Thirds != nil {
		t.Errorf("thirds %v of a load that is not ours: reading them would cost the server", w.Thirds)
	}
}
