package granularity

import (
	"fmt"

	"opcost/profiles"
)

// Level is what a row stands for.
type Level string

const (
	Function  Level = "function"  // a name in an object
	Name      Level = "name"      // a name, in whatever object
	Object    Level = "object"    // a program, a library, the kernel
	Subsystem Level = "subsystem" // see package subsystem
)

// Levels are all levels, finest first.
var Levels = []Level{Function, Name, Object, Subsystem}

// Parse is the level of that name; "" is [Function].
func Parse(s string) (Level, error) {
	if s == "" {
		return Function, nil
	}
	for _, l := range Levels {
		if s == string(l) {
			return l, nil
		}
	}
	return "", fmt.Errorf("granularity %q: give function, name, object or subsystem", s)
}

// UnitText is a unit of [Unit] for people.
func UnitText(unit string) string {
	if unit == "us" {
		return "µs"
	}
	return unit
}

// Unit is the unit in which costs of an event are shown per query, and what a
// weight is multiplied by for it: CPU is sampled in nanoseconds and shown in
// microseconds.
func Unit(e profiles.Event) (unit string, scale float64) {
	if e.Unit == profiles.Nanoseconds {
		return "us", 1e-3
	}
	return e.Unit, 1
}
