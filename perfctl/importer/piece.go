package importer

import (
	"slices"

	"opcost/perfctl/importer/smalldatum"
	"opcost/perfctl/result"
)

// piece is what one file says of one cell, with what it does not name left
// empty.
type piece struct {
	from     *source
	facts    facts
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

// units of the metrics that are imported as gauges.
var units = map[string]string{
	"qps": "statement", "qps_relative": "ratio", "o/s": "statement", "cpu/o": "percent", "cs/o": "count",
	"r/o": "count", "rKB/o": "kb", "wKB/o": "kb",
}

// has tells whether a run has a reading of that name.
func has(run *result.Run, name string) bool { return find1(run, name) != nil }

func find1(run *result.Run, name string) *result.Reading {
	for _, w := range run.Passes[0].Windows {
		if i := slices.IndexFunc(w.Readings, func(r result.Reading) bool { return r.Name == name }); i >= 0 {
			return &w.Readings[i]
		}
	}
	return nil
}
