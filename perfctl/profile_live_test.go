package perfctl

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"opcost/perfctl/result"
	"opcost/profiles"
	"opcost/profiles/pprof"
)

// profileOf reads the profile that a run left.
func profileOf(t *testing.T, r result.Run) *profiles.Profile {
	t.Helper()
	f, err := os.Open(filepath.Join(r.Path, "evidence", result.ProfileFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	set, err := pprof.Read(f)
	if err != nil || len(set.Profiles) != 1 {
		t.Fatal(set, err)
	}
	return set.Profiles[0]
}

// has tells whether a function is anywhere in the stacks, or calls or is called.
func has(p *profiles.Profile, names ...string) bool {
	return slices.ContainsFunc(p.Frames, func(f profiles.Frame) bool { return slices.Contains(names, f.Function) })
}

// TestLiveProfile samples two configurations of a server. CPU in the samples is
// that of the process's own clock, which is another source; on a machine whose
// CPUs are shared the samples' timer misses some of it.
func TestLiveProfile(t *testing.T) {
	runs := measure(t, `
versions:
  - {name: "off", mysqld: installed, options: [performance-schema=OFF]}
  - {name: "on", mysqld: installed, options: [performance-schema=ON]}
workloads: [point-query]
rows: 1000
warmup: 300ms
duration: 2s
repeats: 1
counters: none
profile: {event: cpu-clock}
`)
	if len(runs) != 2 {
		t.Fatalf("%d runs", len(runs))
	}
	for _, r := range runs {
		if !r.Complete() || len(r.Passes) != 2 || r.Passes[0].Kind != result.PassCount || r.Passes[1].Kind != result.PassProfile {
			t.Fatalf("%s: %+v", r.ID, r.Passes)
		}
		counted, w := r.Passes[0].Windows[0], r.Passes[1].Windows[0]
		if w.Ops.N() == 0 || w.Ops.Begin < counted.Ops.End {
			t.Errorf("%s: operations %+v after %+v", r.ID, w.Ops, counted.Ops)
		}
		if _, sampled := value(counted, "profile_samples"); sampled || !slices.Contains(w.Evidence, result.ProfileFile) || !slices.Contains(w.Evidence, "profile.perf.data") {
			t.Errorf("%s: evidence %q", r.ID, w.Evidence)
		}
		p := profileOf(t, r)
		weight, samples := p.Total()
		n, _ := value(w, "profile_samples")
		us, _ := value(w, "profile_cpu_us")
		if p.Event.Name != "cpu-clock" || p.Event.Unit != profiles.Nanoseconds || float64(samples) != n || math.Abs(float64(weight)/1e3-us) > 0.5 {
			t.Errorf("%s: %+v, weight %d in %d samples; the data hold %v us in %v", r.ID, p.Event, weight, samples, us, n)
		}
		cpu, _ := value(w, "cpu_us")
		if share := us / cpu; share < 0.5 || share > 1.15 {
			t.Errorf("%s: samples of %.0f us, the process used %.0f us", r.ID, us, cpu)
		}
		a := p.About
		if a.Version != r.Version || a.Workload != "point-query" || a.Clients != 1 || a.Protocol != "prepared" || a.Per != "statement" ||
			a.Operations != float64(w.Ops.N()) || a.CPUUS != cpu || a.CallGraph != "fp" || a.Hz != 499 || a.Binary != r.Server.Binary || a.Seconds < 1.9 {
			t.Errorf("%s: %+v", r.ID, a)
		}
		if !has(p, "do_command", "dispatch_command", "do_command(THD*, bool)") {
			t.Errorf("%s: no do_command or dispatch_command in %d stacks", r.ID, len(p.Stacks))
		}
		t.Logf("%s: %.0f us/query in samples, %.0f by the process clock, %.0f when it was not sampled", r.Version, us/a.Operations, cpu/a.Operations,
			perOp(counted, "cpu_us"))
	}
}

func perOp(w result.Window, name string) float64 {
	v, _ := value(w, name)
	return v / float64(w.Ops.N())
}

// TestLiveProfileUnderCallgrind: the counts by function add up to the reading,
// to the instruction.
func TestLiveProfileUnderCallgrind(t *testing.T) {
	t.Parallel()
	runs := measure(t, `
versions: [{name: a, mysqld: installed}]
workloads: [point-query]
rows: 1000
warmup: 0s
operations: 1000
repeats: 1
counters: callgrind
profile: true
`)
	for _, r := range runs {
		if !r.Complete() {
			t.Fatalf("%s: %+v", r.ID, r.Passes)
		}
		if r.Passes[0].Kind != result.PassCallgrind {
			continue
		}
		w := r.Passes[0].Windows[0]
		p := profileOf(t, r)
		weight, _ := p.Total()
		if n, ok := value(w, "instructions_user"); !ok || float64(weight) != n || !p.Event.Counted || p.Event.Unit != profiles.Instructions {
			t.Errorf("%s: %d instructions by function, %v in all; %+v", r.ID, weight, n, p.Event)
		}
		if a := p.About; a.Operations != 1000 || a.CallGraph != "counted" || a.Hz != 0 || a.Version != "a" {
			t.Errorf("%+v", a)
		}
		if !has(p, "do_command(THD*, bool)", "dispatch_command(enum_server_command, THD*, char*, unsigned int, bool)") {
			t.Error("no do_command")
		}
		return
	}
	t.Fatal("no run under callgrind")
}
