package importer

import (
	"fmt"
	"math"
	"slices"

	"opcost/perfctl/importer/smalldatum"
	"opcost/perfctl/result"
)

// piece is what one file says of one cell, with what it does not name left
// empty.
type piece struct {
	from     *source
	facts    facts
	host     string            // "" where not named
	server   smalldatum.Server // Raw "" where not named
	test     smalldatum.Test   // Name "" where not named
	clients  int
	driver   string
	window   result.Window
	cpus     int // of the machine; 0 where not named
	tables   int
	rows     int64
	warnings []result.Warning
	// whole: the output of one run of a load, so that a second one for the same
	// cell is a repeat. Tables and machine-wide outputs add to what is there.
	whole bool
	text  string // the line that it is from, and where; "" is the whole file
	line  int
}

// gauge makes a reading of a rate or mean, as printed.
func gauge(name string, value float64, unit string) result.Reading {
	r := result.Got(name, value, unit, result.SourceImport, "")
	r.Gauge = true
	return r
}

// window of readings alone, without a count of operations.
func windowOf(s *source, rs ...result.Reading) result.Window {
	return result.Window{
		ID: s.name, Start: s.time, State: result.OK, Readings: rs,
		Ops: result.OpCount{Source: result.SourceImport, Per: "statement"},
	}
}

// plausible takes out what no tool prints and no record can hold: numbers beyond
// all bounds, as of a file that was tampered with.
func (p *piece) plausible() {
	for i, r := range p.window.Readings {
		if r.Value != nil && !(math.Abs(*r.Value) < 1e18) {
			lacks := result.Lacking(r.Name, r.Unit, r.Source, r.Scope, result.Failed, fmt.Sprintf("the number in the file, %v, is beyond all bounds", *r.Value), "")
			lacks.Gauge = r.Gauge
			p.window.Readings[i] = lacks
		}
	}
	p.window.DurationNS = max(0, p.window.DurationNS)
}

// nanoseconds of a duration in seconds; 0 for one that cannot be.
func nanoseconds(seconds float64) int64 {
	if !(seconds > 0 && seconds < 1e9) {
		return 0
	}
	return int64(math.Round(seconds * 1e9))
}

// units of the metrics that are imported as gauges.
var units = map[string]string{
	"qps": "statement", "qps_relative": "ratio", "o/s": "statement", "cpu/o": "percent", "cs/o": "count",
	"r/o": "count", "rKB/o": "kb", "wKB/o": "kb",
}

// has tells whether a run has a reading of that name.
func has(run *result.Run, name string) bool { return readingOf(run, name) != nil }

// readingOf is the run's first reading of that name, or nil.
func readingOf(run *result.Run, name string) *result.Reading {
	for _, w := range run.Passes[0].Windows {
		if i := slices.IndexFunc(w.Readings, func(r result.Reading) bool { return r.Name == name }); i >= 0 {
			return &w.Readings[i]
		}
	}
	return nil
}
