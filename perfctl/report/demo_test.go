package report

import (
	"fmt"
	"time"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// costs of a version in the demonstration plan, per query.
type costs struct {
	qps, cpuUS, instructions, switches float64
}

// demoRuns are a plan of three versions, two workloads and four starts as a
// machine without a PMU measures it. Every start is off by a known share, the
// same for all versions, so that ratios are exact: 0.9, 1, 1, 1.1 times noise.
func demoRuns() []result.Run {
	t := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	versions := []struct {
		name string
		costs
		pfs string
	}{
		{"nobl", costs{20000, 40, 44000, 2}, "OFF"},
		{"bl", costs{19600, 40.4, 44088, 2}, "OFF"},
		{"pfs", costs{16000, 50, 66000, 2}, "ON"},
	}
	var runs []result.Run
	for _, w := range []struct{ id, group string }{{"point-query", "point"}, {"update-index", "write"}} {
		for s, off := range []float64{-0.002, 0, 0.001, 0.003} {
			for _, v := range versions {
				n := int64(v.qps * 10)
				f := 1 + off
				ops := result.OpCount{Source: result.SourceClient, Per: "statement", End: n}
				per := func(name string, x float64, unit string, src result.Source, scope result.Scope) result.Reading {
					return result.Got(name, x*float64(n), unit, src, scope)
				}
				t = t.Add(time.Minute)
				run := result.Run{
					Schema: 1, Host: "db1", Started: t, Seed: 1, Repeat: s, Version: v.name,
					Workload: w.id, Group: w.group, Clients: 1, Driver: "builtin", Protocol: "prepared", Transport: "socket", Charset: "latin1",
					Tables: 1, Rows: 100000, Machine: result.Machine{CPUs: 2, Kernel: "6.1"},
					Server: result.Server{Flavor: "mariadb", Number: "10.11.6", Variables: map[string]string{"performance_schema": v.pfs}},
				}
				count := run
				count.ID, count.Start = fmt.Sprintf("%s-%s-%d", w.id, v.name, s), fmt.Sprintf("%s-%d", v.name, s)
				count.Passes = []result.Pass{{Kind: result.PassCount, State: result.OK, Windows: []result.Window{{
					State: result.OK, DurationNS: 10e9, Ops: ops,
					Latency: &result.Latency{Count: n, MeanUS: 1e6 / v.qps * f, P50US: 45, P95US: 80, P99US: 120, MaxUS: 900},
					Readings: []result.Reading{
						per("cpu_us", v.cpuUS*f, "us", result.SourceProc, result.UserKernel),
						per("cpu_user_us", v.cpuUS*f*0.75, "us", result.SourceProc, result.User),
						per("cpu_system_us", v.cpuUS*f*0.25, "us", result.SourceProc, result.Kernel),
						per("cpu_connection_us", v.cpuUS*f*0.875, "us", result.SourceProc, result.UserKernel),
						per("cpu_background_us", v.cpuUS*f*0.125, "us", result.SourceProc, result.UserKernel),
						per("context_switches", v.switches*f, "count", result.SourceProc, ""),
						per("context_switches_voluntary", v.switches*f*0.75, "count", result.SourceProc, ""),
						per("context_switches_involuntary", v.switches*f*0.25, "count", result.SourceProc, ""),
						per("run_queue_us", 1.25*f, "us", result.SourceProc, ""),
						per("page_faults", 0, "count", result.SourceProc, ""),
						per("read_kb", 0, "kb", result.SourceProc, ""),
						per("write_kb", 0.5*f, "kb", result.SourceProc, ""),
						per("rows_read", 1, "count", result.SourceServer, ""),
						result.Lacking("cycles", "count", result.SourcePerf, result.UserKernel, result.Unsupported,
							"this machine shows no hardware counters to its guest", "on the hypervisor, give the guest a virtual PMU"),
					},
				}}}}
				runs = append(runs, count)
				if s == 3 {
					continue // one callgrind start fewer
				}
				valgrind := run
				valgrind.ID, valgrind.Start = count.ID+"-callgrind", count.Start+"-callgrind"
				valgrind.Passes = []result.Pass{{Kind: result.PassCallgrind, State: result.OK, Windows: []result.Window{{
					State: result.OK, DurationNS: 4e9, Ops: ops,
					Readings: []result.Reading{
						per("instructions_user", v.instructions*(1+off/10), "count", result.SourceCallgrind, result.User),
						per("instructions_connection_user", v.instructions*(1+off/10)-500, "count", result.SourceCallgrind, result.User),
						per("instructions_background_user", 500, "count", result.SourceCallgrind, result.User),
					},
				}}}}
				runs = append(runs, valgrind)
			}
		}
	}
	return runs
}

func demo() compare.Report { return compare.Build(demoRuns(), compare.Options{Base: "nobl"}) }
