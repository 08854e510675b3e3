package perfctl

import (
	"context"

	"opcost/collectors"
	"opcost/collectors/host"
	"opcost/collectors/proc"
	"opcost/collectors/record"
	"opcost/perfctl/quality"
	"opcost/perfctl/result"
	"opcost/perfctl/window"
)

// AttachProfile makes one sampled window over a live server's own load, adds it
// to the run as a pass of its own, and writes its profile to a new file. As
// with [Attach], nothing is sent to the server's process; perf's interrupts
// cost it some CPU while the window lasts. The error is of a profile that could
// not be made or is not whole.
func AttachProfile(ctx context.Context, o AttachOptions, s record.Options, run *result.Run, out string) error {
	p := Pass{Kind: result.PassProfile, Length: window.Length{Duration: o.Length}, Set: string(result.PassProfile), Caps: o.Caps, Ended: o.Ended}
	if p.Ended == nil {
		p.Ended = func() bool { return false }
	}
	p.Collectors = []collectors.Collector{host.New(), proc.New(), record.New(s)}
	if o.Target.SQL != nil {
		p.Collectors = append(p.Collectors, statusOf(o))
		if _, ok := o.Ops.(*StatusOps); ok {
			p.Counted = "mysqlstatus"
		}
	}
	w, err := Measure(ctx, o.Target, p, o.Ops, nil)
	if err == nil {
		w.Readings = ownCPUApart(w.Readings)
		w.Quality = quality.Check(w, p.Kind, 0)
	}
	k := keeper{run: run, target: o.Target, caps: o.Caps, sampling: &s, out: out}
	return k.add(ctx, w, err)
}
