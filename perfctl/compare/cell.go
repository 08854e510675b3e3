package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"opcost/perfctl/result"
)

// cellKey is what makes a row.
type cellKey struct {
	host, version, workload string
	clients                 int
	protocol, driver        string
}

// family names cells that differ in version or protocol alone: those that are
// compared with each other, and that share their noise.
type family struct {
	host, workload string
	clients        int
	driver         string
}

func (k cellKey) family() family { return family{k.host, k.workload, k.clients, k.driver} }

func (f family) compare(g family) int {
	return cmp.Or(cmp.Compare(f.host, g.host), cmp.Compare(f.workload, g.workload), cmp.Compare(f.clients, g.clients), cmp.Compare(f.driver, g.driver))
}

func (k cellKey) String() string {
	if k.clients == 0 { // of a load that is not ours
		return fmt.Sprintf("%s, %s", k.version, k.workload)
	}
	return fmt.Sprintf("%s, %s, %s", k.version, k.workload, ClientsText(k.clients))
}

// ClientsText is a number of clients in words.
func ClientsText(n int) string {
	if n == 1 {
		return "1 client"
	}
	return fmt.Sprintf("%d clients", n)
}

// cell is the runs of a row, and what they say of each metric.
type cell struct {
	cellKey
	group   string
	began   time.Time
	runs    []*result.Run
	starts  int // see Row.Runs
	metrics map[string]*estimate
	packed  []packedMetric // the metrics, while they are put away
	values  []float64      // of those
	facts   []*factSet     // what should be alike
	kin     *kin
}

// kin are the cells of a family, one after the other as they are shown.
type kin struct {
	family
	cells []*cell
	own   map[measure]group // their noise
}

// kind is the group of the family's workload.
func (k *kin) kind() string { return k.cells[len(k.cells)-1].group }

// families of cells in their order.
func families(all []*cell) (ks []*kin) {
	for _, c := range all {
		if f := c.family(); len(ks) == 0 || ks[len(ks)-1].family != f {
			ks = append(ks, &kin{family: f, own: map[measure]group{}})
		}
		k := ks[len(ks)-1]
		k.cells = append(k.cells, c)
		c.kin = k
	}
	return ks
}

// size is how much data the workload ran on. Costs of unlike sizes are no ratio.
func (c *cell) size() (tables int, rows int64) { return c.runs[0].Tables, c.runs[0].Rows }

func (c *cell) usable(metric string) (*estimate, bool) {
	e, ok := c.metrics[metric]
	return e, ok && e.State.Usable()
}

// writes tells a workload that changes data: by its group, else by what the
// server says it changed.
func (c *cell) writes() bool {
	switch c.group {
	case "write":
		return true
	case "point", "range", "range-agg":
		return false
	}
	e, ok := c.usable(changedRows)
	return ok && *e.Value > 0.01
}

// changedRows is the metric that tells which workloads write.
const changedRows = "rows_changed_per_query"

// cells groups runs into rows, in the order in which they are shown: hosts and
// workloads by their first start, versions as asked.
func cells(runs []result.Run, versions []string) []*cell {
	byKey := map[cellKey]*cell{}
	hosts, workloads := map[string]time.Time{}, map[string]time.Time{}
	for i := range runs {
		r := &runs[i]
		k := cellKey{r.Host, r.Version, r.Workload, r.Clients, r.Protocol, r.Driver}
		c := byKey[k]
		if c == nil {
			c = &cell{cellKey: k, group: r.Group, began: r.Started}
			byKey[k] = c
		}
		c.runs = append(c.runs, r)
		c.began = earlier(c.began, r.Started)
		hosts[r.Host] = first(hosts, r.Host, r.Started)
		workloads[r.Workload] = first(workloads, r.Workload, r.Started)
	}
	all := make([]*cell, 0, len(byKey))
	known := factSets{}
	for _, c := range byKey {
		c.facts = known.ofCell(c.runs)
		all = append(all, c)
	}
	place := map[string]int{}
	for i, v := range versions {
		place[v] = i
	}
	slices.SortFunc(all, func(a, b *cell) int {
		return cmp.Or(
			hosts[a.host].Compare(hosts[b.host]), cmp.Compare(a.host, b.host),
			workloads[a.workload].Compare(workloads[b.workload]), cmp.Compare(a.workload, b.workload),
			cmp.Compare(a.clients, b.clients),
			cmp.Compare(a.driver, b.driver),
			cmp.Compare(place[a.version], place[b.version]),
			cmp.Compare(a.protocol, b.protocol))
	})
	return all
}

// planned is the base and the order of versions that the runs' plan had; both
// are empty where the runs come from several plans, or from none.
func planned(runs []result.Run) (base string, order []string) {
	place := map[string]int{}
	for _, r := range runs {
		if r.PlanHash == "" || r.PlanHash != runs[0].PlanHash {
			return "", nil
		}
		place[r.Version] = r.Place
		base = r.Base
	}
	order = slices.SortedFunc(maps.Keys(place), func(a, b string) int {
		return cmp.Or(cmp.Compare(place[a], place[b]), cmp.Compare(a, b))
	})
	return base, order
}

// versionsOf gives the versions in the order asked, the rest by first start.
func versionsOf(runs []result.Run, order []string) []string {
	began := map[string]time.Time{}
	for _, r := range runs {
		began[r.Version] = first(began, r.Version, r.Started)
	}
	var named, rest []string
	for _, v := range order {
		if _, ok := began[v]; ok && !slices.Contains(named, v) {
			named = append(named, v)
		}
	}
	for v := range began {
		if !slices.Contains(named, v) {
			rest = append(rest, v)
		}
	}
	slices.SortFunc(rest, func(a, b string) int { return cmp.Or(began[a].Compare(began[b]), cmp.Compare(a, b)) })
	return append(named, rest...)
}

func first(seen map[string]time.Time, key string, t time.Time) time.Time {
	if old, ok := seen[key]; ok {
		return earlier(old, t)
	}
	return t
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// startKey names a server start. Results of two folders may use the same name
// for different starts; the process and the plan tell them apart.
type startKey struct {
	start, plan string
	pid         int
}

func startOf(r *result.Run) startKey {
	if r.Start == "" {
		return startKey{start: "run " + r.ID}
	}
	return startKey{r.Start, r.PlanHash, r.Server.PID}
}
