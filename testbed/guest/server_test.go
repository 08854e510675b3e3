package guest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"opcost/collectors"
	"opcost/collectors/perfstat"
	"opcost/collectors/probe"
	"opcost/perfctl"
	"opcost/perfctl/result"
	"opcost/perfctl/server"
	"opcost/perfctl/window"
	"opcost/perfctl/workload"
)

// bench is a server under point queries, and the machine's abilities.
type bench struct {
	target collectors.Target
	load   *workload.Builtin
	caps   probe.Caps
}

func start(t *testing.T) bench {
	t.Helper()
	if os.Getenv("OPCOST_PMU_GUEST") == "" {
		t.Skip("runs inside the emulated machine: OPCOST_PMU=long go test ./testbed/")
	}
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	mysqld, err := exec.LookPath("mariadbd")
	must(err)
	site, err := server.Open(ctx, server.Spec{
		Name: "guest", Mysqld: mysqld,
		Options: []string{"innodb-buffer-pool-size=32M", "innodb-log-file-size=8M"},
	}, filepath.Join(t.TempDir(), "site"))
	must(err)
	must(site.Initialise(ctx))
	inst, err := site.Start(ctx, server.StartOptions{})
	must(err)
	// The test's own context is over when its clean-up runs.
	t.Cleanup(func() { must(inst.Stop(context.WithoutCancel(ctx))) })
	access := workload.Access{
		Network: "unix", Addr: inst.Socket(), User: inst.User(), Database: "sbtest",
		Charset: "latin1", Protocol: workload.Prepared,
	}
	data := workload.Data{Tables: 1, Rows: 2000, Seed: 1}
	must(workload.Load(ctx, access, data, nil))
	tests, err := workload.Resolve([]string{"point-query"})
	must(err)
	must(workload.Warm(ctx, access, data, tests))
	load, err := workload.StartBuiltin(ctx, workload.BuiltinConfig{Access: access, Test: tests[0], Data: data, Clients: 1, Seed: 1})
	must(err)
	t.Cleanup(func() { must(load.Stop()) })
	return bench{
		target: collectors.Target{
			PID: inst.PID(), StartTicks: inst.StartTicks(), PIDFD: -1, Exe: mysqld, SQL: inst.Control(), Evidence: t.TempDir(),
		},
		load: load, caps: probe.Ask(ctx),
	}
}

// window counts one event set over so many queries. The phase has the same name
// each time, so the keys are the same.
func (b bench) window(t *testing.T, tag string, set perfstat.EventSet, queries int64) map[string]result.Reading {
	t.Helper()
	b.target.Tag = tag
	w, err := perfctl.Measure(t.Context(), b.target, perfctl.Pass{
		Kind: result.PassCount, Phase: "count", Set: set.Name, Caps: b.caps,
		Length:     window.Length{Operations: queries},
		Collectors: []collectors.Collector{perfstat.New(set)},
	}, b.load, b.load)
	if err != nil {
		t.Fatal(err)
	}
	if w.State != result.OK || w.Ops.N() != queries {
		t.Fatalf("window %s: state %s (%s), %d operations, want %d", tag, w.State, w.Reason, w.Ops.N(), queries)
	}
	rs := map[string]result.Reading{}
	for _, r := range w.Readings {
		rs[r.Name] = r
	}
	return rs
}
