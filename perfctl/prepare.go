package perfctl

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"opcost/perfctl/plan"
	"opcost/perfctl/server"
	"opcost/perfctl/workload"
)

// site is one version's server, with its data.
type site struct {
	*server.Site
	version   plan.Version
	dirty     bool              // what the data have been through is not known
	past      []Past            // since the load, where it is known
	poolBytes int64             // the server's buffer pool, as it says itself
	build     map[string]string // what the program file tells of how it was made
	notes     []string
}

// prepare initialises and loads each version that has something to measure,
// once, and saves the loaded data.
func (r *runner) prepare(ctx context.Context, starts []Start) error {
	r.sites = make([]*site, len(r.plan.Versions))
	for i, v := range r.plan.Versions {
		if !needed(starts, i) {
			continue
		}
		r.clock.doing("%s: initialise and load %d x %d rows", v.Name, r.plan.Tables, r.plan.Rows)
		s, err := r.load(ctx, v)
		if err != nil {
			return fmt.Errorf("version %s: %w", v.Name, err)
		}
		r.sites[i] = s
	}
	return nil
}

func needed(starts []Start, version int) bool {
	for _, s := range starts {
		if s.Version == version {
			return true
		}
	}
	return false
}

func (r *runner) load(ctx context.Context, v plan.Version) (*site, error) {
	spec := r.spec(v)
	var err error
	if spec.Logs, err = r.opts.Folder.Logs(v.Name); err != nil {
		return nil, err
	}
	opened, err := server.Open(ctx, spec, filepath.Join(r.work, v.Name))
	if err != nil {
		return nil, err
	}
	s := &site{Site: opened, version: v, dirty: true, notes: opened.Notes}
	s.build = buildOf(opened.Identity)
	return s, r.fillSite(ctx, s)
}

// fillSite makes a version's data, and saves them as loaded where they will be
// put back.
func (r *runner) fillSite(ctx context.Context, s *site) error {
	if err := s.Initialise(ctx); err != nil {
		return err
	}
	inst, err := s.Start(ctx, server.StartOptions{TCP: r.plan.Transport == plan.TCP})
	if err != nil {
		return err
	}
	watched, unwatch := inst.Watched(ctx)
	err = hungOr(watched, r.fill(watched, s, inst))
	unwatch()
	if err = errors.Join(err, inst.Stop(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	if replays(r.plan) {
		s.dirty = false
		return nil
	}
	return s.Save(ctx)
}

func (r *runner) fill(ctx context.Context, s *site, inst *server.Instance) error {
	vars, err := inst.Variables(ctx)
	if err != nil {
		return err
	}
	s.poolBytes, _ = strconv.ParseInt(vars["innodb_buffer_pool_size"], 10, 64)
	if memory := r.opts.Caps.Machine().MemoryKB << 10; s.poolBytes > memory && memory > 0 {
		return fmt.Errorf("its innodb-buffer-pool-size of %d MB is larger than this machine's memory of %d MB: give a smaller one", s.poolBytes>>20, memory>>20)
	}
	return workload.Load(ctx, r.access(s.version, inst), r.data(), nil)
}

func (r *runner) spec(v plan.Version) server.Spec {
	name, token := r.journal.Environment()
	return server.Spec{
		Name: v.Name, Mysqld: v.Mysqld, Basedir: v.Basedir, DefaultsFile: v.DefaultsFile,
		Options: v.Options, Launcher: v.Launcher, Env: v.Env, CPUs: r.plan.ServerCPUs, NUMA: r.plan.NUMA, TLS: v.Session.TLS,
		Restore: r.plan.Restore, Database: database,
		Sockets: r.journal.Sockets(), Started: r.journal.Started, Mark: name + "=" + token,
	}
}

func (r *runner) data() workload.Data {
	return workload.Data{Tables: r.plan.Tables, Rows: r.plan.Rows, Seed: r.plan.Seed}
}

// access is how the workload's connections reach a server.
func (r *runner) access(v plan.Version, inst *server.Instance) workload.Access {
	a := workload.Access{
		Network: "unix", Addr: inst.Socket(), User: inst.User(), Database: database,
		Charset: v.Session.Charset, TLS: v.Session.TLS, Protocol: string(v.Session.Protocol),
	}
	if r.plan.Transport == plan.TCP {
		a.Network, a.Addr = "tcp", inst.TCPAddr()
	}
	return a
}

// database holds the workload's tables; the loader makes it.
const database = "sbtest"
