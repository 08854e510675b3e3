package perfctl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"opcost/collectors/callgrind"
	"opcost/perfctl/plan"
	"opcost/perfctl/result"
	"opcost/perfctl/server"
	"opcost/perfctl/workload"
)

// live is a server that was started for measuring.
type live struct {
	*server.Instance
	site  *site
	way   way
	id    string // of the server start
	wrap  callgrind.Wrapper
	about result.Server
	notes []string
	known described // what was asked of this start already
}

// start measures the cells of one server start. A cell that fails does not
// cost the cells behind it, as long as the server lives.
func (r *runner) start(ctx context.Context, s Start) (err error) {
	site := r.sites[s.Version]
	l := &live{site: site, way: r.ways.of(s.Pass), id: s.ID(r.plan) + "@" + time.Now().UTC().Format("20060102T150405.000")}
	if err := r.ready(ctx, l, s); err != nil {
		return err
	}

	r.clock.doing("%s: start the server", s.ID(r.plan))
	if err := r.launch(ctx, l); err != nil {
		site.dirty = true // it may have been killed on them
		return err
	}
	defer func() {
		if unclean := l.Stop(context.WithoutCancel(ctx)); unclean != nil {
			site.dirty = true // the next start would begin with a recovery
			err = errors.Join(err, unclean)
		}
	}()
	ctx, unwatch := l.Watched(ctx)
	defer unwatch()
	if err := r.settleWrites(ctx, l, s); err != nil {
		return hungOr(ctx, err)
	}

	var failed []error
	for i, c := range s.Cells {
		site.dirty = site.dirty || c.Test.Write
		lost := false
		if err := r.cell(ctx, l, s, c); err == nil {
			l.did(r.plan, s, c)
		} else {
			failed = append(failed, fmt.Errorf("%s, %s: %w", c.Test.ID, count(c.Clients, "client"), hungOr(ctx, err)))
			_, lost = l.EndedWithin(lastBreath)
		}
		if lost || ctx.Err() != nil {
			failed = append(failed, notMeasured(s.Cells[i+1:]))
			break
		}
	}
	return errors.Join(failed...)
}

// lastBreath is how long a server that has closed its connections may take to
// have ended.
const lastBreath = time.Second

// hungOr puts a server's hanging in front of what came of it.
func hungOr(ctx context.Context, err error) error {
	var h *server.Hang
	if err == nil || !errors.As(context.Cause(ctx), &h) || strings.Contains(err.Error(), h.Error()) {
		return err
	}
	return fmt.Errorf("%w (%w)", h, err)
}

// notMeasured names what a server that is lost leaves undone; nil for nothing.
func notMeasured(cells []Cell) error {
	var names []string
	for _, c := range cells {
		names = append(names, fmt.Sprintf("%s (%s)", c.Test.ID, count(c.Clients, "client")))
	}
	if names == nil {
		return nil
	}
	return fmt.Errorf("not measured on this start: %s; the same command measures them", strings.Join(names, ", "))
}

// launch starts the server as the pass needs it, and says what it is.
func (r *runner) launch(ctx context.Context, l *live) error {
	o := server.StartOptions{TCP: r.plan.Transport == plan.TCP}
	id := l.site.Identity
	if l.way.kind == result.PassCallgrind {
		dir, err := os.MkdirTemp(r.work, "callgrind-")
		if err != nil {
			return err
		}
		l.wrap = callgrind.Wrapper{Valgrind: l.way.valgrind, Dir: dir}
		o.Wrap = l.wrap.Wrap
		o.Extra = callgrind.ServerOptions(id.Number, id.Flavor, l.site.poolBytes)
	}
	var err error
	if l.Instance, err = l.site.Start(ctx, o); err != nil {
		return err
	}
	watched, unwatch := l.Watched(ctx)
	vars, err := l.Variables(watched)
	err = hungOr(watched, err)
	if unwatch(); err != nil {
		return errors.Join(err, l.Stop(context.WithoutCancel(ctx)))
	}
	v := l.site.version
	l.about = result.Server{
		Binary: id.Path, BuildID: id.BuildID, VersionText: id.VersionText, Flavor: id.Flavor, Number: id.Number,
		Argv: l.Argv(), Launcher: v.Launcher, Env: v.Env, PID: l.PID(), Variables: vars,
		Options: v.Options, Defaults: v.DefaultsFile, Build: buildOfProcess(l.site.build, l.PID()),
	}
	return nil
}

// evidence is the folder of a run's raw outputs, made when the run begins.
func (r *runner) evidence(id string) (string, error) {
	dir, err := r.opts.Folder.Begin(id)
	if err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}

// connect opens the workload's connections; the gate is closed.
func (r *runner) connect(ctx context.Context, l *live, s Start, c Cell) (*workload.Builtin, error) {
	return workload.StartBuiltin(ctx, workload.BuiltinConfig{
		Access: r.access(l.site.version, l.Instance), Test: c.Test, Data: r.data(),
		Clients: c.Clients, Seed: r.plan.Seed, Repeat: s.Repeat, CPUs: r.plan.ClientCPUs,
	})
}
