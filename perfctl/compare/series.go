package compare

import (
	"cmp"
	"math"
	"slices"

	"opcost/perfctl/result"
)

// Series is one metric over releases in their order.
type Series struct {
	Schema   int              `json:"schema"`
	Base     string           `json:"base"`
	Metric   string           `json:"metric"`
	Versions []string         `json:"versions"`
	Lines    []SeriesLine     `json:"lines"`
	Steps    []Step           `json:"steps"` // release pairs in order, the largest change first
	Disagree []Disagreement   `json:"disagree"`
	Warnings []result.Warning `json:"warnings"`
}

// SeriesLine is one workload in one place over the releases.
type SeriesLine struct {
	Host     string        `json:"host"`
	Workload string        `json:"workload"`
	Group    string        `json:"group"`
	Clients  int           `json:"clients"`
	Driver   string        `json:"driver"`
	Protocol string        `json:"protocol"`
	Points   []SeriesPoint `json:"points"` // as the series' versions
}

// SeriesPoint is one release; all is null where it was not measured.
type SeriesPoint struct {
	Value      *float64 `json:"value"`
	VsBase     *R       `json:"vs_base"`
	VsPrevious *R       `json:"vs_previous"`
	Previous   string   `json:"previous,omitempty"` // the release that VsPrevious is to
	// Changed: the metric changed from the release before to this one.
	Changed bool `json:"changed,omitempty"`
	// Odd is by how much the value lies beyond those of both neighbouring
	// releases, where that is odd; else 0.
	Odd float64 `json:"odd,omitempty"`
}

// Step is a pair of releases between which the metric of one workload changed.
type Step struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Host     string `json:"host"`
	Workload string `json:"workload"`
	Group    string `json:"group"`
	Clients  int    `json:"clients"`
	R        R      `json:"ratio"`
	// Single: by single runs, which have no interval; see [oddLimit].
	Single bool `json:"single,omitempty"`
	// Odd: the next release, or the one before, took it back.
	Odd      bool     `json:"odd,omitempty"`
	Evidence []Beside `json:"evidence,omitempty"` // other metrics of the two releases
}

// Disagreement is a workload whose ratio to the base is not the same on all hosts.
type Disagreement struct {
	Workload string      `json:"workload"`
	Version  string      `json:"version"`
	Hosts    []HostRatio `json:"hosts"`
	Single   bool        `json:"single,omitempty"`
}

// HostRatio is a ratio on one host.
type HostRatio struct {
	Host    string `json:"host"`
	Clients int    `json:"clients"`
	R       R      `json:"ratio"`
}

// evidenceMetrics stand beside a step of throughput or response time.
var evidenceMetrics = []string{"instructions_per_query", "cpu_us_per_query", "context_switches_per_query", "cpu/o", "cs/o"}

// SeriesMetrics are the metrics that the reports must hold for SeriesOf.
func SeriesMetrics(metric string) []string { return append([]string{metric}, evidenceMetrics...) }

// SeriesOf takes one metric over the releases from [BuildBoth]'s reports.
//
// Where the steps have intervals, a step is a change if its verdict is one: its
// whole interval is beyond the metric's threshold, and among all the steps of
// the series few are so by chance (see verdicts; this needs the reports' Metric
// to be this one). A step of single runs is a change beyond [oddLimit].
func SeriesOf(toBase, toPrevious Report, metric string) Series {
	s := Series{Schema: Schema, Base: toBase.Base, Metric: metric, Versions: toBase.Versions, Warnings: toBase.Warnings}
	m := newMetricTable().of(metric)
	type key struct {
		host, workload, driver, protocol string
		clients                          int
	}
	places := map[string]int{}
	for i, v := range s.Versions {
		places[v] = i
	}
	at := map[key]int{}
	rows := map[key][]Row{} // of toPrevious, as the versions
	for i, row := range toBase.Rows {
		k := key{row.Host, row.Workload, row.Driver, row.Protocol, row.Clients}
		li, ok := at[k]
		if !ok {
			li = len(s.Lines)
			at[k] = li
			s.Lines = append(s.Lines, SeriesLine{Host: row.Host, Workload: row.Workload, Group: row.Group, Clients: row.Clients,
				Driver: row.Driver, Protocol: row.Protocol, Points: make([]SeriesPoint, len(s.Versions))})
			rows[k] = make([]Row, len(s.Versions))
		}
		p := &s.Lines[li].Points[places[row.Version]]
		p.Value = row.Metrics[metric].Value
		if v, ok := row.VsBase[metric]; ok {
			p.VsBase = &v
		}
		before := toPrevious.Rows[i] // the same cell: both reports are of one builder
		rows[k][places[row.Version]] = before
		if v, ok := before.VsBase[metric]; ok {
			p.VsPrevious, p.Previous = &v, before.Against
		}
	}
	slices.SortStableFunc(s.Lines, func(a, b SeriesLine) int {
		if a.Host != b.Host {
			return 0 // hosts as they come
		}
		return cmp.Or(cmp.Compare(a.Driver, b.Driver), cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Clients, b.Clients),
			workloadOrder(a.Group, a.Workload, b.Group, b.Workload))
	})
	limits := s.limits()
	for i := range s.Lines {
		l := &s.Lines[i]
		k := key{l.Host, l.Workload, l.Driver, l.Protocol, l.Clients}
		l.markSteps(limits[l.place()], m)
		for j, p := range l.Points {
			if !p.Changed {
				continue
			}
			from := rows[k][places[p.Previous]]
			s.Steps = append(s.Steps, Step{From: p.Previous, To: s.Versions[j], Host: l.Host, Workload: l.Workload, Group: l.Group, Clients: l.Clients,
				R: *p.VsPrevious, Single: single(p.VsPrevious), Odd: l.takenBack(j), Evidence: evidence(rows[k][j], from, metric)})
		}
	}
	slices.SortStableFunc(s.Steps, func(a, b Step) int {
		return cmp.Or(cmp.Compare(places[a.To], places[b.To]), cmp.Compare(places[a.From], places[b.From]), // as the releases
			cmp.Compare(math.Abs(math.Log(b.R.Ratio)), math.Abs(math.Log(a.R.Ratio))))
	})
	s.Disagree = s.disagreements(limits)
	return s
}
