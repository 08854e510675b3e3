package main

import (
	"context"
	"errors"
	"fmt"

	"opcost/collectors/probe"
	"opcost/collectors/probe/binary"
	"opcost/perfctl/doctor"
	"opcost/perfctl/report"
)

type doctorCmd struct {
	PID     *int   `name:"pid" help:"A server that runs: its symbols, frame pointers, debug information, allocator." placeholder:"N"`
	Work    string `help:"Folder where a run would keep the servers' data; its disk is looked at." default:"." placeholder:"DIR"`
	showing `embed:"" set:"formats=table, markdown, csv, tsv, json"`
}

func (doctorCmd) Help() string {
	return `Each line is ok, limited, missing or unknown, with what that costs and the command or
setting that changes it. Nothing is changed, and a server that is looked at is only
read from the outside. The exit status is 0 whatever is found.

Examples:
  opcost doctor
  opcost doctor --pid $(pidof mariadbd)
  opcost doctor --format json | jq '.checks[] | select(.state != "ok")'`
}

// Run says what can be measured here.
func (c *doctorCmd) Run(ctx context.Context, con console) error {
	format, err := c.parse()
	if err != nil {
		return err
	}
	var server binary.Process
	var asked error
	if c.PID != nil {
		server, asked = binary.Server(*c.PID)
		if errors.Is(asked, binary.ErrNoProcess) || errors.Is(asked, binary.ErrKernelThread) {
			return usageError{fmt.Errorf("--pid: %w", asked)}
		}
	}
	caps := probe.Ask(ctx)
	sampling := probe.AskSampling(ctx, caps)
	if ctx.Err() != nil {
		return ctx.Err() // what was not asked any more would look missing
	}
	r := doctor.Machine(caps, probe.SpaceAt(c.Work))
	r.Sampling(caps, sampling)
	if c.PID != nil {
		r.Server(server, asked)
	}
	return report.WriteChecks(con.out, format, r, c.layout(con))
}
