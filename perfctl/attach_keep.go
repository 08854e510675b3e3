package perfctl

import (
	"context"
	"fmt"
	"time"

	"opcost/collectors"
	"opcost/collectors/priority"
	"opcost/perfctl/result"
	"opcost/perfctl/window"
)

// kept is the last moment up to which a live server was read, and why the
// window ends there.
type kept struct {
	at   time.Time // zero: none yet
	ops  result.OpCount
	edge time.Duration // that the reading took
	lost error         // nil: the window goes on to its end
}

// firstKept is when a live window is first read up to. The next readings are
// after twice the time each: few, so that they cost a quiet server little, and
// at least half of what a server did until it went away is kept.
const firstKept = time.Second

// look is how often we see whether the server has ended.
const look = 100 * time.Millisecond

// keep lets a load that is not ours run for the pass's length, and reads the
// window up to now from time to time. It returns early when ctx ends, the server
// has ended, or it cannot be read any more.
func keep(ctx context.Context, w *result.Window, p Pass, arms []*armed, ops window.Ops) (k kept) {
	tick := time.NewTicker(min(look, p.Length.Duration))
	defer tick.Stop()
	next := firstKept
	for {
		select {
		case <-ctx.Done():
			partial(w, "stopped before the window's end: "+context.Cause(ctx).Error())
			return k
		case <-tick.C:
		}
		passed := time.Since(w.Start)
		switch left := p.Length.Duration - passed; {
		case p.Ended():
			k.lost = errEnded
			return k
		case left <= 0:
			return k
		case left < look:
			tick.Reset(left)
		case passed >= next:
			next *= 2
			if k.lost = k.read(ctx, arms, ops); k.lost != nil {
				if endedSoon(p) {
					k.lost = errEnded // that is why
				}
				return k
			}
		}
	}
}

var errEnded = fmt.Errorf("the server has ended")

// endedSoon: a server that shuts down closes its connections first.
func endedSoon(p Pass) bool {
	for until := time.Now().Add(3 * time.Second); time.Now().Before(until); time.Sleep(look) {
		if p.Ended() {
			return true
		}
	}
	return false
}

// read makes now the window's end, until a later reading does. A reading under
// way is not broken off: that would lose the connection.
func (k *kept) read(ctx context.Context, arms []*armed, ops window.Ops) error {
	ctx, cancel := closingTime(ctx)
	defer cancel()
	defer priority.Raise()()
	at := time.Now()
	n, err := ops.Read(ctx)
	if err != nil {
		return err
	}
	for i := len(arms) - 1; i >= 0; i-- {
		a := arms[i]
		if _, again := a.armed.(collectors.Rereadable); !again || a.err != nil {
			continue
		}
		a.kept = true
		if a.end(ctx); err == nil && a.err != nil {
			err = fmt.Errorf("%s: %w", a.name, a.err)
		}
	}
	k.at, k.ops, k.edge = at, n, time.Since(at)
	return err
}

// cutBack ends a window at the last moment that was kept. What can be read only
// once was not, and has no value.
func (k kept) cutBack(w *result.Window, arms []*armed) error {
	after := time.Since(w.Start).Round(look)
	if k.at.IsZero() {
		return fmt.Errorf("%w, %v after the window's begin: nothing of it can be kept", k.lost, after)
	}
	length := k.at.Sub(w.Start)
	partial(w, fmt.Sprintf("%v, %v after the window's begin; the values are of its first %v", k.lost, after, length.Round(look)))
	for _, a := range arms {
		if !a.kept && a.err == nil {
			a.err, a.void = fmt.Errorf("%w in the window", k.lost), true
		}
	}
	w.EdgeNS[1] = k.edge.Nanoseconds()
	return nil
}
