package perfctl

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"opcost/collectors"
	"opcost/collectors/record"
	"opcost/perfctl/plan"
	"opcost/perfctl/result"
)

// The plan's defaults and limits of sampling are the collector's.
func TestPlanAndCollectorAgree(t *testing.T) {
	read := func(profile string) (*plan.Plan, error) {
		return plan.Parse("p.yaml", []byte("versions: [{name: a, mysqld: /bin/sh}]\nworkloads: [point-query]\nprofile: "+profile+"\n"), workloads{})
	}
	p, err := read("true")
	if err != nil {
		t.Fatal(err)
	}
	o := record.Options{}.Filled()
	if s := p.Sampling; s.Hz != o.Hz || string(s.CallGraph) != string(o.CallGraph) || s.Event != o.Event {
		t.Errorf("the plan says %+v, the collector %+v", s, o)
	}
	for _, graph := range record.CallGraphs() {
		if _, err := read("{call_graph: " + string(graph) + "}"); err != nil {
			t.Error(err)
		}
	}
	for text, o := range map[string]record.Options{
		"{hz: 20000}": {Hz: 20000}, "{hz: 20001}": {Hz: 20001}, "{event: 'a,b'}": {Event: "a,b"}, "{event: 'cpu/a=1,b=2/'}": {Event: "cpu/a=1,b=2/"},
		"{event: '-x'}": {Event: "-x"}, "{event: 'a b'}": {Event: "a b"}, "{event: '{a}'}": {Event: "{a}"}, "{event: 'cpu/a'}": {Event: "cpu/a"},
	} {
		if _, err := read(text); (err == nil) != (o.Check() == nil) {
			t.Errorf("%s: the plan says %v, the collector %v", text, err, o.Check())
		}
	}
}

func TestWaysOfProfiles(t *testing.T) {
	p := demoPlan()
	p.Profile, p.Sampling = true, plan.Sampling{Hz: 97, CallGraph: plan.CallGraphDWARF, Event: "cycles"}
	c := caps(false, true)
	if _, err := waysOf(p, c); err == nil || !strings.Contains(err.Error(), "profile: false") {
		t.Errorf("without perf: %v", err)
	}
	c.Perf.Ability.OK, c.Perf.Control.OK = true, true
	ws, err := waysOf(p, c)
	if err != nil || len(ws) != 2 {
		t.Fatal(ws, err)
	}
	count, under := ws.of(result.PassCount), ws.of(result.PassCallgrind)
	if count.sampling == nil || *count.sampling != (record.Options{Hz: 97, CallGraph: record.DWARF, Event: "cycles"}) || count.dumped || under.sampling != nil || !under.dumped {
		t.Errorf("%+v\n%+v", count, under)
	}
	p.Profile, p.Sampling = false, plan.Sampling{}
	ws, err = waysOf(p, caps(false, true))
	if err != nil || ws.of(result.PassCount).sampling != nil || ws.of(result.PassCallgrind).dumped {
		t.Errorf("%+v, %v", ws, err)
	}
}

// The estimate has the sampled window, and what it leaves on disk.
func TestEstimateOfProfiles(t *testing.T) {
	plain := needOf(demoPlan(), both, steady)
	with := func(s plan.Sampling) Need {
		p := demoPlan()
		p.Profile, p.Sampling = true, s
		return needOf(p, ways{{kind: result.PassCount, sampling: &record.Options{}}, {kind: result.PassCallgrind, dumped: true}}, steady)
	}
	fp, dwarf := with(plan.Sampling{Hz: 499, CallGraph: plan.CallGraphFP}), with(plan.Sampling{Hz: 499, CallGraph: plan.CallGraphDWARF})
	// 12 counting starts of one cell each, with 3 s windows.
	if more := fp.Parts[1].Time - plain.Parts[1].Time; more < 12*3*time.Second || more > 12*6*time.Second {
		t.Errorf("%v more for 12 windows of 3 s", more)
	}
	if fp.Parts[2].Time <= plain.Parts[2].Time || dwarf.Time <= fp.Time {
		t.Errorf("reading takes no time: %v, %v, %v", plain.Time, fp.Time, dwarf.Time)
	}
	// 499 a second, 3 s, 8.6 kB each.
	if more := dwarf.Disk - plain.Disk; more < 12*12<<20 || more > 12*14<<20 {
		t.Errorf("%d MB more on disk with dwarf", more>>20)
	}
}

// What became of a sampled window is in the run, whatever that was.
func TestKeeper(t *testing.T) {
	samples := func(st result.State, reason, remedy string) result.Reading {
		return result.Lacking("profile_samples", "count", result.SourcePerf, result.UserKernel, st, reason, remedy)
	}
	window := result.Window{ID: "profile", State: result.OK, DurationNS: 1e9, Ops: result.OpCount{Per: "statement", End: 10}}
	for _, c := range []struct {
		name     string
		readings []result.Reading
		measured error
		state    result.State
		says     string
	}{
		{"not measured", nil, errors.New("the gate did not close"), result.Failed, "the gate did not close"},
		{"hung", []result.Reading{samples(result.Failed, "perf hung", "")}, nil, result.Failed, "perf hung"},
		{"no permission", []result.Reading{lost("record", &collectors.Unsupported{What: "a profile", Reason: "may not", Remedy: "be root"})}, nil, result.Unsupported, "may not (be root)"},
		{"empty", []result.Reading{samples(result.Failed, "no sample", "run as root")}, nil, result.Failed, "no sample (run as root)"},
		{"nothing", nil, nil, result.NotCounted, "nothing was sampled"},
		{"no file", []result.Reading{result.Got("profile_samples", 5, "count", result.SourcePerf, result.UserKernel)}, nil, result.Failed, "profile.perf.data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			run := result.Run{Passes: []result.Pass{{Kind: result.PassCount, State: result.OK}}}
			k := keeper{run: &run, target: collectors.Target{Evidence: dir, Tag: "profile"}, sampling: &record.Options{}, out: filepath.Join(dir, result.ProfileFile)}
			w := window
			w.Readings = c.readings
			err := k.add(t.Context(), w, c.measured)
			p := run.Passes[1]
			if err == nil || p.Kind != result.PassProfile || p.State != c.state || !strings.Contains(p.Reason, c.says) || err.Error() != p.Reason {
				t.Errorf("%v\n%+v", err, p)
			}
			if run.Complete() != (c.state == result.Unsupported) {
				t.Errorf("complete: %v", run.Complete())
			}
			if _, err := os.Stat(k.out); err == nil {
				t.Error("there is a profile")
			}
		})
	}
}

// Told to stop, a run does not begin to convert.
func TestKeeperStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	run := result.Run{}
	k := keeper{run: &run, target: collectors.Target{Evidence: t.TempDir()}, sampling: &record.Options{}}
	w := result.Window{ID: "profile", State: result.Partial, Reason: "stopped before the window's end", Readings: []result.Reading{result.Got("profile_samples", 5, "count", result.SourcePerf, "")}}
	if err := k.add(ctx, w, nil); err == nil || run.Passes[0].State != result.Partial || !strings.Contains(run.Passes[0].Reason, "stopped before the window's end; it was not converted") {
		t.Errorf("%v, %+v", err, run.Passes[0])
	}
}

func TestAboutAPartialWindow(t *testing.T) {
	w := result.Window{State: result.OK, DurationNS: 2e9, Ops: result.OpCount{Per: "statement", Begin: 5, End: 105},
		Readings: []result.Reading{result.Got("cpu_us", 1234, "us", result.SourceProc, result.UserKernel), result.Got("profile_samples", 9, "count", result.SourcePerf, "")}}
	if a := about(result.Run{Version: "v"}, w); a.Operations != 100 || a.Per != "statement" || a.Seconds != 2 || a.CPUUS != 1234 || a.Version != "v" {
		t.Errorf("%+v", a)
	}
	w.Readings[1].State = result.Partial
	if a := about(result.Run{}, w); a.Operations != 0 {
		t.Errorf("a part of the samples by all operations: %+v", a)
	}
	w.Readings[1].State, w.State = result.OK, result.Partial
	if a := about(result.Run{}, w); a.Operations != 0 {
		t.Errorf("a part of the window: %+v", a)
	}
	w.State, w.Ops = result.OK, result.OpCount{Per: PerSecond}
	if a := about(result.Run{}, w); a.Operations != 2 || a.Per != PerSecond {
		t.Errorf("per second: %+v", a)
	}
}
