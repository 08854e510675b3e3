package explain

import (
	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// Schema is the version of the JSON of a [Comparison].
const Schema = 1

// Comparison is what there is to say of all the cells that two selections have
// in common. Its JSON is a fixed format.
type Comparison struct {
	Schema int    `json:"schema"`
	Base   string `json:"base"` // what the two sides are called
	New    string `json:"new"`
	// Cells are all of them in short, the worst first.
	Cells []Summary `json:"cells"`
	// Explanations are of the worst cell, or of each.
	Explanations []Explanation    `json:"explanations"`
	Warnings     []result.Warning `json:"warnings"`
}

// Summary is one cell in short.
type Summary struct {
	Place
	Verdict Verdict  `json:"verdict"`
	Kinds   []string `json:"kinds"` // names of the rules that hold
	// NotSure are those of Kinds that are not sure.
	NotSure []string `json:"kinds_not_sure,omitempty"`
	// Response and CPU are the change of the two totals, as a share of the base
	// (0.31: 31% more); null where they are not known.
	Response *float64 `json:"response_change"`
	CPU      *float64 `json:"cpu_change"`
}

// Place names a pair of cells by what both have in common; where the two differ
// in something, it is the new one's, and among the differences.
type Place struct {
	Host     string `json:"host"`
	Workload string `json:"workload"`
	Clients  int    `json:"clients"`
	Protocol string `json:"protocol"`
	Driver   string `json:"driver"`
	// Starts of the server on each side.
	BaseStarts int `json:"base_starts"`
	NewStarts  int `json:"new_starts"`
}

// Verdict is compare's, of the metric that carries it.
type Verdict struct {
	Metric string     `json:"metric"` // "" where no metric can carry one
	Word   string     `json:"word"`   // slower, faster, same, unsure; "" for none
	Ratio  *compare.R `json:"ratio"`  // null where none can be taken
	Text   string     `json:"text"`   // one sentence, without numbers
	Reason string     `json:"reason"` // why there is none, or why it is unsure
}

// Explanation is all that is said of one pair of cells.
type Explanation struct {
	Place
	Base        string       `json:"base"`
	New         string       `json:"new"`
	Verdict     Verdict      `json:"verdict"`
	Differences []Difference `json:"differences"` // those that matter most first
	// Words is the equation in a sentence: which factor explains how many points.
	Words     string     `json:"words"`
	Equations []Equation `json:"equations"`
	// Missing are factors that could not be measured; the others still add up.
	Missing []Missing `json:"missing"`
	Code    *Code     `json:"code"` // null where Lack says why
	Lack    string    `json:"code_lack,omitempty"`
	Kinds   []Finding `json:"kinds"`
	Surer   []string  `json:"surer"` // what would make it surer
	Next    []string  `json:"next"`  // commands
}

// Equation is a total and what it is made of: the parts' deltas add up to its.
type Equation struct {
	Name  string `json:"name"`
	Unit  string `json:"unit"`
	Per   string `json:"per"`
	Total Part   `json:"total"`
}

// Part is a term of an equation, or a factor of one.
type Part struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	// Base and New are its values in Unit.
	Base float64 `json:"base"`
	New  float64 `json:"new"`
	Unit string  `json:"unit"`
	// Delta is what it adds to the total's change, in the total's unit. That of
	// a term is New - Base; that of a factor its part by logarithmic means.
	// Low and High bound it with 95%; null where the starts are too few to say.
	Delta float64  `json:"delta"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	// Points is Delta as percent of the equation's total in the base.
	Points float64 `json:"points"`
	// Rest: it was not measured, but is what the measured parts leave.
	Rest bool `json:"rest,omitempty"`
	// Of is how Parts make it: "sum" or "product"; "" where it has none.
	Of    string `json:"of,omitempty"`
	Parts []Part `json:"parts,omitempty"`
}

// Missing is a factor that could not be measured.
type Missing struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
	Remedy string `json:"remedy,omitempty"`
}

// Difference is something besides the version in which the two sides differ.
type Difference struct {
	Name string `json:"name"`
	// Base and New are shortened to what differs, of lists like optimizer_switch.
	Base  string `json:"base"`
	New   string `json:"new"`
	Class Class  `json:"class"`
	Why   string `json:"why"` // why it matters; "" where that is not known
	// Isolate is the setting that makes the two sides alike in this alone.
	Isolate Isolation `json:"isolate"`
}

// Class says what a difference is of.
type Class string

const (
	Selected Class = "selected" // asked for: another number of clients, workload or host
	Session  Class = "session"  // character set, TLS, protocol, transport
	Setting  Class = "setting"  // options and effective variables
	Plan     Class = "plan"     // EXPLAIN of a statement
	Work     Class = "work"     // rows read and the like, per query
	State    Class = "state"    // of the machine, during the windows
	Machine  Class = "machine"
	Build    Class = "build"
)

// Isolation is the one thing to set so that a difference goes away.
type Isolation struct {
	// Where names the key of a version in a plan: options, session, env,
	// launcher, mysqld; "transport" is the plan's own. "" where nothing can be
	// set, and Reason says why.
	Where string `json:"where,omitempty"`
	Key   string `json:"key,omitempty"` // within it: the option's name, as in my.cnf
	// Base and New are the whole values of both sides.
	Base   string `json:"base"`
	New    string `json:"new"`
	Reason string `json:"reason,omitempty"`
}

// Finding is a kind of cause that the evidence speaks for.
type Finding struct {
	Kind  string `json:"kind"` // the rule's name
	Title string `json:"title"`
	Text  string `json:"text"` // what was found, in a sentence
	// Sure: intervals or checks say so. Else it is ratios whose noise is not
	// known, or what is left when other things are ruled out.
	Sure     bool       `json:"sure"`
	Evidence []Evidence `json:"evidence"`
}

// Evidence is one number, or fact, behind a finding.
type Evidence struct {
	Name  string     `json:"name"`
	Base  *float64   `json:"base"`
	New   *float64   `json:"new"`
	Unit  string     `json:"unit,omitempty"`
	Ratio *compare.R `json:"ratio,omitempty"`
	Text  string     `json:"text,omitempty"`
}

// Code is which functions the change is in.
type Code struct {
	Event string `json:"event"`
	Unit  string `json:"unit"`
	Per   string `json:"per"`
	// Total, Rows and Subsystems: the rows' deltas add up to the total's, and so
	// do the subsystems'.
	Total      CodeRow   `json:"total"`
	Rows       []CodeRow `json:"rows"`
	Subsystems []CodeRow `json:"subsystems"`
	// Diffuse is how many functions make 80% of what moved in the direction of
	// the whole change, the largest first, of how many that moved so at all.
	Diffuse  int      `json:"functions_for_80_percent"`
	Moved    int      `json:"functions_moved"`
	Calls    bool     `json:"calls_known"`
	Warnings []string `json:"warnings"`
}

// CodeRow is one function or subsystem, its costs per query.
type CodeRow struct {
	Function  string   `json:"function,omitempty"`
	Object    string   `json:"object,omitempty"`
	Subsystem string   `json:"subsystem,omitempty"`
	Base      float64  `json:"base"`
	New       float64  `json:"new"`
	Delta     float64  `json:"delta"`
	Share     *float64 `json:"share"` // of the whole change; null where there is none
	State     string   `json:"state,omitempty"`
	Calls     *Calls   `json:"calls,omitempty"`
}

// Calls of a function, per query, where they were counted.
type Calls struct {
	Base float64 `json:"base"`
	New  float64 `json:"new"`
	// More and Costlier split the row's Delta: more calls, and costlier ones.
	More     float64 `json:"more_calls"`
	Costlier float64 `json:"costlier_calls"`
}
