package result

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
)

// check tells what is wrong with a run as a record: the rules that every other
// room relies on. It does not judge the numbers.
func check(run Run) error {
	switch {
	case run.Schema != Schema:
		return fmt.Errorf("its schema is %d, not %d", run.Schema, Schema)
	case !runID.MatchString(run.ID):
		return fmt.Errorf("its id %q does not do as a folder's name", run.ID)
	case run.Version == "":
		return errors.New("it names no version")
	case run.Workload == "":
		return errors.New("it names no workload")
	case run.Clients < 1 && (run.Driver != Attached || run.Clients < 0):
		return fmt.Errorf("it has %d clients", run.Clients)
	case run.Repeat < 0:
		return fmt.Errorf("its repeat is %d", run.Repeat)
	case run.Started.IsZero():
		return errors.New("it has no time at which it was started")
	}
	for _, p := range run.Passes {
		if p.Kind == "" {
			return errors.New("a pass has no kind")
		}
		if err := p.State.check(p.Reason); err != nil {
			return fmt.Errorf("pass %s: %w", p.Kind, err)
		}
		for _, w := range p.Windows {
			if err := w.check(); err != nil {
				return fmt.Errorf("pass %s, window %q: %w", p.Kind, w.ID, err)
			}
		}
	}
	return nil
}

// check is nil for a state of the vocabulary. What lacks its value says why.
func (s State) check(reason string) error {
	switch s {
	case OK, Scaled:
		return nil
	case Partial, Unsupported, NotCounted, Failed:
		if reason == "" {
			return fmt.Errorf("state %q without a reason", s)
		}
		return nil
	}
	return fmt.Errorf("state %q is not known", s)
}

func (w Window) check() error {
	if err := w.State.check(w.Reason); err != nil {
		return err
	}
	switch {
	case w.DurationNS < 0, w.DurationNS == 0 && w.State.Usable() && w.Ops.Source != SourceImport:
		return fmt.Errorf("its duration is %d ns", w.DurationNS)
	case w.EdgeNS[0] < 0 || w.EdgeNS[1] < 0:
		return fmt.Errorf("its edges took %v ns", w.EdgeNS)
	}
	for _, o := range append([]OpCount{w.Ops}, w.OtherOps...) {
		switch {
		case o.Begin < 0 || o.End < o.Begin:
			return fmt.Errorf("operations from %d to %d", o.Begin, o.End)
		case o.Errors < 0 || o.Transactions < 0 || o.Misses < 0:
			return fmt.Errorf("%d failed operations, %d misses, %d transactions", o.Errors, o.Misses, o.Transactions)
		case !plausible(o.Uncertainty):
			return fmt.Errorf("the operations' uncertainty is %v", o.Uncertainty)
		}
	}
	for _, r := range w.Readings {
		if err := r.check(); err != nil {
			return fmt.Errorf("reading %q: %w", r.Name, err)
		}
	}
	for _, d := range w.Digests {
		if err := d.check(); err != nil {
			return fmt.Errorf("digest %q: %w", d.Digest, err)
		}
	}
	for _, t := range w.Threads {
		if err := t.check(); err != nil {
			return fmt.Errorf("thread %d: %w", t.TID, err)
		}
	}
	if l := w.Latency; l != nil {
		if l.Count < 0 || !plausible(l.MeanUS) || !plausible(l.P50US) || !plausible(l.P95US) || !plausible(l.P99US) || !plausible(l.MaxUS) {
			return fmt.Errorf("latency %+v", *l)
		}
	}
	for _, q := range w.Quality {
		if !finite(q.Value) || !finite(q.Limit) {
			return fmt.Errorf("quality %q: %v with the limit %v", q.Name, q.Value, q.Limit)
		}
	}
	for _, e := range w.Evidence { // reports open these
		if !filepath.IsLocal(e) {
			return fmt.Errorf("evidence %q is outside the run's folder", e)
		}
	}
	return nil
}

func (r Reading) check() error {
	if r.Name == "" {
		return errors.New("it has no name")
	}
	if err := r.State.check(r.Reason); err != nil {
		return err
	}
	switch r.Source {
	case SourcePerf, SourceCallgrind, SourceProc, SourceServer, SourceClient, SourceHost, SourceImport:
	default:
		return fmt.Errorf("source %q is not known", r.Source)
	}
	switch r.Scope {
	case "", User, Kernel, UserKernel:
	default:
		return fmt.Errorf("scope %q is not known", r.Scope)
	}
	switch {
	case r.State.Usable() && r.Value == nil:
		return fmt.Errorf("state %q without a value", r.State)
	case !r.State.Usable() && r.Value != nil:
		return fmt.Errorf("state %q with the value %v", r.State, *r.Value)
	case r.Value != nil && !finite(*r.Value):
		return fmt.Errorf("its value is %v", *r.Value)
	case !(r.RunningFraction >= 0 && r.RunningFraction <= 1):
		return fmt.Errorf("its running fraction is %v", r.RunningFraction)
	case !plausible(r.Uncertainty):
		return fmt.Errorf("its uncertainty is %v", r.Uncertainty)
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// plausible is for what cannot be below zero.
func plausible(x float64) bool { return finite(x) && x >= 0 }
