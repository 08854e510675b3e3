package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"opcost/profiles"
	"opcost/profiles/pprof"
)

// readProfile reads the one profile of a file.
func readProfile(t *testing.T, path string) *profiles.Profile {
	t.Helper()
	f, err := os.Open(path)
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

// profiled: a second window is sampled, with operations of its own; the numbers
// of the first are printed as ever, and the profile is the only file.
func profiled(t *testing.T, s *attachServer) {
	s.load(t, 1, 40*time.Second)
	dir := t.TempDir()
	out, baseline, home := filepath.Join(dir, "p.pb.gz"), filepath.Join(dir, "b.json"), t.TempDir()
	t.Setenv("HOME", home) // perf would keep copies of programs there
	o := opcost(t, s.attach("--duration", "1500ms", "--format", "json", "--baseline", baseline, "--profile", "--profile-event", "cpu-clock",
		"--profile-out", out)...)
	r := parseLive(t, o)
	if !strings.Contains(o.stderr, "profile: "+out) || !strings.Contains(o.stderr, "sampling mariadb") {
		t.Errorf("stderr %s", o.stderr)
	}
	p := readProfile(t, out)
	a := p.About
	if a.Per != "statement" || a.Operations < 100 || a.Operations == r.Operations || a.Seconds < 1.4 || a.Hz != 499 || a.CallGraph != "fp" ||
		a.CPUUS <= 0 || a.Workload != "live" || !strings.HasSuffix(a.Binary, "mariadbd") || a.Version == "" {
		t.Errorf("%+v", a)
	}
	weight, samples := p.Total()
	if us := float64(weight) / 1e3; samples == 0 || us < 0.5*a.CPUUS || us > 1.15*a.CPUUS {
		t.Errorf("%d samples of %.0f us, the process used %.0f us", samples, us, a.CPUUS)
	}
	if !slices.ContainsFunc(p.Frames, func(f profiles.Frame) bool { return f.Function == "do_command" || f.Function == "dispatch_command" }) {
		t.Errorf("neither do_command nor dispatch_command in %d frames", len(p.Frames))
	}
	// The printed CPU/query is the first window's.
	var run struct {
		Passes []struct {
			Kind    string
			Windows []struct {
				Ops      struct{ Begin, End float64 }
				Evidence []string
				Readings []struct {
					Name  string
					Value *float64
				}
			}
		}
	}
	text, err := os.ReadFile(baseline)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &run); err != nil || len(run.Passes) != 2 || run.Passes[0].Kind != "count" || run.Passes[1].Kind != "profile" {
		t.Fatalf("%v\n%s", err, text)
	}
	for i, pass := range run.Passes {
		w := pass.Windows[0]
		names := map[string]float64{}
		for _, g := range w.Readings {
			if g.Value != nil {
				names[g.Name] = *g.Value
			}
		}
		if len(w.Evidence) > 0 {
			t.Errorf("evidence that is gone: %q", w.Evidence)
		}
		each := names["cpu_us"] / (w.Ops.End - w.Ops.Begin)
		if printed := r.metric(t, "cpu_us_per_query"); i == 0 && math.Abs(printed/each-1) > 1e-9 {
			t.Errorf("CPU/query %v is printed, the first window's is %v", printed, each)
		}
		if _, sampled := names["profile_samples"]; sampled != (i == 1) {
			t.Errorf("window %d sampled: %v", i, sampled)
		}
	}
	if left, _ := os.ReadDir(home); len(left) > 0 {
		t.Errorf("%s was left in HOME", left[0].Name())
	}

	t.Run("without a login", func(t *testing.T) {
		out := inDir(t, "q.pb.gz")
		o := opcost(t, "attach", "--pid", fmt.Sprint(s.PID()), "--no-login", "--duration", "500ms", "--profile", "--profile-hz", "97", "--call-graph", "dwarf", "--profile-out", out)
		if o.code != exitDone {
			t.Fatalf("exit %d: %s", o.code, o.stderr)
		}
		if a := readProfile(t, out).About; a.Per != "second" || a.Operations != a.Seconds || a.CallGraph != "dwarf" || a.Hz != 97 {
			t.Errorf("%+v", a)
		}
	})
	t.Run("a table", func(t *testing.T) {
		out := inDir(t, "top.pb.gz")
		o := opcost(t, s.attach("--duration", "500ms", "--profile", "--profile-out", out)...)
		_, functions, found := strings.Cut(o.stdout, "CPU/query")
		_, functions, found2 := strings.Cut(functions, "top.pb.gz")
		if o.code != exitDone || !found || !found2 {
			t.Fatalf("exit %d: %s\n%s", o.code, o.stderr, o.stdout)
		}
		if most := dearest(readProfile(t, out)); !strings.Contains(functions, most) {
			t.Errorf("%s, which cost most, is not in the table:\n%s", most, functions)
		}
	})
	t.Run("mistakes", func(t *testing.T) {
		for _, c := range []struct {
			args []string
			says string
		}{
			{[]string{"--profile", "--profile-out", out}, "is left as it is"},
			{[]string{"--profile", "--profile-out", filepath.Join(dir, "none", "x")}, "there is no folder"},
			{[]string{"--profile", "--profile-hz", "1000000"}, "between 1 and 20000"},
			{[]string{"--profile", "--call-graph", "magic"}, "fp, dwarf or lbr"},
			{[]string{"--profile", "--profile-event", "a,b"}, "one event"},
			{[]string{"--profile", "--interval", "1s"}, "--interval"},
			{[]string{"--profile-hz", "99"}, "with --profile only"},
		} {
			oneLine(t, opcost(t, s.attach(append([]string{"--duration", "100ms"}, c.args...)...)...), exitUsage, c.says)
		}
	})
	t.Run("no such event", func(t *testing.T) {
		o := opcost(t, s.attach("--duration", "100ms", "--profile", "--profile-event", "nonsense", "--profile-out", inDir(t, "r"))...)
		if o.code != exitIncomplete || !strings.Contains(o.stderr, "perf does not know the event") || !strings.Contains(o.stdout, "CPU/query") {
			t.Errorf("exit %d: %s\n%s", o.code, o.stderr, o.stdout)
		}
	})
}

// dearest is the named function with the largest cost of its own.
func dearest(p *profiles.Profile) (name string) {
	own, most := map[string]int64{}, int64(0)
	for _, s := range p.Stacks {
		if len(s.Frames) == 0 || !p.Frames[s.Frames[0]].Named() {
			continue
		}
		f := p.Frames[s.Frames[0]].Function
		if own[f] += s.Weight; own[f] > most {
			name, most = f, own[f]
		}
	}
	return name
}
