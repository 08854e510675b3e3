package report

import (
	"io"

	"opcost/perfctl/compare"
)

// Live is what is laid out of a window of a live server.
type Live struct {
	Report compare.Report
	Tables compare.LiveTables // of the window
	Mix    *compare.Mix       // against a saved window; nil: there is none
}

// LiveLayout is what the place of printing allows, and how much of each table
// is shown. Formats for programs take no notice of the latter.
type LiveLayout struct {
	Layout
	Kinds   int // rows shown; 0: 12
	Digests int // rows shown; 0: 10
	Threads int // rows shown; 0: 10
}

// WriteLive lays a window of a live server out: the costs per query, then where
// they came from.
func WriteLive(w io.Writer, f Format, live Live, l LiveLayout) error { return nil }
