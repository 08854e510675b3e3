package top

import (
	"opcost/profiles/granularity"
	"opcost/profiles/subsystem"
)

// Options of a table.
type Options struct {
	By         granularity.Level // "" is by function
	Limit      int               // rows before the rest is one row; 0: all
	Subsystems *subsystem.Table  // nil: opcost's own
}

// Table is the costs of a profile.
type Table struct {
	Event      string            `json:"event"`
	Unit       string            `json:"unit"` // of the values per query
	Per        string            `json:"per"`
	By         granularity.Level `json:"granularity"`
	Operations float64           `json:"operations"` // 0: not known, and no value per query either
	Weight     int64             `json:"weight"`     // the total, in WeightUnit, as all Self and Total
	WeightUnit string            `json:"weight_unit"`
	Samples    int64             `json:"samples"`   // 0 for counted events
	PerQuery   *float64          `json:"per_query"` // the total
	Rows       []Row             `json:"rows"`      // by self, largest first; Rest last
}

// Kind tells rows apart that are no function.
type Kind string

const (
	Known      Kind = ""
	Unresolved Kind = "unresolved" // code without a name, or a sample without a stack
	Rest       Kind = "others"     // what the limit left out
)

// Row is one function, object or subsystem. Self was spent in its own code, Total
// while it was under way. Their PerQuery values are null without operations.
type Row struct {
	Function  string `json:"function,omitempty"`
	Object    string `json:"object,omitempty"`
	Subsystem string `json:"subsystem,omitempty"` // where most of Self belongs
	// Inherited: Subsystem is a caller's, as the function has no name.
	Inherited     bool     `json:"inherited,omitempty"`
	Kind          Kind     `json:"state,omitempty"`
	Self          int64    `json:"self"`
	SelfPerQuery  *float64 `json:"self_per_query"`
	SelfSamples   int64    `json:"self_samples,omitempty"`
	Share         float64  `json:"share"` // of the total, Self's
	Total         *int64   `json:"total"` // null where it is not known
	TotalPerQuery *float64 `json:"total_per_query"`
	// TotalBound: Total is at most this; see cost.Row.Bound.
	TotalBound    bool     `json:"total_bound,omitempty"`
	CallsPerQuery *float64 `json:"calls_per_query,omitempty"` // where calls were counted
	Folded        int      `json:"folded,omitempty"`          // rows that are in this one
}
