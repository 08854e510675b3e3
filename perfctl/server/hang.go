package server

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/procfs"

	"opcost/collectors/child"
)

// A server that is well is never without any CPU time for long: InnoDB wakes
// each second to see whether there is work. One that is stopped, or all of whose
// threads wait for a disk that does not answer, is. Looks are counted and not
// seconds, so that a machine that was frozen with the server does not tell.
const (
	hangLook  = time.Second
	hangLooks = 30
)

// Hang is why a context from [Instance.Watched] has ended: the server's process
// is there, and does nothing at all.
type Hang struct {
	PID   int
	State string // of its first thread, as man proc has it: "T", "D", ...
	For   time.Duration
}

func (h *Hang) Error() string {
	text := fmt.Sprintf("the server (pid %d) hangs: it has used no CPU at all for %v", h.PID, h.For)
	switch h.State {
	case "T":
		return text + fmt.Sprintf("; it is stopped by a signal: kill -CONT %d has it go on", h.PID)
	case "t":
		return text + "; it is stopped by a debugger or tracer: detach that"
	case "D":
		return text + "; it waits for a disk or file system that does not answer: see `dmesg`, and give --work on another"
	}
	return text + "; all its threads wait: its error log may say for what"
}

// Watched gives a context that ends, with a *[Hang] as its cause, when the
// server hangs.
func (i *Instance) Watched(ctx context.Context) (context.Context, context.CancelFunc) {
	return watched(ctx, i.pid, hangLook, hangLooks)
}

func watched(ctx context.Context, pid int, look time.Duration, looks int) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		tick := time.NewTicker(look)
		defer tick.Stop()
		var last time.Duration
		for still := 0; still < looks; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			switch now, err := child.CPUTime(pid); {
			case err != nil:
				return // it has ended, which whoever waits for it sees
			case now != last:
				last, still = now, 0
			default:
				still++
			}
		}
		h := &Hang{PID: pid, For: look * time.Duration(looks)}
		if p, err := procfs.NewProc(pid); err == nil {
			if s, err := p.Stat(); err == nil {
				h.State = s.State
			}
		}
		if h.State != "Z" { // it has ended, and is about to be waited for
			cancel(h)
		}
	}()
	return ctx, func() { cancel(nil) }
}
