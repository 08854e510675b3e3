package compare

import "opcost/perfctl/result"

// Schema is the version of the report's JSON.
const Schema = 1

// Report is a comparison, ready to be laid out. Its JSON is a fixed format.
type Report struct {
	Schema int    `json:"schema"`
	Base   string `json:"base"` // the version that ratios are taken to
	// Versions in the order in which tables show them.
	Versions []string `json:"versions"`
	Rows     []Row    `json:"rows"`
	// Warnings: what makes versions unlike comes first (code "unlike").
	Warnings []result.Warning `json:"warnings"`
}

// Row is one cell: (host, version, workload, clients, protocol, driver), its
// passes merged.
type Row struct {
	Host     string `json:"host"`
	Version  string `json:"version"`
	Workload string `json:"workload"`
	Group    string `json:"group"`
	Clients  int    `json:"clients"`
	Protocol string `json:"protocol"`
	Driver   string `json:"driver"`
	// Runs is the number of server starts measured; where passes had starts of
	// their own, the number of the pass that had most. Each metric's N says how
	// many starts stand behind it.
	Runs int `json:"runs"`
	// Primary names the metric that carries this row's verdict, "" where none can.
	Primary string `json:"primary"`
	// Against names the version that VsBase is to, where that is not the
	// report's base: see [Options.Previous].
	Against string       `json:"against,omitempty"`
	Metrics map[string]M `json:"metrics"`
	// VsBase holds ratios to the base version's row; it is empty for the base
	// itself and lacks the metrics for which no ratio may be taken.
	VsBase map[string]R `json:"vs_base"`
}

// M is one metric of a row.
type M struct {
	Value *float64 `json:"value"` // median of the starts; null where State has no value
	// Low and High bound the median with 95% confidence; null where the starts
	// are too few to say. Where Method is [EdgesMethod] they bound the value of
	// one window by how its edges were read, which is no confidence.
	Low             *float64      `json:"low"`
	High            *float64      `json:"high"`
	N               int           `json:"n"`    // server starts behind Value
	Unit            string        `json:"unit"` // count, us, kb, percent, ...
	Per             string        `json:"per"`  // statement, transaction, row, select, ...; second for rates
	Source          result.Source `json:"source"`
	Scope           result.Scope  `json:"scope"` // "" where the notion does not apply
	State           result.State  `json:"state"`
	Reason          string        `json:"reason"`
	Remedy          string        `json:"remedy,omitempty"`
	RunningFraction *float64      `json:"running_fraction"` // the smallest of the starts; null unless multiplexed
	Method          string        `json:"method,omitempty"` // how Low and High were found, or why they are null
}

// R is the ratio of a row's metric to the base's.
type R struct {
	Ratio float64 `json:"ratio"` // of the medians
	// Low and High bound the ratio; null where they cannot be given. Level is
	// their confidence: 0.95, or more where many verdicts are given at once; 0
	// where Method is [EdgesMethod].
	Low     *float64 `json:"low"`
	High    *float64 `json:"high"`
	Level   float64  `json:"level,omitempty"`
	Verdict Verdict  `json:"verdict"`
	Method  string   `json:"method"` // how Low and High were found, or why they are null
	// Threshold is the share of change that matters for this metric.
	Threshold float64 `json:"threshold"`
	// MoreStarts, for an unsure verdict: about how many more server starts a
	// side would tell; 0 when that cannot be said.
	MoreStarts int `json:"more_starts,omitempty"`
	// Reason says why there is no verdict, or why it is unsure.
	Reason string `json:"reason,omitempty"`
}

// Verdict is what a ratio's whole interval says against ±threshold.
type Verdict string

const (
	Slower Verdict = "slower" // the whole interval is beyond the threshold, on the costly side
	Faster Verdict = "faster" // the whole interval is beyond the threshold, on the cheap side
	Same   Verdict = "same"   // the whole interval is within the threshold
	Unsure Verdict = "unsure" // none of these
	None   Verdict = ""       // no verdict is given: the reason is beside it
)
