package page

import (
	"opcost/perfctl/compare"
	"opcost/perfctl/report"
)

// dataSweep is a metric over the numbers of clients. The lines of workloads are
// the rows' ratios; only what the comparison says of them stands here.
type dataSweep struct {
	Groups []sweepGroup `json:"groups"`
	Lines  []sweepLine  `json:"lines"`
	Said   []said       `json:"said"`
}

type sweepGroup struct {
	Place   int       `json:"place"`
	Group   int       `json:"group"`
	All     bool      `json:"all"` // the least good of the group, not its median
	Version int       `json:"version"`
	Kind    string    `json:"kind"`
	From    int       `json:"from"`
	Points  []numbers `json:"points"` // clients, ratio, low, high
}

type sweepLine struct {
	Place    int    `json:"place"`
	Workload int    `json:"workload"`
	Version  int    `json:"version"`
	Kind     string `json:"kind"`
	From     int    `json:"from"`
	Odd      []int  `json:"odd"` // numbers of clients
}

type said struct {
	Title string   `json:"title"`
	Texts []string `json:"texts"`
}

func saidOf(sentences []report.Sentences) (all []said) {
	for _, s := range sentences {
		all = append(all, said{s.Title, s.Texts})
	}
	return all
}

// sweep is nil where there is nothing to sweep over, or more of the metric is
// neither faster nor slower.
func (c *columns) sweep(name string) *dataSweep {
	r := c.in.Report
	if _, sense := senseOf(name); sense == compare.Neither || r.Base == "" || !severalClients(r, name) {
		return nil
	}
	s, err := compare.SweepOf(r, name)
	if err != nil || len(s.Lines) == 0 {
		return nil
	}
	d := &dataSweep{Said: saidOf(report.SweepSentences(s))}
	for _, l := range s.Lines {
		at, version := c.look.places.of(place(l.Host, l.Driver, l.Protocol)), c.look.versions.of(l.Version)
		if l.Stat == compare.OfWorkload {
			line := sweepLine{at, c.look.workloads.of(workload{l.Workload, l.Group}), version, string(l.Crossover.Kind), l.Crossover.From, nil}
			for _, p := range l.Points {
				if p.Odd != 0 {
					line.Odd = append(line.Odd, p.Clients)
				}
			}
			d.Lines = append(d.Lines, line)
			continue
		}
		g := sweepGroup{at, c.look.groups.of(l.Group), l.Stat == compare.OfAll, version, string(l.Crossover.Kind), l.Crossover.From, nil}
		for _, p := range l.Points {
			clients := float64(p.Clients)
			g.Points = append(g.Points, numbers{&clients, &p.Ratio, p.Low, p.High})
		}
		d.Groups = append(d.Groups, g)
	}
	return d
}

// severalClients tells whether a version has ratios at more than one number of
// clients.
func severalClients(r compare.Report, name string) bool {
	first := map[[2]string]int{}
	for _, row := range r.Rows {
		if _, ok := row.VsBase[name]; !ok {
			continue
		}
		k := [2]string{row.Host, row.Version}
		if n, ok := first[k]; ok && n != row.Clients {
			return true
		}
		first[k] = row.Clients
	}
	return false
}

// dataSeries is a metric over releases in their order.
type dataSeries struct {
	Lines []seriesLine `json:"lines"`
	Said  []said       `json:"said"`
}

type seriesLine struct {
	Place    int `json:"place"`
	Workload int `json:"workload"`
	Clients  int `json:"clients"`
	// Points are as the versions; null where one was not measured. The base's
	// own has the ratio 1.
	Points []*seriesPoint `json:"points"`
}

type seriesPoint struct {
	R       numbers `json:"r"` // ratio to the base, low, high
	Changed bool    `json:"changed,omitempty"`
	Odd     bool    `json:"odd,omitempty"`
	Step    numbers `json:"step,omitempty"` // ratio to the release before, low, high; where it changed
	From    int     `json:"from"`           // that release
}

func (c *columns) series(name string) *dataSeries {
	for _, s := range c.in.Series {
		if s.Metric != name || len(s.Versions) < 3 {
			continue
		}
		d := &dataSeries{Said: saidOf(report.SeriesSentences(s))}
		for _, l := range s.Lines {
			line := seriesLine{c.look.places.of(place(l.Host, l.Driver, l.Protocol)), c.look.workloads.of(workload{l.Workload, l.Group}), l.Clients,
				make([]*seriesPoint, len(c.look.versions.all))}
			for i, p := range l.Points {
				if q := c.point(p, s.Versions[i] == s.Base); q != nil {
					line.Points[c.look.versions.of(s.Versions[i])] = q
				}
			}
			d.Lines = append(d.Lines, line)
		}
		return d
	}
	return nil
}

func (c *columns) point(p compare.SeriesPoint, base bool) *seriesPoint {
	q := &seriesPoint{Changed: p.Changed, Odd: p.Odd != 0, From: -1}
	one := 1.0
	switch {
	case base && p.Value != nil:
		q.R = numbers{&one, nil, nil}
	case p.VsBase != nil:
		q.R = numbers{&p.VsBase.Ratio, p.VsBase.Low, p.VsBase.High}
	default:
		return nil
	}
	if p.Changed && p.VsPrevious != nil {
		q.Step = numbers{&p.VsPrevious.Ratio, p.VsPrevious.Low, p.VsPrevious.High}
		q.From = c.look.versions.of(p.Previous)
	}
	return q
}
