package page

import (
	"errors"
	"fmt"
	"io"

	"opcost/perfctl/compare"
)

// DefaultLimit is the largest size of a page in bytes where [Input] names none.
const DefaultLimit = 10_000_000

// Input is what a page shows.
type Input struct {
	Title  string
	Report compare.Report
	// Series are of the same runs, one a metric. Where there are none, or of
	// another metric, the page shows no releases in order.
	Series []compare.Series
	Metric string // the one shown first; "", or one that no row has: the first there is
	// Evidence are the runs behind the rows; nil where they cannot be linked.
	Evidence []Run
	Notes    []string // shown with the warnings, as why evidence is not linked
	Limit    int      // of the page, in bytes; 0: DefaultLimit
}

// Run is a run's place beside the page.
type Run struct {
	Host, Version, Workload string
	Clients                 int
	Protocol, Driver        string
	ID                      string
	Folder                  string   // of the run, relative to the page's folder, with slashes
	Files                   []string // in it, as evidence/profile.pb.gz
	Flame                   string   // a page with its flame graph, relative as Folder; "": none
}

// Written says what a page holds.
type Written struct {
	Bytes   int
	Metrics int
	// LeftOut are metrics that had no room.
	LeftOut []string
}

// Write writes the page. Nothing is written if it gives an error, except where w
// itself failed.
func Write(w io.Writer, in Input) (Written, error) {
	if in.Limit == 0 {
		in.Limit = DefaultLimit
	}
	if len(in.Report.Rows) == 0 {
		return Written{}, errors.New("the page would be empty: the report has no rows")
	}
	text, written, err := fit(in)
	if err != nil {
		return Written{}, err
	}
	if _, err := w.Write(text); err != nil {
		return Written{}, fmt.Errorf("write the page: %w", err)
	}
	return written, nil
}
