// Package noise keeps what a machine's server starts differ by where nothing
// differs (A/A measurements), in one file for all machines of a user, so that
// later comparisons of few starts need not guess it. It reads and writes that
// file and finds the entries that belong to given runs. It must not estimate
// anything (compare does), measure, print, or choose where the file lies.
package noise

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// Machine is what must be the same for a stored noise to be believed: another
// kernel schedules otherwise, another CPU counts otherwise.
type Machine struct {
	Host     string `json:"host"`
	CPUModel string `json:"cpu_model"`
	CPUs     int    `json:"cpus"`
	Kernel   string `json:"kernel"`
}

// MachineOf is the machine of a run.
func MachineOf(r result.Run) Machine {
	return Machine{r.Host, r.Machine.CPUModel, r.Machine.CPUs, r.Machine.Kernel}
}

func (m Machine) String() string {
	return fmt.Sprintf("%s (%s, %d CPUs, kernel %s)", m.Host, cmp.Or(m.CPUModel, "CPU unknown"), m.CPUs, m.Kernel)
}

// Entry is the noise of one metric, from one source and scope, for workloads of
// one group with one number of clients.
type Entry struct {
	Machine  Machine       `json:"machine"`
	Group    string        `json:"group"`
	Clients  int           `json:"clients"`
	Metric   string        `json:"metric"`
	Source   result.Source `json:"source"`
	Scope    result.Scope  `json:"scope"`
	SD       float64       `json:"sd"`    // of the natural logarithm of a start's value
	DF       float64       `json:"df"`    // its degrees of freedom
	Cells    int           `json:"cells"` // it was pooled over
	Measured time.Time     `json:"measured"`
	PlanHash string        `json:"plan_hash"` // of the A/A measurement
}

// key is what an entry replaces an older one by.
func (e Entry) key() Entry {
	e.SD, e.DF, e.Cells, e.Measured, e.PlanHash = 0, 0, 0, time.Time{}, ""
	return e
}

// compare orders entries as they are written and shown.
func (e Entry) compare(f Entry) int {
	return cmp.Or(
		cmp.Compare(e.Machine.Host, f.Machine.Host), cmp.Compare(e.Machine.Kernel, f.Machine.Kernel),
		cmp.Compare(e.Machine.CPUModel, f.Machine.CPUModel), cmp.Compare(e.Machine.CPUs, f.Machine.CPUs),
		cmp.Compare(e.Group, f.Group), cmp.Compare(e.Clients, f.Clients), cmp.Compare(e.Metric, f.Metric),
		cmp.Compare(e.Source, f.Source), cmp.Compare(e.Scope, f.Scope))
}

// Entries are the noises of A/A runs. The error says that the runs tell
// nothing, or are of more than one machine or version.
func Entries(runs []result.Run) ([]Entry, error) {
	machines, versions := map[Machine]bool{}, map[string]bool{}
	measured, plan := time.Time{}, ""
	for _, r := range runs {
		machines[MachineOf(r)] = true
		versions[r.Version] = true
		plan = r.PlanHash
		if r.Started.After(measured) {
			measured = r.Started
		}
	}
	switch {
	case len(machines) > 1:
		return nil, fmt.Errorf("the runs are of %d machines (a new kernel counts as one): measure the noise again, into a new folder", len(machines))
	case len(versions) > 1:
		return nil, fmt.Errorf("the runs are of %d versions: a noise floor is of one against itself", len(versions))
	}
	var all []Entry
	for k, n := range compare.FloorOf(runs) {
		for m := range machines {
			all = append(all, Entry{m, k.Group, k.Clients, k.Metric, k.Source, k.Scope, n.SD, n.DF, n.Cells, measured.UTC().Truncate(time.Second), plan})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%d runs tell no noise: two whole starts of a workload at least are needed", len(runs))
	}
	slices.SortFunc(all, Entry.compare)
	return all, nil
}

// Merge gives old with what is new in it: an entry replaces that of the same
// machine, group, clients, metric, source and scope.
func Merge(old, new []Entry) []Entry {
	by := map[Entry]Entry{}
	for _, e := range append(slices.Clone(old), new...) {
		by[e.key()] = e
	}
	return slices.SortedFunc(maps.Values(by), Entry.compare)
}

// Floor is what the entries say of the machines that the runs are of. A host
// whose runs are of several machines (a kernel that was changed in between) has
// none. The notes say which entries of the runs' hosts are not used, and why.
func Floor(entries []Entry, runs []result.Run) (floor map[compare.NoiseKey]compare.Noise, notes []string) {
	machines := map[string][]Machine{} // by host
	for _, r := range runs {
		if m := MachineOf(r); !slices.Contains(machines[m.Host], m) {
			machines[m.Host] = append(machines[m.Host], m)
		}
	}
	unlike := map[Machine]bool{}
	floor = map[compare.NoiseKey]compare.Noise{}
	for _, e := range entries {
		of := machines[e.Machine.Host]
		switch {
		case len(of) == 1 && of[0] == e.Machine:
			floor[compare.NoiseKey{Host: e.Machine.Host, Metric: e.Metric, Source: e.Source, Scope: e.Scope, Group: e.Group, Clients: e.Clients}] =
				compare.Noise{SD: e.SD, DF: e.DF, Cells: e.Cells}
		case len(of) > 0:
			unlike[e.Machine] = true
		}
	}
	used := map[string]bool{}
	for k := range floor {
		used[k.Host] = true
	}
	for m := range unlike {
		if !used[m.Host] {
			notes = append(notes, fmt.Sprintf("the stored noise floor is not used: it is of %s, and the runs are of %s; `opcost run PLAN --noise-floor` measures it again", m, machines[m.Host][0]))
		}
	}
	slices.Sort(notes)
	return floor, notes
}
