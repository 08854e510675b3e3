package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"opcost/collectors"
	"opcost/collectors/child"
	"opcost/collectors/internal/perfcontrol"
	"opcost/collectors/internal/perfproc"
	"opcost/collectors/probe"
)

// attempts to attach: a thread that ends while perf opens its events makes perf
// give up, with exit status 255 and often without a word.
const attempts = 3

type collector struct {
	o    Options
	wait perfproc.Patience
}

// New makes the collector. Options that [Options.Check] refuses make Arm fail.
func New(o Options) collectors.Collector { return collector{o.Filled(), perfproc.Usual} }

func (collector) Name() string { return "record" }

// DataFile is the name of the raw data in the evidence folder, for a window's tag.
func DataFile(tag string) string { return strings.TrimPrefix(tag+".perf.data", ".") }

// Arm starts perf on the process and returns when perf has attached. Nothing is
// sampled yet.
func (c collector) Arm(ctx context.Context, t collectors.Target, caps probe.Caps) (collectors.Armed, error) {
	const what = "a profile by perf record"
	for _, a := range []probe.Ability{caps.Perf.Ability, caps.Perf.Control} {
		if !a.OK {
			return nil, &collectors.Unsupported{What: what, Reason: a.Reason, Remedy: a.Remedy}
		}
	}
	if err := c.o.Check(); err != nil {
		return nil, err
	}
	passed := "" // why the event before did not do
	for _, e := range candidates(c.o, caps) {
		a := &armed{o: c.o, event: e.event, note: cmp.Or(passed, e.note), target: t, caps: caps, wait: c.wait}
		why, err := a.attach(ctx)
		if err == nil {
			return a, nil
		}
		a.clear()
		switch {
		case why.event && c.o.Event == "" && e.event != ClockEvent:
			passed = e.event + " cannot be sampled here: " + why.reason
			continue
		case why.unsupported:
			return nil, &collectors.Unsupported{What: what, Reason: why.reason, Remedy: why.remedy}
		}
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return nil, fmt.Errorf("%s: no event", what) // the clock is always a candidate
}

// armed is perf, attached.
type armed struct {
	o      Options
	event  string
	note   string // why it is not a better event
	target collectors.Target
	caps   probe.Caps
	wait   perfproc.Patience
	perf   *perfproc.Proc
	out    string // perf's data
	dir    string // a folder that is theirs alone; "" where they are evidence
	begun  bool
	ended  bool
	edge   error            // what went wrong at an edge
	cpu    [2]time.Duration // of the process, at the edges
}

// attach tries again what fails by chance.
func (a *armed) attach(ctx context.Context) (verdict, error) {
	if err := a.files(); err != nil {
		return verdict{}, err
	}
	for n := 1; ; n++ {
		perf, end, err := perfproc.Start(ctx, perfproc.Spec{Argv: a.argv(), PID: a.target.PID, StartTicks: a.target.StartTicks, Wait: a.wait})
		if err == nil {
			a.perf = perf
			return verdict{}, nil
		}
		a.remove() // an attempt's data say nothing
		if !errors.Is(err, perfcontrol.ErrEnded) {
			return verdict{}, err
		}
		why := explain(end, a.target.PID)
		if gone := perfproc.SameProcess(a.target.PID, a.target.StartTicks); gone != nil {
			return verdict{}, gone
		}
		if n == attempts || !why.retry || ctx.Err() != nil {
			return why, errors.New(why.reason)
		}
	}
}

// argv is perf's command line. Sampling begins disabled (-D -1), and the control
// descriptors say when. -N keeps perf from copying programs into ~/.debug, and
// --buildid-all from reading all it has written again.
func (a *armed) argv() []string {
	return []string{
		a.caps.Perf.Path, "record", "-e", a.event, "-F", strconv.Itoa(a.o.Hz), "--call-graph", string(a.o.CallGraph),
		"-N", "--buildid-all", "--max-size", strconv.FormatInt(a.o.MaxBytes, 10) + "B", "-o", a.out, "-D", "-1", "--control", perfcontrol.Argument,
		"-p", strconv.Itoa(a.target.PID),
	}
}

// files names the file for the data, which perf makes.
func (a *armed) files() error {
	if a.target.Evidence != "" {
		a.out = filepath.Join(a.target.Evidence, DataFile(a.target.Tag))
		// What an earlier window left must not be taken for this one's.
		if err := os.Remove(a.out); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	dir, err := os.MkdirTemp("", "opcost-record-")
	if err != nil {
		return err
	}
	a.dir, a.out = dir, filepath.Join(dir, DataFile(a.target.Tag))
	return nil
}

// remove removes what perf wrote. A missing file is none.
func (a *armed) remove() {
	_ = os.Remove(a.out)
	_ = os.Remove(a.out + ".old") // an older file is moved there by perf
}

// clear removes the data where nobody asked for them.
func (a *armed) clear() {
	if a.dir != "" {
		_ = os.RemoveAll(a.dir)
	}
}

// Begin starts the sampling: it runs when Begin returns.
func (a *armed) Begin(ctx context.Context) error {
	a.begun = true
	if a.cpu[0], a.edge = child.CPUTime(a.target.PID); a.edge == nil {
		a.edge = a.perf.Enable(ctx)
	}
	return a.edge
}

// End stops the sampling: it stands when End returns.
func (a *armed) End(ctx context.Context) error {
	if a.edge == nil {
		a.ended = true
		a.edge = a.perf.Disable(ctx)
	}
	if a.edge == nil {
		a.edge = perfproc.SameProcess(a.target.PID, a.target.StartTicks)
	}
	if a.edge == nil {
		a.cpu[1], a.edge = child.CPUTime(a.target.PID)
	}
	return a.edge
}
