package perfctl_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"opcost/collectors"
	"opcost/collectors/callgrind"
	"opcost/collectors/probe"
	"opcost/collectors/proc"
	"opcost/perfctl"
	"opcost/perfctl/result"
	"opcost/perfctl/server"
	"opcost/perfctl/window"
	"opcost/perfctl/workload"
)

// bench is one installed server and the load that a pool of starts is made of:
// point queries by text, plain and with a padded statement.
type bench struct {
	t      *testing.T
	site   *server.Site
	caps   probe.Caps
	folder *result.Folder
	work   string
	data   workload.Data
	plain  workload.Test
	padded workload.Test
}

// The versions of the pool's runs.
const (
	plainVersion  = "plain"
	paddedVersion = "padded"
)

const (
	poolStarts = 16   // of each version under callgrind, and of the plain one counting
	poolOps    = 2000 // of a callgrind window
	poolBytes  = 64 << 20
)

// newBench initialises and loads a server. Whoever runs the test keeps what it
// measured with OPCOST_BENCH_POOL=DIR, and judges it again without measuring.
func newBench(t *testing.T, dir string) *bench {
	ctx := t.Context()
	b := &bench{t: t, work: t.TempDir(), data: workload.Data{Tables: 1, Rows: 20_000, Seed: 1}, caps: probe.Ask(ctx)}
	if !b.caps.Valgrind.OK {
		t.Fatalf("valgrind: %s: %s", b.caps.Valgrind.Reason, b.caps.Valgrind.Remedy)
	}
	mysqld, err := exec.LookPath("mariadbd")
	if err != nil {
		mysqld = "/usr/sbin/mariadbd"
	}
	must(t, err2(os.Stat(mysqld)))
	b.folder, err = result.Create(dir)
	must(t, err)
	t.Cleanup(func() { must(t, b.folder.Close()) })
	b.site, err = server.Open(ctx, server.Spec{
		Name: "bench", Mysqld: mysqld, Options: []string{fmt.Sprintf("innodb-buffer-pool-size=%d", poolBytes), "skip-log-bin"},
	}, filepath.Join(b.work, "site"))
	must(t, err)
	must(t, b.site.Initialise(ctx))
	i, err := b.site.Start(ctx, server.StartOptions{})
	must(t, err)
	err = workload.Load(ctx, b.access(i), b.data, nil)
	must(t, i.Stop(context.Background()))
	must(t, err)
	tests, err := workload.Resolve([]string{"point-query"})
	must(t, err)
	b.plain = tests[0]
	return b
}

func err2(_ os.FileInfo, err error) error { return err }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (b *bench) access(i *server.Instance) workload.Access {
	return workload.Access{Network: "unix", Addr: i.Socket(), User: i.User(), Database: "sbtest", Charset: "latin1", Protocol: workload.Text}
}

// fill measures the pool. The kinds of starts take turns, so that all of them
// see the same minutes.
func (b *bench) fill() {
	b.pad()
	for n := range poolStarts {
		b.start(plainVersion, result.PassCallgrind, n, b.plain)
		b.start(paddedVersion, result.PassCallgrind, n, b.padded)
		b.start(plainVersion, result.PassCount, n, b.plain)
	}
}

// pad finds the length of comment that costs 2% more instructions, on one
// server of its own.
func (b *bench) pad() {
	const try = 400
	var per [2]float64
	b.serve(result.PassCallgrind, func(i *server.Instance, pass perfctl.Pass) {
		for k, test := range []workload.Test{b.plain, b.plain.Padded(try)} {
			pass.Phase = fmt.Sprint("pad-", k)
			w := b.window(i, pass, test, 0, b.t.TempDir())
			for _, r := range w.Readings {
				if r.Name == "instructions_user" && r.Value != nil {
					per[k] = *r.Value / float64(w.Ops.N())
				}
			}
		}
	})
	if per[0] <= 0 || per[1] <= per[0] {
		b.t.Fatalf("%.0f instructions/query plain, %.0f with %d bytes more", per[0], per[1], try)
	}
	n := int(0.02*per[0]/((per[1]-per[0])/try) + 0.5)
	b.t.Logf("plain %.0f instructions/query; a byte of comment costs %.1f: +2%% is %d bytes", per[0], (per[1]-per[0])/try, n)
	b.padded = b.plain.Padded(n)
	b.padded.ID = b.plain.ID // one workload, two versions of what it costs
}

// serve starts the server for a pass, and stops it.
func (b *bench) serve(kind result.PassKind, do func(*server.Instance, perfctl.Pass)) {
	pass := perfctl.Pass{Kind: kind, Phase: string(kind), Length: window.Length{Duration: 3 * time.Second}, Caps: b.caps,
		Collectors: []collectors.Collector{proc.New()}}
	var o server.StartOptions
	if kind == result.PassCallgrind {
		dir, err := os.MkdirTemp(b.work, "callgrind-")
		must(b.t, err)
		w := callgrind.Wrapper{Valgrind: b.caps.Valgrind.Path, Dir: dir}
		o.Wrap = w.Wrap
		o.Extra = callgrind.ServerOptions(b.site.Identity.Number, b.site.Identity.Flavor, poolBytes)
		pass.Wrap, pass.Length = w.Wrap, window.Length{Operations: poolOps}
		pass.Collectors = []collectors.Collector{callgrind.New(w)}
	}
	i, err := b.site.Start(b.t.Context(), o)
	must(b.t, err)
	defer func() { must(b.t, i.Stop(context.Background())) }()
	do(i, pass)
}

// window warms up and measures one window.
func (b *bench) window(i *server.Instance, pass perfctl.Pass, test workload.Test, repeat int, evidence string) result.Window {
	ctx := b.t.Context()
	must(b.t, workload.Warm(ctx, b.access(i), b.data, []workload.Test{test}))
	load, err := workload.StartBuiltin(ctx, workload.BuiltinConfig{Access: b.access(i), Test: test, Data: b.data, Clients: 1, Seed: 1, Repeat: repeat})
	must(b.t, err)
	defer func() { must(b.t, load.Stop()) }()
	<-load.Release(window.Phase{Name: "warmup", Operations: poolOps / 2})
	must(b.t, load.Quiesce(ctx))
	target := collectors.Target{PID: i.PID(), StartTicks: i.StartTicks(), PIDFD: -1, Exe: b.site.Identity.Path, SQL: i.Control(), Evidence: evidence, Tag: "w0"}
	w, err := perfctl.Measure(ctx, target, pass, load, load)
	must(b.t, err)
	w.Latency = load.Latency()
	return w
}

// start adds one server start to the pool.
func (b *bench) start(version string, kind result.PassKind, n int, test workload.Test) {
	id := fmt.Sprintf("r%02d-%s-%s", n, version, kind)
	run := result.Run{
		Schema: result.Schema, ID: id, Host: "bench", Started: time.Now(), Repeat: n, Start: id, Version: version, Base: plainVersion,
		Workload: test.ID, Group: string(test.Group), Clients: 1, Driver: "builtin", Protocol: workload.Text, Transport: "socket",
		Charset: "latin1", Tables: b.data.Tables, Rows: b.data.Rows, Machine: b.caps.Machine(),
	}
	evidence, err := b.folder.Begin(id)
	must(b.t, err)
	evidence, err = filepath.Abs(evidence)
	must(b.t, err)
	b.serve(kind, func(i *server.Instance, pass perfctl.Pass) {
		w := b.window(i, pass, test, n, evidence)
		run.Passes = []result.Pass{{Kind: kind, State: result.OK, Windows: []result.Window{w}}}
	})
	must(b.t, b.folder.Write(run))
}

// pool is the starts, by version and pass, in the order in which they were made.
type pool map[string][]result.Run

func poolKey(version string, kind result.PassKind) string { return version + " " + string(kind) }

func readPool(t *testing.T, dir string) pool {
	runs, warnings, err := result.Read(dir)
	must(t, err)
	for _, w := range warnings {
		t.Error(w.Text)
	}
	p := pool{}
	for _, r := range runs {
		k := poolKey(r.Version, r.Passes[0].Kind)
		p[k] = append(p[k], r)
	}
	for k, rs := range p {
		if !strings.Contains(k, string(result.PassCount)) && len(rs) != poolStarts {
			t.Fatalf("the pool in %s has %d starts %s, not %d: remove it and measure again", dir, len(rs), k, poolStarts)
		}
	}
	return p
}
