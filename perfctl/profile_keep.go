package perfctl

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"opcost/collectors"
	"opcost/collectors/probe"
	"opcost/collectors/record"
	"opcost/perfctl/profiling"
	"opcost/perfctl/result"
	"opcost/profiles"
)

// keeper turns what a window left in the evidence folder into a profile, and
// says in the run's record what came of it.
type keeper struct {
	run      *result.Run
	target   collectors.Target
	caps     probe.Caps
	sampling *record.Options // nil: counted by callgrind
	out      string          // the profile's file, which must not exist
}

// add adds a sampled window to the run, as a pass of its own. The error is of a
// profile that could not be made or is not whole.
func (k keeper) add(ctx context.Context, w result.Window, measured error) error {
	pass := result.Pass{Kind: result.PassProfile, State: result.Failed}
	err := measured
	if err == nil {
		pass.State, err = k.sampled(ctx, &w)
		w.Evidence = evidenceOf(k.target.Evidence, w.ID)
		pass.Windows = []result.Window{w}
	}
	if err != nil {
		err = fmt.Errorf("profile: %w", err)
		pass.Reason = err.Error()
	}
	k.run.Passes = append(k.run.Passes, pass)
	return err
}

// sampled judges a sampled window and keeps its profile. A window that is
// partial has a profile too, of operations that are not known.
func (k keeper) sampled(ctx context.Context, w *result.Window) (result.State, error) {
	r := record.Samples(w.Readings)
	if !r.State.Usable() {
		return r.State, why(r)
	}
	if ctx.Err() != nil { // no time to convert it; the raw data are there
		partial(w, "it was not converted: "+context.Cause(ctx).Error())
		return w.State, errors.New(w.Reason)
	}
	in := k.input(*w)
	in.Data = []string{filepath.Join(k.target.Evidence, record.DataFile(w.ID))}
	o := k.sampling.Filled()
	in.About.Hz, in.About.CallGraph = o.Hz, string(o.CallGraph)
	warnings, err := profiling.Sampled(ctx, in)
	k.warn(*w, warnings)
	switch {
	case err != nil:
		return result.Failed, err
	case r.State == result.Partial:
		return r.State, why(r)
	case w.State != result.OK:
		return w.State, errors.New(w.Reason)
	}
	return result.OK, nil
}

// counted keeps the profile of a window under callgrind, beside its dumps.
func (k keeper) counted(w *result.Window) error {
	in := k.input(*w)
	in.Data, _ = filepath.Glob(filepath.Join(k.target.Evidence, w.ID+"-callgrind-*.out.gz")) // no bad pattern
	warnings, err := profiling.Counted(in)
	k.warn(*w, warnings)
	if err == nil {
		w.Evidence = append(w.Evidence, filepath.Base(k.out))
	}
	return err
}

func (k keeper) warn(w result.Window, warnings []string) {
	for _, text := range warnings {
		k.run.Warnings = append(k.run.Warnings, result.Warning{Code: "profile", Text: fmt.Sprintf("window %s: %s", w.ID, text)})
	}
}

func (k keeper) input(w result.Window) profiling.Input {
	return profiling.Input{Out: k.out, Perf: k.caps.Perf.Path, PID: k.target.PID, About: about(*k.run, w)}
}

// why is a reading's reason, with what changes it.
func why(r result.Reading) error {
	if r.Remedy == "" || strings.Contains(r.Reason, r.Remedy) {
		return errors.New(r.Reason)
	}
	return fmt.Errorf("%s (%s)", r.Reason, r.Remedy)
}

// about is what a profile was taken of. Without a whole window there is no
// number of operations that it could be divided by.
func about(run result.Run, w result.Window) profiles.About {
	a := profiles.About{
		Version: run.Version, Workload: run.Workload, Clients: run.Clients, Protocol: run.Protocol, Repeat: run.Repeat,
		Per: w.Ops.Per, Seconds: float64(w.DurationNS) / 1e9, Binary: run.Server.Binary, Server: run.Server.VersionText,
	}
	if w.State == result.OK && record.Samples(w.Readings).State != result.Partial {
		a.Operations = float64(w.Ops.N())
		if w.Ops.Per == PerSecond {
			a.Operations = a.Seconds
		}
	}
	for _, r := range w.Readings {
		if r.Name == "cpu_us" && r.Source == result.SourceProc && r.State == result.OK && r.Value != nil {
			a.CPUUS = *r.Value
		}
	}
	return a
}
