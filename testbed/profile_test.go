package testbed

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"opcost/perfctl/result"
	"opcost/profiles"
	"opcost/profiles/pprof"
)

// sampled: a profile by the PMU's own interrupts. Which instruction is sampled
// is skewed there (the emulator notices an overflow late), so the samples' sum
// is compared with the count only in its size.
func sampled(t *testing.T, out string) {
	if s := status(t, out, "profile"); s != 0 {
		t.Fatalf("opcost ended with status %d: %s", s, read(t, out, "profile.stderr"))
	}
	runs, warnings, err := result.Read(filepath.Join(out, "profile"))
	if err != nil || len(warnings) > 0 || len(runs) != 1 {
		t.Fatalf("%d runs, want 1; %v %v", len(runs), warnings, err)
	}
	r := runs[0]
	if !r.Complete() || len(r.Passes) != 2 {
		t.Fatalf("%+v", r.Passes)
	}
	counted, w := perOperation(r.Passes[0].Windows[0]), r.Passes[1].Windows[0]
	values := perOperation(w)
	f, err := os.Open(filepath.Join(r.Path, "evidence", result.ProfileFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	set, err := pprof.Read(f)
	if err != nil || len(set.Profiles) != 1 {
		t.Fatal(set, err)
	}
	p := set.Profiles[0]
	weight, samples := p.Total()
	t.Logf("%d samples of %s; instructions/query: %.0f by samples, %.0f counted in another window", samples, p.Event.Name, values["profile_instructions"], counted["instructions_user"]+counted["instructions_kernel"])
	if p.Event.Unit != profiles.Instructions || samples < 50 || w.Ops.N() != 2000 || p.About.Operations != 2000 {
		t.Errorf("%+v, %d samples of %d, %+v", p.Event, samples, weight, p.About)
	}
	ratio := values["profile_instructions"] / (counted["instructions_user"] + counted["instructions_kernel"])
	if !(ratio > 0.5 && ratio < 2) {
		t.Errorf("samples stand for %.2f times the instructions that were counted", ratio)
	}
	if !slices.ContainsFunc(p.Frames, func(f profiles.Frame) bool { return f.Space == profiles.Kernel && f.Named() }) {
		t.Error("no function of the kernel has a name")
	}
	if !slices.ContainsFunc(p.Frames, func(f profiles.Frame) bool { return filepath.Base(f.Object) == "mariadbd" }) {
		t.Error("no function of the server")
	}
}

// perOperation is a window's readings by name, each over its operations.
func perOperation(w result.Window) map[string]float64 {
	values := map[string]float64{}
	for _, r := range w.Readings {
		if r.Value != nil {
			values[r.Name] = *r.Value / float64(w.Ops.N())
		}
	}
	return values
}
