package perfctl

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"opcost/collectors"
	"opcost/collectors/probe"
	"opcost/collectors/proc"
	"opcost/perfctl/result"
	"opcost/perfctl/window"
	"opcost/perfctl/workload"
)

// deferred measures what the server still has to do for the writes of a cell
// after the last of them, and adds each window's share to its readings: the
// window's operations of all that the load did since it began. What cannot be had
// is said in the readings; the window is none the worse.
func (l *live) deferred(ctx context.Context, run *result.Run, t collectors.Target, load window.Ops) error {
	pass := &run.Passes[0]
	all, err := load.Read(ctx)
	if err != nil || pass.Kind != result.PassCount || all.End <= 0 {
		return err
	}
	rs := l.payDebt(ctx, t)
	for i := range pass.Windows {
		w := &pass.Windows[i]
		share := float64(w.Ops.N()) / float64(all.End)
		for _, g := range rs {
			if g.Value != nil && !g.Gauge {
				v := *g.Value * share
				g.Value = &v
			}
			w.Readings = append(w.Readings, g)
		}
	}
	return ctx.Err()
}

// deferredNames are what is measured while the debt is paid, and the readings it
// becomes. All threads but that of our own connection work for the writes.
var deferredNames = map[string]string{
	"cpu_background_us": "deferred_cpu_us", "write_kb": "deferred_write_kb",
	"context_switches": "deferred_context_switches", "read_kb": "deferred_read_kb",
}

func (l *live) payDebt(ctx context.Context, t collectors.Target) []result.Reading {
	lacking := func(why error) []result.Reading {
		return []result.Reading{result.Lacking("deferred_cpu_us", "us", result.SourceProc, result.UserKernel, result.Failed, why.Error(), ""),
			result.Lacking("deferred_write_kb", "kb", result.SourceProc, "", result.Failed, why.Error(), "")}
	}
	t.Tag = "deferred"
	if err := l.onlyOwnConnection(ctx, &t); err != nil {
		return lacking(fmt.Errorf("our own statements cannot be told from the server's work: %w", err))
	}
	a, err := proc.New().Arm(ctx, t, probe.Caps{})
	if err != nil {
		return lacking(err)
	}
	began := time.Now()
	err = a.Begin(ctx)
	left, note, settleErr := settle(ctx, t.SQL, patienceWithDebt)
	took := time.Since(began)
	if err = errors.Join(err, settleErr); err == nil {
		err = a.End(ctx)
	}
	rs, closeErr := a.Close()
	if err = errors.Join(err, closeErr); err != nil {
		return lacking(err)
	}
	var out []result.Reading
	for _, g := range rs {
		name, ok := deferredNames[g.Name]
		if !ok {
			continue
		}
		g.Name = name
		if note != "" && g.State == result.OK {
			g.State, g.Reason = result.Partial, "what the writes left for later was "+note
		}
		out = append(out, g)
	}
	gauge := func(name string, v float64, unit string, src result.Source) {
		g := result.Got(name, v, unit, src, "")
		g.Gauge = true
		if note != "" {
			g.State, g.Reason = result.Partial, note
		}
		out = append(out, g)
	}
	gauge("deferred_ms", float64(took.Milliseconds()), "ms", result.SourceProc)
	gauge("deferred_dirty_pages_left", float64(left.dirty), "count", result.SourceServer)
	gauge("deferred_history_left", float64(left.history), "count", result.SourceServer)
	return out
}

// onlyOwnConnection has the target's connection threads be that of our control
// connection: while the load rests it alone is no work for it.
func (l *live) onlyOwnConnection(ctx context.Context, t *collectors.Target) error {
	rows, err := l.Control().Query(ctx, "SELECT CONNECTION_ID()")
	if err != nil {
		return err
	}
	id, err := strconv.ParseUint(rows[0][0], 10, 64)
	if err != nil {
		return err
	}
	t.ConnTIDs, err = l.ThreadsOf(ctx, []uint64{id})
	return err
}

// hitsAndMisses tells apart the writes of single statements that found a row to
// change and those that found none, which cost less. A load of another driver is
// counted by the rows that the server deleted.
func hitsAndMisses(w result.Window, t workload.Test) []result.Reading {
	if !t.Write || t.Transactional {
		return nil
	}
	n, misses, src := float64(w.Ops.N()), float64(w.Ops.Misses), w.Ops.Source
	if src != result.SourceClient {
		if t.Name != "delete" {
			return nil
		}
		for _, g := range w.Readings {
			if g.Name == "handler_delete" && g.Value != nil {
				misses = max(0, n-*g.Value)
			}
		}
	}
	return []result.Reading{result.Got("hits", n-misses, "count", src, ""), result.Got("misses", misses, "count", src, "")}
}
