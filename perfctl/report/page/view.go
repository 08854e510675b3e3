package page

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"

	"opcost/perfctl/compare"
	"opcost/perfctl/report"
	"opcost/profiles/onefile"
)

//go:embed assets
var files embed.FS

// scripts are joined in this order into the page's one script.
var scripts = []string{"data", "format", "draw", "bars", "lines", "sweep", "series", "table", "evidence", "controls", "main"}

// view is what the page's template is filled with: all that must be readable
// without a script.
type view struct {
	Title       string
	Base        string
	Versions    []string
	Hosts       []string
	Workloads   int
	Cells, Runs int
	Verdicts    report.Verdicts
	Shares      []share // of the verdicts
	Unlike      []string
	Warnings    []string
	Metrics     int
	LeftOut     []string
	Sweep       bool // something was measured at several numbers of clients
	Series      bool
	Evidence    bool
	Style       template.CSS
	Script      template.JS
	Data        template.JS
	Policy      string
}

// share is a part of the bar of verdicts, in percent of its width.
type share struct {
	Verdict     compare.Verdict
	N           int
	From, Width float64
}

// shown is how many verdicts stand at the top; the rest can be unfolded.
const shown = 10

// First are the worst verdicts.
func (v view) First() []report.Verdict { return v.Verdicts.Each[:min(shown, len(v.Verdicts.Each))] }

// Rest are the others.
func (v view) Rest() []report.Verdict { return v.Verdicts.Each[min(shown, len(v.Verdicts.Each)):] }

// Next is the number of the first of these.
func (v view) Next() int { return len(v.First()) + 1 }

func newView(in Input) view {
	r := in.Report
	v := view{Title: in.Title, Base: r.Base, Versions: r.Versions, Cells: len(r.Rows), Verdicts: report.VerdictsOf(r), Shares: shares(r),
		Series: len(in.Series) > 0 && len(r.Versions) > 2, Evidence: len(in.Evidence) > 0}
	if v.Title == "" {
		v.Title = "Cost per query"
	}
	v.Unlike, v.Warnings = report.Warnings(r.Warnings)
	v.Warnings = append(v.Warnings, in.Notes...)
	workloads := map[string]bool{}
	for _, row := range r.Rows {
		v.Runs += row.Runs
		workloads[row.Workload] = true
		if !slices.Contains(v.Hosts, row.Host) {
			v.Hosts = append(v.Hosts, row.Host)
		}
		v.Sweep = v.Sweep || row.Clients != r.Rows[0].Clients
	}
	v.Workloads = len(workloads)
	return v
}

func shares(r compare.Report) (all []share) {
	count, total := map[compare.Verdict]int{}, 0
	for _, row := range r.Rows {
		if v, ok := row.VsBase[row.Primary]; ok && row.Primary != "" && v.Verdict != compare.None {
			count[v.Verdict]++
			total++
		}
	}
	from := 0.0
	for _, verdict := range []compare.Verdict{compare.Slower, compare.Unsure, compare.Same, compare.Faster} {
		if n := count[verdict]; n > 0 {
			width := 100 * float64(n) / float64(total)
			all = append(all, share{verdict, n, from, width})
			from += width
		}
	}
	return all
}

// render fills the template in.
func render(v view, d *data) ([]byte, error) {
	encoded, err := json.Marshal(d) // with <, > and & escaped, so it is safe inside a script element
	if err != nil {
		return nil, fmt.Errorf("the page's data: %w", err)
	}
	style, script, err := onefile.Assets(files, "assets", "page.css", scripts)
	if err != nil {
		return nil, err
	}
	v.Data, v.Style, v.Script = template.JS(encoded), template.CSS(style), template.JS(script)
	v.Policy = onefile.Policy(style, script)
	t, err := template.New("page.html").ParseFS(files, "assets/page.html")
	if err != nil {
		return nil, fmt.Errorf("the page's own template: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, v); err != nil {
		return nil, fmt.Errorf("fill in the page: %w", err)
	}
	return out.Bytes(), nil
}
