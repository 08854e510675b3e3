package perfctl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
		return err
	}
	defer func() { err = errors.Join(err, l.Stop(context.WithoutCancel(ctx))) }()
	if err := r.settleWrites(ctx, l, s); err != nil {
		return err
	}

	var failed []error
	for _, c := range s.Cells {
		site.dirty = site.dirty || c.Test.Write
		if err := r.cell(ctx, l, s, c); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", c.Test.ID, err))
		} else {
			l.did(r.plan, s, c)
		}
		if ctx.Err() != nil || ended(l.Instance) {
			break
		}
	}
	return errors.Join(failed...)
}

func ended(i *server.Instance) bool {
	select {
	case <-i.Exited():
		return true
	default:
		return false
	}
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
	vars, err := l.Variables(ctx)
	if err != nil {
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
