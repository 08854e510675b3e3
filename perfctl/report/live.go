package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"opcost/perfctl/compare"
)

// Live is what is laid out of a window of a live server.
type Live struct {
	Report compare.Report
	Tables compare.LiveTables // of the window
	Mix    *compare.Mix       // against a saved window; nil: there is none
}

// LiveLayout is what the place of printing allows, and how much of each table
// is shown to people. Formats for programs have everything.
type LiveLayout struct {
	Layout
	// Rows of each table, the rest being added up in one: 0: 12 kinds, 10
	// digests (of the mix too), 10 threads.
	Kinds, Digests, Threads int
	// Brief leaves out of a terminal's table what explains it: for a screen that
	// is drawn again and again.
	Brief bool
}

// WriteLive lays a window of a live server out: the costs per query, then why
// they changed, and where they came from by kind of statement, digest and
// thread.
func WriteLive(w io.Writer, f Format, live Live, l LiveLayout) error {
	live.Report.Warnings = live.warnings()
	switch f {
	case Table:
		live = live.top(l)
		return writeTableWith(w, live.Report, tableStyle{l.Layout, l.Brief, live.head()}, live.writeTables)
	case Markdown:
		return writeLiveMarkdown(w, live.top(l))
	case CSV:
		return writeLiveLong(w, live, ',')
	case TSV:
		return writeLiveLong(w, live, '\t')
	case JSON:
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(struct {
			compare.Report
			compare.LiveTables
			Mix *compare.Mix `json:"mix,omitempty"`
		}{live.Report, live.Tables, live.Mix})
	}
	_, err := ParseFormat(string(f))
	return err
}

// warnings of the report and of the window; one that both have is given once.
func (l Live) warnings() []result.Warning {
	ws := slices.Clone(l.Report.Warnings)
	for _, w := range l.Tables.Warnings {
		if l.Mix != nil && !slices.Contains(ws, w) || l.Mix == nil {
			ws = append(ws, w)
		}
	}
	return ws
}

func (l Live) top(lay LiveLayout) Live {
	n := func(asked, usual int) int {
		if asked > 0 {
			return asked
		}
		return usual
	}
	l.Tables = l.Tables.Top(n(lay.Kinds, 12), n(lay.Digests, 10), n(lay.Threads, 10))
	if l.Mix != nil {
		m := l.Mix.Top(n(lay.Digests, 10))
		l.Mix = &m
	}
	return l
}
