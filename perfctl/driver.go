package perfctl

import (
	"context"
	"fmt"

	"opcost/perfctl/plan"
	"opcost/perfctl/result"
	"opcost/perfctl/workload"
)

// driverOf is the plan's driver, as the workload's room calls it.
func driverOf(d plan.Driver) workload.Driver {
	if d.Own() {
		return workload.Driver{Name: workload.DriverBuiltin}
	}
	return workload.Driver{Name: d.Name, Program: d.Program, Lua: d.Lua, Options: d.Options, Command: d.Command}
}

// CanDrive is nil where a driver can send the statements of a workload.
func CanDrive(d plan.Driver, id string) error {
	tests, err := workload.Resolve([]string{id})
	if err != nil {
		return err
	}
	return driverOf(d).Does(tests[0])
}

// Writes tells whether a workload changes the data.
func Writes(id string) bool {
	tests, err := workload.Resolve([]string{id})
	return err == nil && tests[0].Write
}

// identify finds the plan's driver, and refuses what it cannot do.
func identify(ctx context.Context, p *plan.Plan, tests []workload.Test) (workload.Identity, error) {
	d := driverOf(p.Driver)
	id, err := d.Identify(ctx)
	if err != nil {
		return id, err
	}
	for _, t := range tests {
		if err := d.Does(t); err != nil {
			return id, err
		}
		if err := id.Does(d, t); err != nil {
			return id, err
		}
	}
	for _, v := range p.Versions {
		if err := id.TLS(d, v.Session.TLS); err != nil {
			return id, fmt.Errorf("version %s: %w", v.Name, err)
		}
	}
	if replays(p) && !p.Driver.Own() {
		return id, fmt.Errorf("restore: replay needs the built-in driver, not %s", p.Driver.Name)
	}
	return id, nil
}

// countable leaves out the callgrind pass where the driver cannot be told to do
// a number of operations, and says so in the readings.
func (w ways) countable(p *plan.Plan) ways {
	d := driverOf(p.Driver)
	if d.Counts() {
		return w
	}
	var out ways
	dropped := false
	for _, y := range w {
		if y.kind == result.PassCallgrind {
			dropped = true
			continue
		}
		out = append(out, y)
	}
	if dropped {
		for i := range out {
			out[i].lacking = append(out[i].lacking, result.Lacking("instructions", "count", result.SourceCallgrind, result.User, result.NotCounted,
				"under callgrind the load must end after a number of operations, and the driver's command has no {operations} in it", "write {operations} into the command"))
		}
	}
	return out
}
