package perfctl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"opcost/collectors"
	"opcost/collectors/host"
	"opcost/collectors/mysqlstatus"
	"opcost/collectors/probe"
	"opcost/collectors/proc"
	"opcost/collectors/record"
	"opcost/perfctl/plan"
	"opcost/perfctl/quality"
	"opcost/perfctl/result"
	"opcost/perfctl/window"
	"opcost/perfctl/workload"
)

// waysOf is how a plan is measured on this machine, its profiles included.
func waysOf(p *plan.Plan, caps probe.Caps) (ways, error) {
	ws, err := choose(p.Counters, caps)
	if err != nil {
		return nil, err
	}
	ws = ws.countable(p)
	if !p.Profile {
		return ws, nil
	}
	for i := range ws {
		if ws[i].kind == result.PassCallgrind {
			ws[i].dumped = true
			continue
		}
		if err := CanSample(caps); err != nil {
			return nil, fmt.Errorf("profile: %w; or write `profile: false`", err)
		}
		ws[i].sampling = &record.Options{Hz: p.Sampling.Hz, CallGraph: record.CallGraph(p.Sampling.CallGraph), Event: p.Sampling.Event}
	}
	return ws, nil
}

// CanSample says why this machine cannot be sampled, as far as the probe tells.
func CanSample(caps probe.Caps) error {
	for _, a := range []probe.Ability{caps.Perf.Ability, caps.Perf.Control} {
		if !a.OK {
			return &collectors.Unsupported{What: "a profile by perf record", Reason: a.Reason, Remedy: a.Remedy}
		}
	}
	return nil
}

// profileTag names the sampled window and what it leaves.
const profileTag = "profile"

// profilePass is the sampled window of a cell. It is as long as a counting one,
// and counts its own operations and CPU; see Pass.Collectors for their order.
func (y way) profilePass(p *plan.Plan, caps probe.Caps) Pass {
	return Pass{
		Kind: result.PassProfile, Phase: profileTag, Set: string(result.PassProfile), Caps: caps,
		Length:     window.Length{Duration: p.Duration, Operations: p.Operations},
		Collectors: []collectors.Collector{mysqlstatus.New(mysqlstatus.Options{Quiet: true}), host.New(), proc.New(), record.New(*y.sampling)},
	}
}

// profile adds to a run that was counted what its plan wants of profiles: a
// sampled window, or callgrind's counts by function. The error is of a profile
// that could not be made; the run is to be kept all the same.
func (r *runner) profile(ctx context.Context, name string, l *live, load *workload.Builtin, t collectors.Target, run *result.Run) error {
	k := keeper{run: run, target: t, caps: r.opts.Caps, sampling: l.way.sampling, out: filepath.Join(t.Evidence, result.ProfileFile)}
	if !l.way.dumped && k.sampling == nil {
		return nil
	}
	// What a run that was broken off has left.
	if err := os.Remove(k.out); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if l.way.dumped {
		r.clock.doing("%s: read callgrind's functions", name)
		pass := &run.Passes[0]
		err := k.counted(&pass.Windows[0])
		if err != nil {
			pass.State, pass.Reason = result.Failed, err.Error()
		}
		return err
	}
	p := l.way.profilePass(r.plan, r.opts.Caps)
	r.clock.doing("%s: profile (%v)", name, p.Length)
	k.target.Tag = profileTag
	w, err := Measure(ctx, k.target, p, load, load)
	if err == nil {
		w.Latency = load.Latency()
		w.Quality = quality.Check(w, p.Kind, run.Clients)
		r.clock.doing("%s: read the profile", name)
	}
	return k.add(ctx, w, err)
}
