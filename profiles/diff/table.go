package diff

import (
	"opcost/perfctl/result"
	"opcost/profiles"
	"opcost/profiles/granularity"
	"opcost/profiles/quality"
	"opcost/profiles/subsystem"
)

// Side is one repeat of one version.
type Side struct {
	Profile    *profiles.Profile
	Operations float64 // 0: the profile's own
}

// Options of a comparison.
type Options struct {
	By         granularity.Level // "" is by function
	Subsystems *subsystem.Table  // nil: opcost's own
	KeepNoise  bool              // no row is folded
	Quality    quality.Options
}

// Table is a comparison. All costs are per operation; Rows add up to Total, and so
// do Subsystems.
type Table struct {
	Event      string            `json:"event"`
	Unit       string            `json:"unit"` // us where CPU time was sampled
	Per        string            `json:"per"`
	By         granularity.Level `json:"granularity"`
	Total      Change            `json:"total"`
	Rows       []Row             `json:"rows"` // largest change first, noise last
	Subsystems []Row             `json:"subsystems"`
	Quality    Quality           `json:"quality"`
}

// Change is a cost in the two versions; with repeats the mean of theirs.
type Change struct {
	Base  float64 `json:"base"`
	New   float64 `json:"new"`
	Delta float64 `json:"delta"` // New - Base
	// Uncertainty is half the width of the interval of Delta, from the spread of
	// the repeats, or from the numbers of samples, whichever is larger; null where
	// neither is known. The interval is of 99%, that of the Total of 95%.
	Uncertainty *float64 `json:"uncertainty"`
}

// State says what a row is.
type State string

const (
	Both       State = "both"
	OnlyBase   State = "only_base"
	OnlyNew    State = "only_new"
	Unresolved State = "unresolved" // no name, and nothing else by which two builds meet
	Noise      State = "noise"      // all rows whose change is within its uncertainty
)

// Row is one function, name, object or subsystem.
type Row struct {
	Function  string `json:"function"` // see granularity.Key.Text; "" at other levels
	Object    string `json:"object"`
	Subsystem string `json:"subsystem"` // where most of its cost belongs
	Change
	Share *float64 `json:"share"` // of the whole change; null where there is none
	State State    `json:"state"`
	// Calls is nil where calls were not counted in all profiles.
	Calls *Calls `json:"calls,omitempty"`
	// Inherited is how much of the cost has its place from a caller, as it has no
	// name itself, from 0 to 1.
	Inherited float64 `json:"inherited"`
	Folded    int     `json:"folded,omitempty"` // rows that are in a noise row
}

// Quality says how far the comparison may be trusted.
type Quality struct {
	Base SideQuality `json:"base"`
	New  SideQuality `json:"new"`
	// Method says where uncertainties come from; "" where there are none, and
	// then nothing is folded as noise.
	Method string `json:"method"`
	// Named is the share of the change's own movement (the sum of all rows'
	// absolute changes) that is in rows with a name.
	Named *float64 `json:"named_share"`
	// Warnings are differences between the two sides other than the version.
	Warnings []string `json:"warnings"`
}

// SideQuality is one version's part.
type SideQuality struct {
	Version    string           `json:"version"`
	Repeats    int              `json:"repeats"`
	Operations float64          `json:"operations"` // of all repeats
	Samples    int64            `json:"samples"`    // likewise; 0 for counted events
	Checks     []result.Quality `json:"checks"`     // of each the worst of the repeats
}
