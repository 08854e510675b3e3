package compare

import (
	"cmp"
	"fmt"
	"slices"

	"opcost/perfctl/result"
)

// Relative is one metric of a report by groups of workloads: a table for each
// host, number of clients, driver and protocol, with a row a workload and a
// column a version.
type Relative struct {
	Schema int    `json:"schema"`
	Metric string `json:"metric"`
	// Base is the version that ratios are to; "": each to the release before.
	Base     string           `json:"base"`
	Tables   []RelativeTable  `json:"tables"`
	Warnings []result.Warning `json:"warnings"`
}

// RelativeTable is what was measured in one place in one way.
type RelativeTable struct {
	Host     string          `json:"host"`
	Clients  int             `json:"clients"`
	Driver   string          `json:"driver"`
	Protocol string          `json:"protocol"`
	Versions []string        `json:"versions"` // the columns
	Groups   []RelativeGroup `json:"groups"`   // point, range, range-agg, write, others
}

// RelativeGroup is a group of workloads, with what its ratios have in common.
type RelativeGroup struct {
	Group   string        `json:"group"` // "" for workloads of none
	Rows    []RelativeRow `json:"rows"`
	Summary []GroupRatios `json:"summary"` // a version each, as in the table
}

// RelativeRow is a workload; its cells are as the table's versions.
type RelativeRow struct {
	Workload string         `json:"workload"`
	Cells    []RelativeCell `json:"cells"`
}

// RelativeCell is the metric of one version.
type RelativeCell struct {
	Value *float64 `json:"value"` // null where there is none, for a reason
	Unit  string   `json:"unit"`
	// Ratio is null for the base itself and where none may be taken.
	Ratio   *R     `json:"ratio"`
	Against string `json:"against"` // the version that Ratio is to
	Reason  string `json:"reason,omitempty"`
}

// GroupRatios sums a group's ratios up; the numbers are null where N is 0.
type GroupRatios struct {
	N       int      `json:"n"` // workloads with a ratio; one measured before the writes too counts once
	Median  *float64 `json:"median"`
	Minimum *float64 `json:"minimum"`
	Maximum *float64 `json:"maximum"`
}

// RelativeMetrics are the metrics that a report must hold for RelativeOf.
func RelativeMetrics(metric string) []string {
	if metric == responseTime {
		return []string{responseTime, throughput}
	}
	return []string{metric}
}

const (
	throughput   = "qps"
	responseTime = "response_us"
)

// RelativeOf takes one metric's ratios from a report. Response times that were
// not measured follow from the throughput: in a closed loop each of the clients
// waits for its statement, so their mean is clients/qps.
func RelativeOf(r Report, metric string) Relative {
	rel := Relative{Schema: Schema, Metric: metric, Base: r.Base, Warnings: r.Warnings}
	type key struct {
		host, driver, protocol string
		clients                int
	}
	type at struct{ workload, version string }
	type gathered struct {
		table RelativeTable
		rows  map[at]Row
		has   map[string]bool // versions
	}
	tables := map[key]*gathered{}
	var order []key
	for _, row := range r.Rows {
		k := key{row.Host, row.Driver, row.Protocol, row.Clients}
		g := tables[k]
		if g == nil {
			g = &gathered{RelativeTable{Host: row.Host, Clients: row.Clients, Driver: row.Driver, Protocol: row.Protocol}, map[at]Row{}, map[string]bool{}}
			tables[k] = g
			order = append(order, k)
		}
		g.rows[at{row.Workload, row.Version}] = row
		g.has[row.Version] = true
	}
	slices.SortStableFunc(order, func(a, b key) int {
		if a.host != b.host {
			return 0 // hosts as they come
		}
		return cmp.Or(cmp.Compare(a.clients, b.clients), cmp.Compare(a.driver, b.driver), cmp.Compare(a.protocol, b.protocol))
	})
	for _, k := range order {
		g := tables[k]
		groups := map[string]string{}
		for a, row := range g.rows {
			groups[a.workload] = row.Group
		}
		for _, v := range r.Versions {
			if g.has[v] {
				g.table.Versions = append(g.table.Versions, v)
			}
		}
		workloads := make([]string, 0, len(groups))
		for w := range groups {
			workloads = append(workloads, w)
		}
		slices.SortFunc(workloads, func(a, b string) int { return workloadOrder(groups[a], a, groups[b], b) })
		for _, w := range workloads {
			row := RelativeRow{Workload: w}
			for _, v := range g.table.Versions {
				cell := RelativeCell{Reason: "not measured"}
				if have, ok := g.rows[at{w, v}]; ok {
					cell = relativeCell(have, metric, r.Base)
				}
				row.Cells = append(row.Cells, cell)
			}
			gs := g.table.Groups
			if len(gs) == 0 || gs[len(gs)-1].Group != groups[w] {
				gs = append(gs, RelativeGroup{Group: groups[w]})
			}
			gs[len(gs)-1].Rows = append(gs[len(gs)-1].Rows, row)
			g.table.Groups = gs
		}
		for i := range g.table.Groups {
			g.table.Groups[i].summarise(len(g.table.Versions))
		}
		rel.Tables = append(rel.Tables, g.table)
	}
	return rel
}

func relativeCell(row Row, metric, base string) RelativeCell {
	m, ok := row.Metrics[metric]
	cell := RelativeCell{Value: m.Value, Unit: m.Unit, Reason: m.Reason}
	if v, has := row.VsBase[metric]; has {
		cell.Ratio, cell.Against = &v, cmp.Or(row.Against, base)
	}
	switch {
	case !ok && metric == responseTime:
		return fromThroughput(row, base)
	case !ok:
		cell.Reason = "not measured"
	case cell.Ratio != nil && cell.Reason == "":
		cell.Reason = cell.Ratio.Reason
	}
	return cell
}

// fromThroughput gives the response time of a closed loop.
func fromThroughput(row Row, base string) RelativeCell {
	m, ok := row.Metrics[throughput]
	if !ok || m.Value == nil || *m.Value <= 0 || row.Clients < 1 {
		return RelativeCell{Unit: "us", Reason: cmp.Or(m.Reason, "not measured")}
	}
	us := 1e6 * float64(row.Clients) / *m.Value
	cell := RelativeCell{Value: &us, Unit: "us", Reason: fmt.Sprintf("from the throughput: %s in a closed loop", ClientsText(row.Clients))}
	if v, has := row.VsBase[throughput]; has && v.Ratio > 0 {
		inverse := v
		inverse.Ratio, inverse.Low, inverse.High = 1/v.Ratio, nil, nil
		if v.Low != nil && v.High != nil && *v.Low > 0 {
			lo, hi := 1 / *v.High, 1 / *v.Low
			inverse.Low, inverse.High = &lo, &hi
		}
		cell.Ratio, cell.Against = &inverse, cmp.Or(row.Against, base)
	}
	return cell
}

// summarise fills in the group's median, minimum and maximum of each version.
func (g *RelativeGroup) summarise(versions int) {
	g.Summary = make([]GroupRatios, versions)
	for i := range g.Summary {
		measured := func(workload string) bool {
			return slices.ContainsFunc(g.Rows, func(r RelativeRow) bool { return r.Workload == workload && r.Cells[i].Ratio != nil })
		}
		var ratios []float64
		for _, row := range g.Rows {
			if r := row.Cells[i].Ratio; r != nil && !again(row.Workload, measured) {
				ratios = append(ratios, r.Ratio)
			}
		}
		g.Summary[i].N = len(ratios)
		if len(ratios) == 0 {
			continue
		}
		slices.Sort(ratios)
		med := median(ratios)
		g.Summary[i].Median, g.Summary[i].Minimum, g.Summary[i].Maximum = &med, &ratios[0], &ratios[len(ratios)-1]
	}
}
