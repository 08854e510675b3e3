package probe

import (
	"context"
	"os/exec"
	"time"

	"opcost/collectors/child"
)

// Ask finds out what can be measured here. Whatever cannot be found out is a
// reason in the answer, so there is no error. It takes well under a second
// where perf answers, and [perfBudget] at most where perf hangs.
func Ask(ctx context.Context) Caps {
	return here().ask(ctx)
}

const (
	perfBudget = 12 * time.Second // for all that perf is asked
	oneAnswer  = 4 * time.Second  // for one question; perf answers in 30 ms
)

// asker is where the answers come from; tests give others.
type asker struct {
	root string // "/", or a folder that holds proc/, sys/ and etc/
	run  func(ctx context.Context, argv ...string) (stdout, stderr string, err error)
	look func(name string) (path string, err error)
	pmu  counter
}

func here() asker {
	return asker{root: "/", run: child.Output, look: exec.LookPath, pmu: kernelCounter{}}
}

func (a asker) ask(ctx context.Context) Caps {
	before := a.cpuTime()
	c := a.answers(ctx)
	c.System.Steal = steal(before, a.cpuTime())
	return c
}

func (a asker) answers(ctx context.Context) Caps {
	c := a.machine()
	c.System = a.system(ctx)
	c.SchedStat = a.schedStat()
	c.Valgrind = a.valgrind(ctx)

	pctx, cancel := context.WithTimeout(ctx, perfBudget)
	defer cancel()
	c.Perf.Tool, c.Perf.Major, c.Perf.Minor = a.perf(pctx)
	if !c.Perf.OK {
		c.Perf.JSON, c.Perf.Control, c.Perf.PMU = c.Perf.Ability, c.Perf.Ability, c.Perf.Ability
		return c
	}
	q := question{asker: a, ctx: pctx, perf: c.Perf.Path, who: c}
	c.Perf.JSON = q.json()
	q.csv = !c.Perf.JSON.OK
	c.Perf.Control = q.control(c.Perf.Major, c.Perf.Minor)
	c.Perf.Events = q.events(c.Host)
	c.Perf.PMU, c.Perf.Counters = a.selfTest(c)
	return c
}

func no(reason, remedy string) Ability { return Ability{Reason: reason, Remedy: remedy} }

func yes() Ability { return Ability{OK: true} }
