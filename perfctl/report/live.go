package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
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
	w = forJSON(w, f)
	live.Report.Warnings = live.warnings()
	switch f {
	case Table:
		live = live.top(l)
		return writeTableWith(w, live.Report, l.Layout, tableParts{live.head(), live.tables(l.Brief), l.Brief})
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
	if _, err := ParseFormat(string(f)); err != nil {
		return err
	}
	return fmt.Errorf("a live window has no format %s", f)
}

// warnings of the report and of the window.
func (l Live) warnings() []result.Warning {
	ws := slices.Clone(l.Report.Warnings)
	for _, w := range l.Tables.Warnings {
		if l.Mix == nil || (w.Code != "void" && w.Code != "partial") { // Against has given these
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

// head says what window the numbers are of, and beside which.
func (l Live) head() string {
	t := l.Tables
	text := fmt.Sprintf("%s: %s s", plain(t.Version), number(t.Seconds))
	if !t.Started.IsZero() {
		text += t.Started.Format(" from 2006-01-02 15:04:05")
	}
	if t.Operations != nil {
		what := plural(t.Per)
		if *t.Operations == 1 {
			what = plain(t.Per)
		}
		text += fmt.Sprintf(", %s %s", thousands(fmt.Sprint(*t.Operations)), what)
	}
	if m := l.Mix; m != nil {
		text += fmt.Sprintf("; beside %s", plain(m.BaseVersion))
		if !m.BaseStarted.IsZero() {
			text += m.BaseStarted.Format(", measured 2006-01-02 15:04:05")
		}
	}
	return text
}

func (l Live) tables(brief bool) func(io.Writer, int, func(style, string) string) error {
	return func(w io.Writer, width int, paint func(style, string) string) error {
		for _, g := range l.grids() {
			if brief {
				g.notes = nil
			}
			if err := g.write(w, width, paint); err != nil {
				return err
			}
		}
		return nil
	}
}

func writeLiveMarkdown(w io.Writer, l Live) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", escape(l.head()))
	if err := writeMarkdown(&b, l.Report); err != nil {
		return err
	}
	b.WriteByte('\n')
	for _, g := range l.grids() {
		g.writeMarkdown(&b)
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

// plural of a unit of counting: rows, selects; a status variable stays as it is.
func plural(unit string) string {
	if strings.Contains(unit, "_") {
		return plain(unit)
	}
	return plain(unit) + "s"
}
