package perfctl

import (
	"context"
	"maps"

	"opcost/collectors/probe/binary"
	"opcost/perfctl/result"
	"opcost/perfctl/server"
	"opcost/perfctl/workload"
)

// described is what a server start has told of its plans and sessions. Each
// workload is asked for once a start, before its windows: how a statement is
// executed does not depend on the number of clients.
type described struct {
	plans   map[string]map[string]string // by the workload's id
	session map[string]string
}

// describe writes into a run's record what its costs may come from: how the
// server executes its statements, and what a connection has. Another driver's
// statements and connections are its own, so that nothing is said of them. A
// server that cannot be asked costs no run: the reason is a warning of it.
func (r *runner) describe(ctx context.Context, l *live, c Cell, run *result.Run) {
	if !r.plan.Driver.Own() {
		return
	}
	if _, done := l.known.plans[c.Test.ID]; !done {
		plans, session, err := workload.Describe(ctx, r.access(l.site.version, l.Instance), workload.Statements(c.Test, r.data()))
		if err != nil {
			run.Warnings = append(run.Warnings, result.Warning{Code: "not_described", Text: "plans and session variables are not known: " + err.Error()})
			return
		}
		if l.known.plans == nil {
			l.known.plans = map[string]map[string]string{}
		}
		l.known.plans[c.Test.ID], l.known.session = plans, session
	}
	run.Server.Plans, run.Server.Session = l.known.plans[c.Test.ID], l.known.session
}

// buildOf reads how a server's program was made; nil where the file cannot be
// read, as with a script that starts the program.
func buildOf(id server.Identity) map[string]string {
	f, err := binary.Binary(id.Path)
	if err != nil {
		return nil
	}
	about := f.About()
	if id.Debug {
		about["type"] = "debug" // by its version text
	}
	return about
}

// buildOfProcess has the allocator that the process has loaded, in place of the
// one that its program would have got.
func buildOfProcess(build map[string]string, pid int) map[string]string {
	if build == nil {
		return nil
	}
	name, _ := binary.Malloc(pid)
	switch build["allocator"] {
	case "jemalloc", "tcmalloc", "mimalloc":
		return build // what is linked into the program comes before any library
	}
	if name == "" {
		return build
	}
	build = maps.Clone(build)
	build["allocator"] = name
	return build
}
