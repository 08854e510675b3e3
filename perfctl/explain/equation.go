package explain

import (
	"math"
	"strconv"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// Names of metrics that equations are made of.
const (
	responseTime  = "response_us"
	throughput    = "qps"
	serverLatency = "server_latency_us"
	cpu           = "cpu_us_per_query"
	cpuConnection = "cpu_connection_us_per_query"
	queue         = "run_queue_connection_us_per_query"
	instructions  = "instructions_per_query"
	cycles        = "cycles_per_query"
)

// total is the time of a query, and where it is from.
type total struct {
	change
	name, label string
}

// time of a query: as clients measured it, else from the throughput of a closed
// loop, else as the server timed its statements. It must be per what CPU time
// is per, to have it as a part.
func (f *facts) time() (total, bool) {
	per := f.per()
	if c, ok := f.of(responseTime); ok && (per == "" || c.m.Per == per) {
		return total{c, responseTime, "response time"}, true
	}
	if c, ok := f.of(throughput); ok && (per == "" || c.m.Unit == per) && c.base > 0 && c.new > 0 {
		b, n := clientsOf(f.baseKey), clientsOf(f.newKey)
		if b > 0 && n > 0 {
			return total{f.inverse(c, b, n), "time_us", "time of a query and client"}, true
		}
	}
	if c, ok := f.of(serverLatency); ok && (per == "" || c.m.Per == per) {
		return total{c, serverLatency, "server latency"}, true
	}
	return total{}, false
}

// per is what CPU costs are per; "" where there are none.
func (f *facts) per() string {
	for _, m := range []string{cpu, cpuConnection, instructions} {
		if c, ok := f.of(m); ok {
			return c.m.Per
		}
	}
	return ""
}

func clientsOf(k key) float64 {
	n, err := strconv.Atoi(k.clients)
	if err != nil {
		return 0
	}
	return float64(n)
}

// inverse is the time of a query of so many clients, from their throughput.
func (f *facts) inverse(c change, base, new float64) change {
	out := change{name: "time_us", base: 1e6 * base / c.base, new: 1e6 * new / c.new, m: c.m}
	out.m.Unit, out.m.Per = "us", c.m.Unit
	for _, v := range c.bases {
		out.bases = append(out.bases, 1e6*base/v)
	}
	for _, v := range c.news {
		out.news = append(out.news, 1e6*new/v)
	}
	if c.r != nil && base == new { // the ratio's interval turns around
		r := *c.r
		r.Ratio = 1 / r.Ratio
		if r.Low != nil && r.High != nil && *r.Low > 0 {
			lo, hi := 1 / *r.High, 1 / *r.Low
			r.Low, r.High = &lo, &hi
		}
		out.r = &r
	}
	return out
}

// response is the change of the time of a query.
func (f *facts) response() (base, new float64, ok bool) {
	t, ok := f.time()
	return t.base, t.new, ok
}

// term makes a part of a sum.
func term(name, label string, c change, total float64) Part {
	b := c.delta()
	p := Part{Name: name, Label: label, Base: c.base, New: c.new, Unit: "us", Delta: c.new - c.base, Low: b.low, High: b.high}
	if total > 0 {
		p.Points = 100 * p.Delta / total
	}
	return p
}

// responseEquation: time of a query = on-CPU time of the connection threads +
// their run-queue wait + the rest.
func (f *facts) responseEquation() (Equation, bool) {
	t, ok := f.time()
	if !ok {
		return Equation{}, false
	}
	e := Equation{Name: "response", Unit: "us", Per: t.m.Per, Total: term(t.name, t.label, t.change, t.base)}
	if e.Per == "second" || e.Per == "" {
		e.Per = "statement"
	}
	on, ok := f.of(cpuConnection)
	if !ok {
		return e, true // what is missing is named
	}
	e.Total.Of = "sum"
	connection := term(cpuConnection, "on CPU, connection threads", on, t.base)
	connection.Of, connection.Parts = f.factors(on, t.base, true)
	e.Total.Parts = []Part{connection}
	metrics := []string{cpuConnection}
	if wait, ok := f.of(queue); ok {
		e.Total.Parts = append(e.Total.Parts, term(queue, "waiting for a CPU", wait, t.base))
		metrics = append(metrics, queue)
	}
	e.Total.Parts = append(e.Total.Parts, f.rest(t, e.Total, metrics))
	return e, true
}

// rest is what the measured terms leave of a total.
func (f *facts) rest(t total, whole Part, metrics []string) Part {
	c := change{base: t.base, new: t.new}
	for _, p := range whole.Parts {
		c.base, c.new = c.base-p.Base, c.new-p.New
	}
	metric := t.name
	scale := [2]float64{}
	if metric == "time_us" { // of each start's own throughput
		metric, scale = throughput, [2]float64{1e6 * clientsOf(f.baseKey), 1e6 * clientsOf(f.newKey)}
	}
	left := func(scale float64) func(vs []float64) float64 {
		return func(vs []float64) float64 {
			v := vs[0]
			if scale > 0 {
				v = scale / v
			}
			for _, x := range vs[1:] {
				v -= x
			}
			return v
		}
	}
	all := append([]string{metric}, metrics...)
	c.bases, c.news = derived(f.baseStarts, all, left(scale[0])), derived(f.newStarts, all, left(scale[1]))
	label := "the rest: locks, I/O, network, client"
	if len(metrics) == 1 {
		label = "the rest: waiting for a CPU, locks, I/O, network, client"
	}
	p := term("rest", label, c, t.base)
	p.Rest = true
	return p
}

// cpu is the CPU of a query = connection + background; where they are not told
// apart, by the factors of the whole.
func (f *facts) cpu() (Equation, bool) {
	c, ok := f.of(cpu)
	if !ok {
		return Equation{}, false
	}
	e := Equation{Name: "cpu", Unit: "us", Per: c.m.Per, Total: term(cpu, "CPU/query", c, c.base)}
	on, ok := f.of(cpuConnection)
	if !ok {
		e.Total.Of, e.Total.Parts = f.factors(c, c.base, false)
		return e, true
	}
	connection := term(cpuConnection, "connection threads", on, c.base)
	if _, has := f.time(); !has { // else they stand in that equation
		connection.Of, connection.Parts = f.factors(on, c.base, true)
	}
	background, _ := f.derive("background", []string{cpu, cpuConnection}, func(vs []float64) float64 { return less(vs[0], vs[1]) })
	b := term("cpu_background", "background threads", background, c.base)
	b.Rest = true
	e.Total.Of, e.Total.Parts = "sum", []Part{connection, b}
	return e, true
}

// less is a-b, and 0 where they differ by no more than how they were summed up.
func less(a, b float64) float64 {
	if d := a - b; math.Abs(d) > 1e-12*math.Abs(a) {
		return d
	}
	return 0
}

// missing are the factors that could not be measured.
func (f *facts) missing() []Missing {
	all := []Missing{}
	lack := func(name string, metrics ...string) {
		for _, metric := range metrics {
			if _, ok := f.of(metric); ok {
				return
			}
		}
		all = append(all, f.lackOf(name, metrics[0]))
	}
	if _, ok := f.time(); !ok {
		lack("response time", responseTime)
	}
	lack("CPU/query", cpu)
	lack("CPU time of the connection threads", cpuConnection)
	lack("run-queue wait of the connection threads", queue)
	for _, m := range []struct{ name, metric string }{{"instructions/query", instructions}, {"cycles/instruction and clock", cycles}} {
		if c, ok := f.of(m.metric); !ok {
			all = append(all, f.lackOf(m.name, m.metric))
		} else if c.m.Source != result.SourcePerf {
			all = append(all, Missing{Name: m.name, Reason: "counted by " + string(c.m.Source) + " (" + string(c.m.Scope) + " space only), not by the CPU: evidence, no factor of CPU time",
				Remedy: "measure on a machine with hardware counters (opcost doctor)"})
		}
	}
	return all
}

// lackOf says why a metric is not on both sides.
func (f *facts) lackOf(name, metric string) Missing {
	for _, row := range []compare.Row{f.newRow, f.baseRow} {
		if m, ok := row.Metrics[metric]; ok && m.Value == nil {
			return Missing{Name: name, Reason: m.Reason, Remedy: m.Remedy}
		}
	}
	b, okBase := f.baseRow.Metrics[metric]
	n, okNew := f.newRow.Metrics[metric]
	switch {
	case okBase && okNew:
		return Missing{Name: name, Reason: "the two sides counted it in unlike ways: " + string(b.Source) + " " + string(b.Scope) + ", " + string(n.Source) + " " + string(n.Scope),
			Remedy: "measure both on one machine, with one plan"}
	case okBase:
		return Missing{Name: name, Reason: f.newName + " lacks it", Remedy: "measure both with one plan"}
	case okNew:
		return Missing{Name: name, Reason: f.baseName + " lacks it", Remedy: "measure both with one plan"}
	}
	return Missing{Name: name, Reason: "it was not measured"}
}
