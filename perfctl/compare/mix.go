package compare

import (
	"math"
	"time"

	"opcost/perfctl/result"
)

// Mix splits the change of a cost per statement between two windows: how much
// is because other statements ran (mix), and how much because the same ones
// cost more (cost).
//
// With s_i the share of digest i in all executions and c_i its cost per
// execution, the cost per statement is Σ s_i c_i, and its change is exactly
//
//	Σ (s1_i - s0_i) (c0_i + c1_i)/2   mix
//	Σ (c1_i - c0_i) (s0_i + s1_i)/2   cost
//
// A digest that ran in one window only is all mix, at its own cost. A row that
// adds up other digests cannot be split: its change of cost may be a change of
// mix within it, and is told as Unsplit.
type Mix struct {
	// The windows, by the names that the report has for them.
	BaseVersion string    `json:"base_version"`
	BaseStarted time.Time `json:"base_started"`
	NewVersion  string    `json:"new_version"`
	NewStarted  time.Time `json:"new_started"`
	// Base and New count the executions behind the split.
	Base int64 `json:"base_executions"`
	New  int64 `json:"new_executions"`
	// Latency is in µs of response time inside the server per statement; nil
	// where Lack says why.
	Latency *Split `json:"latency_us"`
	// CPU in µs; nil unless the server collected it in both windows.
	CPU  *Split   `json:"cpu_us"`
	Rows []MixRow `json:"rows"` // the largest change first
	// Lack says why there is no split, or what of the load is not in it.
	Lack     *Lack            `json:"lack,omitempty"`
	Warnings []result.Warning `json:"warnings,omitempty"`
}

// Split is a cost per statement in both windows, and the parts of its change:
// New - Base = Mix + Cost + Unsplit.
type Split struct {
	Base    float64 `json:"base"`
	New     float64 `json:"new"`
	Mix     float64 `json:"mix"`
	Cost    float64 `json:"cost"`
	Unsplit float64 `json:"unsplit"`
}

// Delta is the change; 0 where it is nothing but rounding.
func (s Split) Delta() float64 {
	d := s.Mix + s.Cost + s.Unsplit
	if math.Abs(d) <= 1e-12*max(s.Base, s.New) {
		return 0
	}
	return d
}

// MixRow is one digest in both windows.
type MixRow struct {
	Schema string `json:"schema,omitempty"`
	Text   string `json:"text"` // the new window's, else the base's
	Others bool   `json:"others,omitempty"`
	// Executions in each window; 0: it did not run.
	BaseCount int64 `json:"base_count"`
	NewCount  int64 `json:"new_count"`
	// Shares of all executions of the window.
	BaseShare float64 `json:"base_share"`
	NewShare  float64 `json:"new_share"`
	// Latency and CPU: Base and New are the digest's own share of the cost per
	// statement, s_i c_i, so that columns add up to the totals.
	Latency Split  `json:"latency_us"`
	CPU     *Split `json:"cpu_us"`
	// Cost per execution; nil where it did not run.
	BaseLatencyUS *float64 `json:"base_latency_us"`
	NewLatencyUS  *float64 `json:"new_latency_us"`
	BaseCPUUS     *float64 `json:"base_cpu_us"`
	NewCPUUS      *float64 `json:"new_cpu_us"`
}
