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

// linePlace is where single runs share their noise.
type linePlace struct {
	host, driver string
	clients      int
}

func (l SeriesLine) place() linePlace { return linePlace{l.Host, l.Driver, l.Clients} }

// logs of the line's values, without the releases that lack one; where is the
// place of each among the points.
func (l SeriesLine) logs() (line []float64, where []int) {
	for i, p := range l.Points {
		if p.Value != nil && *p.Value > 0 {
			line, where = append(line, math.Log(*p.Value)), append(where, i)
		}
	}
	return line, where
}

// limits gives what a change between single runs has to exceed.
func (s Series) limits() map[linePlace]float64 {
	of := map[linePlace][][]float64{}
	for _, l := range s.Lines {
		line, _ := l.logs()
		of[l.place()] = append(of[l.place()], line)
	}
	limits := map[linePlace]float64{}
	for p, lines := range of {
		limits[p] = oddLimit(lines)
	}
	return limits
}

// markSteps marks the releases that changed the metric, and the odd ones among
// them: a change that a neighbouring release takes back.
func (l *SeriesLine) markSteps(limit float64, m Metric) {
	for i := range l.Points {
		p := &l.Points[i]
		switch {
		case p.VsPrevious == nil:
		case single(p.VsPrevious):
			p.Changed = math.Abs(math.Log(p.VsPrevious.Ratio)) > limit
		default:
			p.Changed = p.VsPrevious.Verdict == Slower || p.VsPrevious.Verdict == Faster ||
				m.Sense == Neither && beyondThreshold(*p.VsPrevious)
		}
	}
	line, where := l.logs()
	for i, at := range where {
		d := beyondNeighbours(line, i)
		if d == 0 {
			continue
		}
		p, next := &l.Points[at], l.Points[where[i+1]]
		odd := math.Abs(d) > limit
		if !single(p.VsPrevious) && !single(next.VsPrevious) {
			odd = p.Changed && next.Changed
		}
		if odd && p.Changed {
			p.Odd = math.Expm1(d)
		}
	}
}

// takenBack: the step to release i is one side of an odd release.
func (l SeriesLine) takenBack(i int) bool {
	if l.Points[i].Odd != 0 {
		return true
	}
	for j := i - 1; j >= 0; j-- {
		if l.Points[j].Value != nil {
			return l.Points[j].Odd != 0
		}
	}
	return false
}

func single(r *R) bool { return r == nil || r.Low == nil || r.High == nil || r.Method == EdgesMethod }

func beyondThreshold(r R) bool { return *r.Low > 1+r.Threshold || *r.High < 1-r.Threshold }

// evidence gives the other metrics of two releases.
func evidence(to, from Row, metric string) (es []Beside) {
	for _, name := range evidenceMetrics {
		v, ok := to.VsBase[name]
		if name == metric || !ok {
			continue
		}
		es = append(es, Beside{Metric: name, Value: to.Metrics[name].Value, Base: from.Metrics[name].Value, Ratio: &v.Ratio})
	}
	return es
}

// disagreements finds where hosts differ: their ratios' intervals do not meet,
// or ratios of single runs differ by more than both hosts' limits. Hosts are
// compared at the same number of clients, or each at its own where it has one.
func (s Series) disagreements(limits map[linePlace]float64) (ds []Disagreement) {
	counts := map[string]map[int]bool{}
	for _, l := range s.Lines {
		if counts[l.Host] == nil {
			counts[l.Host] = map[int]bool{}
		}
		counts[l.Host][l.Clients] = true
	}
	ownClients := len(counts) > 1
	for _, c := range counts {
		ownClients = ownClients && len(c) == 1
	}
	type key struct {
		workload, driver string
		clients          int
	}
	of := map[key][]SeriesLine{}
	var order []key
	for _, l := range s.Lines {
		k := key{l.Workload, l.Driver, l.Clients}
		if ownClients {
			k.clients = 0
		}
		if of[k] == nil {
			order = append(order, k)
		}
		of[k] = append(of[k], l)
	}
	for _, k := range order {
		lines := of[k]
		for i, v := range s.Versions {
			d := Disagreement{Workload: k.workload, Version: v}
			limit := 0.0
			for _, l := range lines {
				if r := l.Points[i].VsBase; r != nil && !slices.ContainsFunc(d.Hosts, func(h HostRatio) bool { return h.Host == l.Host }) {
					d.Hosts = append(d.Hosts, HostRatio{l.Host, l.Clients, *r})
					d.Single = d.Single || single(r)
					limit = max(limit, limits[l.place()])
				}
			}
			if d.differ(limit) {
				ds = append(ds, d)
			}
		}
	}
	return ds
}

func (d Disagreement) differ(limit float64) bool {
	for i, a := range d.Hosts {
		for _, b := range d.Hosts[:i] {
			far := math.Abs(math.Log(a.R.Ratio / b.R.Ratio))
			switch {
			case d.Single && far > limit,
				!d.Single && far > math.Log1p(a.R.Threshold) && (*a.R.Low > *b.R.High || *b.R.Low > *a.R.High):
				return true
			}
		}
	}
	return false
}
