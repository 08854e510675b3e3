package result

// State says whether a value may be believed, and how far. Nothing unknown is
// ever written as 0: a reading without a value carries one of the last three
// states and a reason.
type State string

const (
	// OK: counted over the whole window.
	OK State = "ok"
	// Scaled: the PMU was shared; the value is an extrapolation from RunningFraction.
	Scaled State = "scaled"
	// Partial: a value and what it covers; evidence, never a verdict.
	Partial State = "partial"
	// Unsupported: this machine, kernel, server or tool cannot give it.
	Unsupported State = "unsupported"
	// NotCounted: it could have been counted, and was not in this window.
	NotCounted State = "not_counted"
	// Failed: reading it went wrong.
	Failed State = "failed"
)

// Usable reports whether a reading in this state has a value at all.
func (s State) Usable() bool { return s == OK || s == Scaled || s == Partial }

// Source names who counted. Ratios are never taken across sources.
type Source string

const (
	SourcePerf      Source = "perf"
	SourceCallgrind Source = "callgrind"
	SourceProc      Source = "proc"
	SourceServer    Source = "server"
	SourceClient    Source = "client"
	SourceHost      Source = "host"
	SourceImport    Source = "import"
)

// Scope names which side of the system call boundary was counted. Ratios are
// never taken across scopes.
type Scope string

const (
	User       Scope = "user"
	Kernel     Scope = "kernel"
	UserKernel Scope = "user+kernel"
)

// Reading is one quantity over one window: a difference between the window's
// edges, not a rate and not yet divided by operations.
//
// Naming rule: the reading "x" becomes the metric "x_per_query". So names are
// the fixed metric names without that ending: instructions_user, cpu_us,
// context_switches_voluntary, rows_read, read_kb, handler_read_key, ...
// Readings of the whole host start with "host_", gauges that are no sum over the
// window (a mean, a level at an edge) have Gauge set and are not divided. A gauge
// of what was imported (SourceImport) is a rate or a cost as it was printed, and
// has the metric's own name: qps, cpu/o, response_us.
type Reading struct {
	Name   string   `json:"name"`
	Value  *float64 `json:"value"` // nil where State is not Usable
	Unit   string   `json:"unit"`  // "count", "us", "kb", "percent", ...
	Source Source   `json:"source"`
	Scope  Scope    `json:"scope,omitempty"`
	State  State    `json:"state"`
	Reason string   `json:"reason,omitempty"` // why not OK, in words for the user
	Remedy string   `json:"remedy,omitempty"` // the exact command or setting that changes it
	Gauge  bool     `json:"gauge,omitempty"`
	// RunningFraction is the share of the window in which a multiplexed event
	// was on the PMU; 0 where the notion does not apply.
	RunningFraction float64 `json:"running_fraction,omitempty"`
	// Uncertainty is the half-width, in the reading's unit, caused by reading
	// the edges at other moments than the operation count (0 behind a gate).
	Uncertainty float64 `json:"uncertainty,omitempty"`
}

// Got makes a reading that was counted over the whole window.
func Got(name string, value float64, unit string, src Source, scope Scope) Reading {
	return Reading{Name: name, Value: &value, Unit: unit, Source: src, Scope: scope, State: OK}
}

// Lacking makes a reading that has no value, with its reason and remedy.
func Lacking(name, unit string, src Source, scope Scope, st State, reason, remedy string) Reading {
	return Reading{Name: name, Unit: unit, Source: src, Scope: scope, State: st, Reason: reason, Remedy: remedy}
}
