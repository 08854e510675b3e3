package perfctl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"opcost/collectors"
	"opcost/collectors/probe"
	"opcost/perfctl/importer/sysbench"
	"opcost/perfctl/result"
	"opcost/perfctl/workload"
)

// driverCPU counts what the driver uses, between the edges.
type driverCPU struct{ load *workload.External }

// driverCPUName is its reading until that of opcost itself has got out of the way.
const driverCPUName = "driver_cpu_us"

func (driverCPU) Name() string { return "driver" }

func (d driverCPU) Arm(context.Context, collectors.Target, probe.Caps) (collectors.Armed, error) {
	return &driverArmed{load: d.load}, nil
}

type driverArmed struct {
	load       *workload.External
	begin, end time.Duration
}

func (a *driverArmed) Begin(context.Context) (err error) {
	a.begin, err = a.load.CPU()
	return err
}

func (a *driverArmed) End(context.Context) (err error) {
	a.end, err = a.load.CPU()
	return err
}

func (a *driverArmed) Close() ([]result.Reading, error) {
	if a.end < a.begin {
		return []result.Reading{result.Lacking(driverCPUName, "us", result.SourceClient, result.UserKernel, result.Failed,
			"processes of the driver ended in the window and were waited for by none of it, so what they used is not known", "have the driver wait for what it starts")}, nil
	}
	return []result.Reading{result.Got(driverCPUName, float64((a.end-a.begin).Nanoseconds())/1e3, "us", result.SourceClient, result.UserKernel)}, nil
}

// reports reads what the driver says of its own runs, and says in the record
// what went wrong in them. The outputs stay as evidence.
func (d *driven) reports(done *result.Pass) error {
	last := &done.Windows[len(done.Windows)-1]
	last.Evidence = append(last.Evidence, evidenceOf(d.dir, "driver")...)
	if d.r.plan.Driver.Name != workload.DriverSysbench {
		return nil
	}
	var lost []error
	for _, phase := range d.load.Phases() {
		o, err := d.sysbench(phase)
		if err != nil {
			lost = append(lost, err)
			continue
		}
		lost = append(lost, d.check(phase, o, done))
	}
	return errors.Join(lost...)
}

func (d *driven) sysbench(phase string) (sysbench.Output, error) {
	f, err := os.Open(d.load.Output(phase))
	if err != nil {
		return sysbench.Output{}, err
	}
	defer f.Close()
	all, _, err := sysbench.Parse(f)
	if err != nil {
		return sysbench.Output{}, fmt.Errorf("sysbench's report of %s: %w", phase, err)
	}
	return all[len(all)-1], nil
}

// check compares a report with the windows: errors, reconnects, and the number
// of queries where the window is the whole run. The error is of what makes the
// run not whole.
func (d *driven) check(phase string, o sysbench.Output, done *result.Pass) error {
	warn := func(code, format string, args ...any) {
		d.run.Warnings = append(d.run.Warnings, result.Warning{Code: code, Text: fmt.Sprintf("sysbench, %s: ", phase) + fmt.Sprintf(format, args...)})
	}
	if o.Queries == nil {
		return fmt.Errorf("sysbench's report of %s has no SQL statistics", phase)
	}
	if o.Queries.Errors > 0 {
		warn("driver_errors", "%d errors were ignored: what they cost is in the server's counters", o.Queries.Errors)
	}
	for i := range done.Windows {
		w := &done.Windows[i]
		if !w.Gated || w.ID != fmt.Sprintf("w%d-%s", i, phase) {
			continue
		}
		// Connecting and preparing come on top, a few statements a client.
		if diff := math.Abs(float64(w.Ops.N() - o.Queries.Total)); diff > 0.001*float64(o.Queries.Total)+float64(10*d.c.Clients*max(1, d.r.plan.Tables)) {
			warn("ops_differ", "it counted %d queries, the server %d statements in the same window", o.Queries.Total, w.Ops.N())
		}
	}
	if n := o.Queries.Reconnects; n > 0 {
		return fmt.Errorf("sysbench reconnected %d times in %s: the server or the machine broke its connections", n, phase)
	}
	return nil
}

// tlsAccepts is how many connections with TLS the server has accepted.
func (d *driven) tlsAccepts(ctx context.Context) (int64, bool) {
	rows, err := d.l.Control().Query(ctx, "SHOW GLOBAL STATUS LIKE 'Ssl_accepts'")
	if err != nil {
		return 0, false
	}
	return named(rows, "Ssl_accepts")
}

// withTLS has the record say what the driver did, whatever the plan asked for:
// client libraries turn to TLS by themselves where a server offers it.
func withTLS(run *result.Run, accepted int64) {
	if did := accepted > 0; did != run.TLS {
		how := map[bool]string{true: "with TLS", false: "without TLS"}
		run.Warnings = append(run.Warnings, result.Warning{Code: "driver_tls",
			Text: fmt.Sprintf("the plan asks for connections %s, and the driver made its own %s", how[run.TLS], how[did])})
		run.TLS = did
	}
}
