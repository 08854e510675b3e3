package explain

import (
	"math"

	"opcost/perfctl/result"
)

// factor is one of a product.
type factor struct {
	label string
	unit  string
	// power is 1, or -1 for a factor that the product is divided by.
	power float64
	change
}

// factors splits a CPU time: instructions × cycles/instruction ÷ clock, as far
// as they were counted by the CPU itself. Counters of the whole process have a
// further factor for the connections' part of it. What was not counted stays in
// the last factor, the time per unit of the one before.
func (f *facts) factors(time change, whole float64, connection bool) (of string, parts []Part) {
	if time.base <= 0 || time.new <= 0 || whole <= 0 {
		return "", nil
	}
	fs := f.counted(connection)
	if fs == nil {
		return "", nil
	}
	ratios := make([]float64, len(fs))
	for i, x := range fs {
		ratios[i] = math.Pow(x.new/x.base, x.power)
		if !(ratios[i] > 0) || math.IsInf(ratios[i], 0) {
			return "", nil
		}
	}
	l := logMean(time.base, time.new)
	for i, d := range split(time.base, time.new, ratios) {
		x := fs[i]
		p := Part{Name: x.name, Label: x.label, Base: x.base, New: x.new, Unit: x.unit, Delta: d, Points: 100 * d / whole}
		if b := x.logs(); b.low != nil {
			lo, hi := l*x.power**b.low, l*x.power**b.high
			p.Low, p.High = ptr(min(lo, hi)), ptr(max(lo, hi))
		}
		parts = append(parts, p)
	}
	return "product", parts
}

func ptr(v float64) *float64 { return &v }

// counted are the factors of a CPU time; nil where the CPU did not count.
func (f *facts) counted(connection bool) []factor {
	ins, cyc, clock, share := instructions, cycles, cpu, connection
	if c, ok := f.of("instructions_connection_per_query"); connection && ok && c.m.Source == result.SourcePerf {
		ins, cyc, clock, share = c.name, "cycles_connection_per_query", cpuConnection, false
	}
	i, ok := f.of(ins)
	if _, has := f.of(clock); !ok || !has || i.m.Source != result.SourcePerf || i.m.State == result.Partial || i.base <= 0 || i.new <= 0 {
		return nil
	}
	user := i.m.Scope == result.User
	label := "instructions/query"
	if user {
		label += " (user)"
	}
	fs := []factor{{label, "count", 1, i}}
	c, ok := f.of(cyc)
	if ok && c.m.Source == result.SourcePerf && c.m.Scope == i.m.Scope && c.m.State != result.Partial && c.base > 0 && c.new > 0 {
		cpi, _ := f.derive("cycles_per_instruction", []string{ins, cyc}, func(vs []float64) float64 { return vs[1] / vs[0] })
		fs = append(fs, factor{"cycles/instruction", "cycles", 1, cpi})
		hz, _ := f.derive("clock", []string{cyc, clock}, func(vs []float64) float64 { return vs[0] / vs[1] / 1000 })
		if user {
			// Cycles of user space over all CPU time are no frequency.
			fs = append(fs, factor{"user cycles a ns of CPU time (clock, kernel's part)", "GHz", -1, hz})
		} else {
			fs = append(fs, factor{"clock", "GHz", -1, hz})
		}
	} else {
		per, _ := f.derive("time_per_instruction", []string{ins, clock}, func(vs []float64) float64 { return 1000 * vs[1] / vs[0] })
		fs = append(fs, factor{"time/instruction", "ns", 1, per})
	}
	if share {
		part, _ := f.derive("connection_share", []string{cpuConnection, cpu}, func(vs []float64) float64 { return vs[0] / vs[1] })
		fs = append(fs, factor{"connections' part of the CPU", "", 1, part})
	}
	return fs
}
